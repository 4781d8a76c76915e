/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "output/format.h"
#include "view/widget/text.h"

/*
 * The samples of a recording one by one, in order of their times:
 *
 *	2761.306311000 load 4123/4123 1 cycles:u 1000000 55d0c8e01189 hot_a+0x19 (/tmp/load)
 *
 * The fields: time in seconds, command, pid/tid, CPU, event, period, address, symbol and offset,
 * object; one blank between them.  Commands, events and symbols may have blanks of their own, so a
 * script takes the first field from the front and the object from the end.
 */
static void add_text(struct buf *out, const char *text)
{
	text_sanitize(out, text, strlen(text), false);
}

static void samples_write(struct buf *out, const struct output_sample *s)
{
	buf_printf(out, "%" PRIu64 ".%09" PRIu64 " ", (uint64_t)(s->time_ns / NS_PER_S),
		   (uint64_t)(s->time_ns % NS_PER_S));
	if (*s->comm)
		add_text(out, s->comm);
	else
		buf_printf(out, ":%d", (int)s->tid);
	buf_printf(out, " %d/%d %u ", (int)s->pid, (int)s->tid, s->cpu);
	add_text(out, s->event);
	buf_printf(out, " %" PRIu64 " %" PRIx64 " ", s->period, s->address);
	add_text(out, s->symbol);
	if (s->named)
		buf_printf(out, "+0x%" PRIx64, s->offset);
	buf_add_str(out, " (");
	add_text(out, s->object);
	buf_add_str(out, ")\n");
}

/* clang-format off */
const struct output_format format_samples = {
	.name = "samples", .extensions = ".samples",
	.help = N_("one line a sample; with -i alone"), .sample = samples_write,
};
/* clang-format on */
