/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/option-values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/allow.h"
#include "app/events.h"
#include "app/exporter.h"
#include "app/named-file.h"
#include "app/time-range.h"
#include "share/segment.h"
#include "app/push-format.h"
#include "app/push.h"
#include "app/remote-url.h"
#include "base/alloc.h"
#include "base/cpu.h"
#include "base/i18n.h"
#include "base/number-list.h"
#include "base/decimal.h"
#include "output/output.h"
#include "perf/record/source.h"
#include "ui/keymap.h"
#include "view/kind.h"
#include "view/cpu-meter.h"
#include "view/header-meters.h"
#include "view/list/cpu-rows.h"
#include "view/list/list.h"
#include "view/view.h"

#define PID_LIMIT 4194304u /* PID_MAX_LIMIT of the kernel, 64 bits */
#define SIZE_LIMIT (1ull << 60)
#define RECORD_BYTES_MIN (1u << 20)
#define RECORD_FILES 10u
#define RECORD_FILES_MAX 1000u
#define THEN_FILES_MAX 1000u
#define THEN_PAUSE_MAX_S 1e6

static void *field_of(struct options *o, const struct option_row *row)
{
	return (char *)o + row->offset;
}

static const void *field_read(const struct options *o, const struct option_row *row)
{
	return (const char *)o + row->offset;
}

int value_set_switch(struct options *o, const struct option_row *row, const char *value,
		     struct error *err)
{
	static const char *const words[][2] = {
		{ "no", "yes" }, { "false", "true" }, { "off", "on" }, { "0", "1" }
	};
	bool *field = field_of(o, row);

	if (!value) {
		*field = true;
		return 0;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		for (int on = 0; on < 2; on++) {
			if (strcasecmp(value, words[i][on]))
				continue;
			*field = on;
			return 0;
		}
	}
	return error_set(err, _("%s '%s': write yes or no"), row->name, value);
}

void value_format_switch(struct buf *out, const struct options *o, const struct option_row *row)
{
	buf_add_str(out, *(const bool *)field_read(o, row) ? "yes" : "no");
}

static int number_of(const struct option_row *row, const char *value, uint64_t *out,
		     struct error *err)
{
	if (!decimal_parse_u64(value, (uint64_t)row->min, (uint64_t)row->max, out))
		return 0;
	return error_set(err, _("%s '%s' is not a whole number from %.0f to %.0f"), row->name,
			 value, row->min, row->max);
}

int value_set_number(struct options *o, const struct option_row *row, const char *value,
		     struct error *err)
{
	return number_of(row, value, field_of(o, row), err);
}

void value_format_number(struct buf *out, const struct options *o, const struct option_row *row)
{
	buf_printf(out, "%" PRIu64, *(const uint64_t *)field_read(o, row));
}

int value_set_seconds(struct options *o, const struct option_row *row, const char *value,
		      struct error *err)
{
	if (!decimal_parse_double(value, row->min, row->max, field_of(o, row)))
		return 0;
	return error_set(err, _("%s '%s' is not a number of seconds from %g to %g"), row->name,
			 value, row->min, row->max);
}

int value_set_percent(struct options *o, const struct option_row *row, const char *value,
		      struct error *err)
{
	if (!decimal_parse_double(value, row->min, row->max, field_of(o, row)))
		return 0;
	return error_set(err, _("%s '%s' is not a percentage from %g to %g"), row->name, value,
			 row->min, row->max);
}

void value_format_seconds(struct buf *out, const struct options *o, const struct option_row *row)
{
	buf_printf(out, "%g", *(const double *)field_read(o, row));
}

int value_set_text(struct options *o, const struct option_row *row, const char *value,
		   struct error *err)
{
	const char **field = field_of(o, row);

	if (!*value)
		return error_set(err, _("%s is empty: write %s"), row->name, _(row->argument));
	if (row->check && !row->late && row->check(o, value, err))
		return -1;
	*field = value;
	return 0;
}

void value_format_text(struct buf *out, const struct options *o, const struct option_row *row)
{
	const char *text = *(const char *const *)field_read(o, row);

	buf_add_str(out, text ? text : "");
}

int value_set_output(struct options *o, const struct option_row *row, const char *value,
		     struct error *err)
{
	o->batch = true;
	return value_set_text(o, row, value, err);
}

int value_set_action(struct options *o, const struct option_row *row, const char *value,
		     struct error *err)
{
	(void)value;
	(void)err;
	if (o->action == ACTION_RUN)
		o->action = (enum option_action)row->min;
	return 0;
}

int value_set_push(struct options *o, const struct option_row *row, const char *value,
		   struct error *err)
{
	if (push_check_url(value, err))
		return -1;
	return value_set_text(o, row, value, err);
}

int value_set_serve(struct options *o, const struct option_row *row, const char *value,
		    struct error *err)
{
	if (value && strcmp(value, "-") != 0 && segment_name_check(value, err))
		return -1;
	*(const char **)field_of(o, row) = value ? value : "";
	return 0;
}

int value_set_attach(struct options *o, const struct option_row *row, const char *value,
		     struct error *err)
{
	if (value &&
	    (remote_is_url(value) ? remote_check(value, err) : segment_name_check(value, err)))
		return -1;
	*(const char **)field_of(o, row) = value ? value : "";
	return 0;
}

int value_set_list_events(struct options *o, const struct option_row *row, const char *value,
			  struct error *err)
{
	(void)row;
	(void)err;
	if (o->action == ACTION_RUN)
		o->action = ACTION_LIST_EVENTS;
	o->list_glob = value;
	return 0;
}

int value_set_freq(struct options *o, const struct option_row *row, const char *value,
		   struct error *err)
{
	uint64_t hz;

	if (!strcmp(value, "max")) {
		o->freq_max = true;
		return 0;
	}
	if (decimal_parse_u64(value, (uint64_t)row->min, (uint64_t)row->max, &hz))
		return error_set(err,
				 _("freq '%s' is neither samples a second from %.0f to %.0f "
				   "nor 'max'"),
				 value, row->min, row->max);
	o->freq_hz = hz;
	o->freq_max = false;
	return 0;
}

void value_format_freq(struct buf *out, const struct options *o, const struct option_row *row)
{
	(void)row;
	if (o->freq_max)
		buf_add_str(out, "max");
	else
		buf_printf(out, "%" PRIu64, o->freq_hz);
}

int value_set_period(struct options *o, const struct option_row *row, const char *value,
		     struct error *err)
{
	return number_of(row, value, &o->period, err);
}

int value_set_pages(struct options *o, const struct option_row *row, const char *value,
		    struct error *err)
{
	uint64_t pages;

	if (number_of(row, value, &pages, err))
		return -1;
	if (pages & (pages - 1))
		return error_set(err, _("%s '%s' is not a power of two, such as 64 or 128"),
				 row->name, value);
	o->mmap_pages = pages;
	return 0;
}

/* "64M": a number of bytes with its unit, from MIN to a size that no disk has. */
static int size_parse(const char *text, uint64_t min, uint64_t *bytes)
{
	static const char units[] = "KMG";
	size_t length = strlen(text);
	const char *unit = length ? strchr(units, text[length - 1]) : NULL;
	char *number = mem_strndup(text, unit ? length - 1 : length);
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	int failed = decimal_parse_u64(number, 1, SIZE_LIMIT >> shift, bytes);

	free(number);
	if (failed)
		return failed;
	*bytes <<= shift;
	return *bytes < min ? -ERANGE : 0;
}

int value_set_size(struct options *o, const struct option_row *row, const char *value,
		   struct error *err)
{
	uint64_t bytes;

	if (size_parse(value, (uint64_t)row->min, &bytes))
		return error_set(err, _("%s '%s' is not a size from %.0fM up, such as 500M or 2G"),
				 row->name, value, row->min / (1 << 20));
	*(uint64_t *)field_of(o, row) = bytes;
	return 0;
}

void value_format_size(struct buf *out, const struct options *o, const struct option_row *row)
{
	uint64_t bytes = *(const uint64_t *)field_read(o, row);

	if (bytes % (1 << 20))
		buf_printf(out, "%" PRIu64 "K", bytes / 1024);
	else
		buf_printf(out, "%" PRIu64 "M", bytes >> 20);
}

int value_set_record_size(struct options *o, const struct option_row *row, const char *value,
			  struct error *err)
{
	size_t length = strcspn(value, ",");
	char *size = mem_strndup(value, length);
	uint64_t bytes, files = RECORD_FILES;
	int failed = size_parse(size, RECORD_BYTES_MIN, &bytes);

	free(size);
	if (!failed && value[length])
		failed = decimal_parse_u64(value + length + 1, 2, RECORD_FILES_MAX, &files);
	if (failed)
		return error_set(err,
				 _("%s '%s' is not a size from 1M up, such as 500M or 2G,20 with a "
				   "number of files from 2 to %u"),
				 row->name, value, RECORD_FILES_MAX);
	o->record_bytes = bytes;
	o->record_files = files;
	return 0;
}

int value_set_event(struct options *o, const struct option_row *row, const char *value,
		    struct error *err)
{
	if (!*value)
		return error_set(err, _("%s is empty: write %s"), row->name, _(row->argument));
	mem_grow((void **)&o->events, &o->event_capacity, o->event_count + 1, sizeof(*o->events));
	o->events[o->event_count++] = (struct option_event){ .text = value };
	return 0;
}

int value_set_filter(struct options *o, const struct option_row *row, const char *value,
		     struct error *err)
{
	(void)row;
	if (!o->event_count)
		return error_set(
			err, _("filter '%s' has no event: write -e SYSTEM:EVENT before it"), value);
	o->events[o->event_count - 1].filter = value;
	return 0;
}

static int check_list(const char *value, const char *what, uint32_t min, uint32_t max,
		      struct error *err)
{
	struct number_list l;
	int failed = number_list_parse(&l, value, what, min, max, err);

	number_list_fini(&l);
	return failed;
}

int value_check_pids(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	return check_list(value, "pid", 1, PID_LIMIT, err);
}

int value_check_tids(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	return check_list(value, "tid", 1, PID_LIMIT, err);
}

int value_check_cpus(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	return check_list(value, "CPU", 0, CPU_LIMIT - 1, err);
}

int value_check_time(const struct options *o, const char *value, struct error *err)
{
	struct time_range range;

	(void)o;
	return time_range_parse(value, &range, err);
}

/* The view knows its columns and sort keys: it is asked by making one. */
static int check_view_options(const struct options *o, struct view_options *options,
			      struct error *err)
{
	struct evlist *evlist = events_of_options(o, err);
	struct event_names names;
	struct view *v;

	if (!evlist)
		return -1;
	event_names_init(&names, evlist);
	options->event_names = &names.names;
	v = view_new(options, err);
	view_free(v);
	event_names_fini(&names);
	evlist_free(evlist);
	return v ? 0 : -1;
}

int value_check_sort(const struct options *o, const char *value, struct error *err)
{
	struct view_options options = { .sort = value, .columns = o->columns };

	return !strcmp(value, "help") ? 0 : check_view_options(o, &options, err);
}

int value_check_columns(const struct options *o, const char *value, struct error *err)
{
	struct view_options options = { .columns = value };

	return !strcmp(value, "help") ? 0 : check_view_options(o, &options, err);
}

int value_check_format(const struct options *o, const char *value, struct error *err)
{
	struct buf names = { 0 };

	(void)o;
	if (output_format_find(value))
		return 0;
	output_format_names(&names, ", ");
	error_set(err, _("unknown format '%s': there are %s"), value, names.bytes);
	buf_fini(&names);
	return -1;
}

int value_check_table(const struct options *o, const char *value, struct error *err)
{
	struct buf names = { 0 };

	(void)o;
	if (list_find(value))
		return 0;
	list_names(&names, ", ");
	error_set(err, _("unknown table '%s': there are %s"), value, names.bytes);
	buf_fini(&names);
	return -1;
}

int value_check_view(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	if (!strcmp(value, "help") || view_kind_find(value))
		return 0;
	return error_set(err, _("unknown view '%s': --view help lists them"), value);
}

int value_check_call_graph(const struct options *o, const char *value, struct error *err)
{
	struct stack_choice choice;

	(void)o;
	if (stack_choice_parse(value, &choice))
		return 0;
	return error_set(err,
			 _("unknown call-graph '%s': there are fp, dwarf[,SIZE], lbr, auto "
			   "and none"),
			 value);
}

int value_check_engine(const struct options *o, const char *value, struct error *err)
{
	enum source_engine engine;

	(void)o;
	if (source_engine_parse(value, &engine))
		return 0;
	return error_set(err, _("unknown engine '%s': there are auto, perf and bpf"), value);
}

int value_check_unnamed(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	if (!strcmp(value, "function") || !strcmp(value, "object"))
		return 0;
	return error_set(err, _("unknown unnamed '%s': there are function and object"), value);
}

int value_check_serve_users(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	if (!strcmp(value, "all") || !strcmp(value, "none"))
		return 0;
	return error_set(err, _("unknown serve-users '%s': there are all, none"), value);
}

int value_check_allow(const struct options *o, const char *value, struct error *err)
{
	unsigned allowed;

	(void)o;
	return allow_parse(value, &allowed, err);
}

int value_check_push_format(const struct options *o, const char *value, struct error *err)
{
	struct buf names = { 0 };

	(void)o;
	if (push_format_find(value))
		return 0;
	for (const struct push_format *f = push_formats; f->name; f++)
		buf_printf(&names, "%s%s", names.size ? ", " : "", f->name);
	error_set(err, _("unknown push-format '%s': there are %s"), value, names.bytes);
	buf_fini(&names);
	return -1;
}

int value_check_push_label(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	return push_check_labels(value, err);
}

int value_check_listen(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	return exporter_check(value, err);
}

int value_check_cpu_level(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	if (cpu_level_find(value) >= 0)
		return 0;
	return error_set(err,
			 _("unknown level of CPUs '%s': there are cpu, core, llc, node, package, "
			   "machine and auto"),
			 value);
}

int value_check_cpu_meter(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	if (cpu_meter_find(value) >= 0)
		return 0;
	return error_set(err, _("unknown meter '%s': there are one, each, heat and none"), value);
}

int value_check_meters(const struct options *o, const char *value, struct error *err)
{
	struct header_meters meters;

	(void)o;
	return header_meters_parse(&meters, value, err);
}

int value_check_keys(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	if (key_scheme_find(value))
		return 0;
	return error_set(err, _("unknown keys '%s': there are vi, htop and perf"), value);
}

int value_check_theme(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	return named_file_check(NAMED_THEME, value, err);
}

int value_check_profile(const struct options *o, const char *value, struct error *err)
{
	(void)o;
	return named_file_check(NAMED_PROFILE, value, err);
}

/* The bindings of all options and lines together: a key that two of them name is a conflict. */
int value_set_bind(struct options *o, const struct option_row *row, const char *value,
		   struct error *err)
{
	const char **field = field_of(o, row);
	struct buf all = { 0 };
	int failed;

	buf_printf(&all, "%s%s%s", *field ? *field : "", *field ? ", " : "", value);
	failed = keymap_bind(NULL, all.bytes, err);
	if (!failed)
		*field = strtab_add(o->texts, all.bytes);
	buf_fini(&all);
	return failed;
}

int value_set_quiet(struct options *o, const struct option_row *row, const char *value,
		    struct error *err)
{
	(void)row;
	(void)value;
	(void)err;
	o->quiet = o->batch = true;
	return 0;
}

static struct option_trigger *add_trigger(struct options *o)
{
	mem_grow((void **)&o->triggers, &o->trigger_capacity, o->trigger_count + 1,
		 sizeof(*o->triggers));
	o->triggers[o->trigger_count] = (struct option_trigger){ .when = NULL };
	return &o->triggers[o->trigger_count++];
}

/* The session reads the condition: it knows the columns of --columns. */
int value_set_when(struct options *o, const struct option_row *row, const char *value,
		   struct error *err)
{
	struct option_trigger *t = o->triggers; /* the first may have a --then already */

	if (o->trigger_count == TRIGGERS_MAX)
		return error_set(err, _("%s '%s': there are %d conditions already"), row->name,
				 value, TRIGGERS_MAX);
	if (!t || t->when)
		t = add_trigger(o);
	t->when = value;
	return 0;
}

static int set_command(struct option_trigger *t, const struct option_row *row, const char *value,
		       struct error *err)
{
	const char *command = value + strlen("exec");

	command += strspn(command, " \t");
	if (strncmp(value, "exec", strlen("exec")) || !*command ||
	    !strchr(" \t", value[strlen("exec")]))
		return error_set(err,
				 _("%s '%s' is neither 'record' nor 'snapshot' nor 'exec COMMAND'"),
				 row->name, value);
	if (t->exec)
		return error_set(err, _("%s '%s': there is a command already, '%s'"), row->name,
				 value, t->exec);
	t->exec = command;
	return 0;
}

int value_set_then(struct options *o, const struct option_row *row, const char *value,
		   struct error *err)
{
	struct option_trigger *t =
		o->trigger_count ? &o->triggers[o->trigger_count - 1] : add_trigger(o);

	t->early |= !t->when;
	if (!strcmp(value, "snapshot"))
		t->snapshot = true;
	else if (!strcmp(value, "record"))
		t->record = true;
	else
		return set_command(t, row, value, err);
	return 0;
}

int value_set_then_max(struct options *o, const struct option_row *row, const char *value,
		       struct error *err)
{
	size_t length = strcspn(value, ",");
	char *files = mem_strndup(value, length);
	int failed = decimal_parse_u64(files, 1, THEN_FILES_MAX, &o->then_files);

	free(files);
	if (!failed && value[length])
		failed = decimal_parse_double(value + length + 1, 0, THEN_PAUSE_MAX_S,
					      &o->then_pause_s);
	return failed ? error_set(err,
				  _("%s '%s' is not a number of files from 1 to %u, such as 5 or "
				    "5,600 with a pause in seconds"),
				  row->name, value, THEN_FILES_MAX)
		      : 0;
}
