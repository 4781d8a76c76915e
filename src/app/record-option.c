/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/record-option.h"

#include "base/account.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "engine/recorder.h"
#include "perf/data/write.h"

#define KEPT_PART 4 /* of all memory: what is kept has a quarter */

uint64_t record_kept_bytes(const struct options *o)
{
	uint64_t limit = option_given(o, "max-memory") ? o->max_memory : ACCOUNT_BYTES;

	return options_keep_records(o) ? limit / KEPT_PART : 0;
}

int record_open(struct session *s, struct error *err)
{
	if (s->options->record && options_keep_records(s->options))
		return error_set(err, _("--then record and --record exclude each other: the "
					"recording has it all"));
	if (!s->options->record && !options_keep_records(s->options))
		return 0;
	s->writer = writer_open(s->options->record, err);
	if (!s->writer)
		return -1;
	s->recorded_kernel = recorder_kernel_find(NULL, NULL);
	return 0;
}

/* For messages. */
static const char *name_of(const struct options *o)
{
	return o->record ? o->record : "ptop-when-*.data";
}

int record_start(struct session *s, struct collector_options *options, struct error *err)
{
	const struct source *source = options->source;
	/* clang-format off */
	const struct writer_options writer = {
		.keep_ns = s->options->record ? 0 : (uint64_t)(s->options->keep_s * (double)NS_PER_S),
		.buffers = s->options->record ? 0 : record_kept_bytes(s->options) / WRITER_BUFFER_BYTES,
		.size_limit = s->options->record_bytes, .files = (unsigned)s->options->record_files,
		.head = { .source = source, .target = &options->engine.target,
			  .version = PACKAGE_STRING, .command = (const char *const *)s->options->words,
			  .room = s->options->batch ? 0 : WRITE_HEAD_ROOM },
	};
	/* clang-format on */

	if (!s->writer)
		return 0;
	if (source->tier == TIER_PROC)
		return error_set(err, _("cannot record to '%s', for nothing can be sampled: %s"),
				 name_of(s->options), source->tier_reason);
	options->engine.writer = s->writer;
	options->engine.recorded_kernel = s->recorded_kernel;
	return writer_start(s->writer, &writer, err);
}

void record_tell(struct session *s)
{
	if (!s->writer || s->record_told)
		return;
	if (writer_failed(s->writer))
		ui_message(s->ui, _("the recording has ended early: a write failed"));
	else if (writer_lacks_event(s->writer) && !s->record_lack_told)
		ui_message(s->ui, _("the recording cannot have the event that was added"));
	s->record_told = writer_failed(s->writer);
	s->record_lack_told = writer_lacks_event(s->writer);
}

int record_close(struct session *s, struct buf *notes, struct error *err)
{
	uint64_t missing = s->writer ? writer_left_out(s->writer) : 0;
	int result = writer_close(s->writer, err);

	s->writer = NULL;
	recorder_kernel_free(s->recorded_kernel);
	if (missing)
		buf_printf(notes,
			   _("the recording '%s' lacks %llu records: its disk was too slow\n"),
			   name_of(s->options), (unsigned long long)missing);
	return result;
}
