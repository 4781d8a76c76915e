/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/help.h"

#include <stdio.h>
#include <string.h>

#include "app/options.h"
#include "base/i18n.h"
#include "perf/event/pmu-metrics.h"
#include "perf/live/catalog.h"
#include "view/list/list.h"
#include "view/condition.h"
#include "view/kind.h"
#include "view/machine.h"
#include "view/widget/text.h"

#define TEXT_COLUMN 30 /* where the explanation of an option starts */
#define FIGURE_COLUMN 24

void help_add_blanks(struct buf *out, int used, int column)
{
	for (; used < column; used++)
		buf_add_char(out, ' ');
}

void help_add_wrapped(struct buf *out, const char *text, int indent)
{
	while (*text) {
		size_t length = text_wrap(text, HELP_WIDTH - indent);

		buf_add(out, text, length);
		text += length;
		text += strspn(text, " ");
		if (*text) {
			buf_add_char(out, '\n');
			help_add_blanks(out, 0, indent);
		}
	}
	buf_add_char(out, '\n');
}

/* "  -p, --pid LIST", "      --ascii", "  -g, --call-graph MODE" */
static void add_option(struct buf *out, const struct option_row *row)
{
	struct buf names = { 0 };
	int width;

	if (row->letter)
		buf_printf(&names, "  -%c, --%s", row->letter, row->name);
	else
		buf_printf(&names, "      --%s", row->name);
	if (row->argument)
		buf_printf(&names, row->optional ? " [%s]" : " %s", _(row->argument));
	width = text_width(names.bytes);
	buf_add(out, names.bytes, names.size);
	buf_fini(&names);
	if (width + 2 > TEXT_COLUMN) {
		buf_add_char(out, '\n');
		width = 0;
	}
	help_add_blanks(out, width, TEXT_COLUMN);
	help_add_wrapped(out, _(row->help), TEXT_COLUMN);
}

void help_options(struct buf *out)
{
	buf_add_str(out, _("Usage: ptop [OPTION...]\n"
			   "       ptop -p PID[,PID...] [OPTION...]\n"
			   "       ptop [OPTION...] -- COMMAND [ARG...]\n"
			   "       ptop -i FILE [OPTION...]\n"
			   "\n"
			   "Shows live which processes burn the machine, how well they use it, and "
			   "in which\nfunctions.\n"));
	for (int group = 0; group < OPTION_GROUPS; group++) {
		buf_printf(out, "\n%s:\n", _(option_group_titles[group]));
		for (const struct option_row *row = option_table; row->name; row++) {
			if (row->group == (enum option_group)group)
				add_option(out, row);
		}
	}
	buf_add_str(out,
		    _("\nA switch may be turned off again: --threads=no.  Exit status: 0 done, "
		      "1 ended by\nan error, 2 could not start; with a COMMAND its own.  "
		      "Manual: man ptop.\n"));
}

void help_version(struct buf *out)
{
	buf_add_str(out, PACKAGE_STRING "\n");
	buf_add_str(out, _("License GPLv3+: GNU GPL version 3 or later "
			   "<https://gnu.org/licenses/gpl.html>.\n"
			   "This is free software: you may change and redistribute it.\n"
			   "There is NO WARRANTY, to the extent permitted by law.\n"));
}

static void add_columns(struct buf *out, const struct column_table *table)
{
	buf_printf(out, "%s:\n", _(table->title));
	for (const struct column *c = table->columns; c->name; c++) {
		int used = 2 + text_width(c->name);

		buf_printf(out, "  %s", c->name);
		help_add_blanks(out, used, 14);
		if (c->unit && *c->unit)
			buf_printf(out, "%s%s", used >= 14 ? " " : "", _(c->unit));
		if (c->help && *c->help) {
			buf_add_char(out, '\n');
			help_add_blanks(out, 0, 14);
			help_add_wrapped(out, _(c->help), 14);
		} else {
			buf_add_char(out, '\n');
		}
	}
}

static void add_metric(struct buf *out, const struct metric *m)
{
	struct buf text = { 0 };

	buf_printf(&text, "%s: %s = %s", m->name, _(m->help), m->formula);
	if (m->hot && m->deeper)
		buf_printf(&text, _("; from %g on %s tells more"), m->hot, m->deeper);
	help_add_wrapped(out, text.bytes, 14);
	buf_fini(&text);
}

/* The metrics of a group, with the formulas that this machine has for them. */
static void add_metrics(struct buf *out, const struct metric_group *group)
{
	int used = 2 + text_width(group->name);

	buf_printf(out, "  %s", group->name);
	help_add_blanks(out, used, 14);
	help_add_wrapped(out, _(group->help), 14);
	help_add_blanks(out, 0, 14);
	if (!group->count)
		help_add_wrapped(out, _("this machine cannot count what it needs"), 14);
	for (size_t i = 0; i < group->count; i++) {
		if (i)
			help_add_blanks(out, 0, 14);
		add_metric(out, &group->items[i]);
	}
}

void help_columns(struct buf *out)
{
	const struct metric_group *group;
	struct metrics *metrics = metrics_new(NULL);

	for (int table = 0; column_table(table); table++) {
		if (table)
			buf_add_char(out, '\n');
		add_columns(out, column_table(table));
	}
	buf_printf(out, "\n%s:\n", _("Metrics, by group"));
	for (size_t i = 0; (group = metrics_group(metrics, i)); i++)
		add_metrics(out, group);
	metrics_free(metrics);
}

static void add_keys(struct buf *out, const struct column_table *table)
{
	struct buf names = { 0 };

	for (const struct column *c = table->columns; c->name; c++)
		buf_printf(&names, "%s%s", c == table->columns ? "" : " ", c->name);
	buf_printf(out, "%s:\n  ", _(table->title));
	help_add_wrapped(out, names.bytes, 2);
	buf_fini(&names);
}

void help_sort_keys(struct buf *out)
{
	for (int table = 0; column_table(table); table++)
		add_keys(out, column_table(table));
}

/* "  symbol.p99              milliseconds: us ms s min".  PREFIX tells columns of one name apart. */
static void add_figure(struct buf *out, const char *prefix, const struct column *c)
{
	struct buf units = { 0 };
	int used = 2 + text_width(prefix) + text_width(c->name);

	condition_units(c->unit, &units);
	buf_printf(out, "  %s%s", prefix, c->name);
	help_add_blanks(out, used, FIGURE_COLUMN);
	buf_printf(out, "%s%s%s%s\n", used < FIGURE_COLUMN ? "" : " ", _(c->unit),
		   units.size ? ": " : "", units.size ? units.bytes : "");
	buf_fini(&units);
}

static void add_figures(struct buf *out, const char *title, const char *prefix,
			const struct column *columns)
{
	buf_printf(out, "\n%s:\n", title);
	for (const struct column *c = columns; c->name; c++) {
		if (c->type == COLUMN_NUMBER)
			add_figure(out, prefix, c);
	}
}

void help_conditions(struct buf *out)
{
	buf_add_str(
		out,
		_("COLUMN[(EVENT)] [of NAME | pid NUMBER] >|>=|<|<= NUMBER[UNIT] [for TIME]\n"));
	help_add_wrapped(
		out,
		_("Conditions are joined by 'and' and 'or', of which 'and' binds stronger, and "
		  "by parentheses. A prefix like 'symbol.' may be left out where the name is "
		  "the only one. EVENT is one of --list-events, TIME has ms, s, min or h."),
		0);
	add_figures(out, _("The machine"), "", machine_columns);
	for (int table = 0; column_table(table); table++)
		add_figures(out, _(column_table(table)->title), column_table(table)->prefix,
			    column_table(table)->columns);
}

void help_views(struct buf *out)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		int used = 4 + text_width(k->name);

		buf_printf(out, "%c  %s", k->key ? k->key : ' ', k->name);
		help_add_blanks(out, used, 16);
		help_add_wrapped(out, _(k->help), 16);
	}
}

static void add_event(void *context, const struct catalog_event *e)
{
	struct buf *out = context;

	buf_printf(out, "%-32s %-10s %s", e->name, e->kind, e->error ? e->why : e->help);
	while (out->size && out->bytes[out->size - 1] == ' ')
		out->size--;
	buf_add_char(out, '\n');
}

size_t help_events(struct buf *out, const char *glob, struct error *err)
{
	const struct event_env machine = { 0 };

	return catalog_list(glob, &machine, add_event, out, err);
}
