/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_OPTION_VALUES_H
#define PTOP_APP_OPTION_VALUES_H

#include "app/options.h"

/*
 * The kinds of values that rows of option_table name: how a text becomes a field of struct options,
 * and back.  The setters are `set` of a row, the formatters are `format`, the checks are `check`.
 */
typedef int option_setter(struct options *o, const struct option_row *row, const char *value,
			  struct error *err);
option_setter value_set_switch, value_set_number, value_set_percent, value_set_seconds,
	value_set_text;
option_setter value_set_action, value_set_freq, value_set_period, value_set_event, value_set_filter,
	value_set_list_events, value_set_serve, value_set_push, value_set_attach, value_set_pages,
	value_set_output, value_set_record_size, value_set_size, value_set_bind, value_set_when,
	value_set_then, value_set_then_max, value_set_quiet;

typedef void option_formatter(struct buf *out, const struct options *o,
			      const struct option_row *row);
option_formatter value_format_switch, value_format_number, value_format_seconds, value_format_text,
	value_format_freq, value_format_size;

typedef int option_check(const struct options *o, const char *value, struct error *err);
option_check value_check_pids, value_check_tids, value_check_cpus, value_check_sort,
	value_check_columns, value_check_format, value_check_table, value_check_view,
	value_check_call_graph, value_check_unnamed, value_check_cpu_level, value_check_cpu_meter,
	value_check_meters, value_check_listen, value_check_serve_users, value_check_allow,
	value_check_push_label, value_check_push_format, value_check_engine, value_check_time,
	value_check_keys, value_check_theme, value_check_profile;

#endif
