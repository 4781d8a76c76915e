/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/column.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/i18n.h"
#include "view/custom.h"

const struct column_table column_tables[CHOICE_TABLES] = {
	/* A recording knows no CPU time, and the first refresh of a live machine no difference of it. */
	[CHOICE_PROCESSES] = { "processes", "process.", N_("Columns of processes"),
			       process_columns, "%cpu samples% time+", true },
	[CHOICE_SYMBOLS] = { "symbols", "symbol.", N_("Columns of symbols"), symbol_columns,
			     "overhead%", true },
	[CHOICE_EVENTS] = { "events", "event.", N_("Columns of events"), event_columns, "", false },
	[CHOICE_OBJECTS] = { "objects", "object.", N_("Columns of objects"), object_columns,
			     "overhead%", false },
	[CHOICE_MAPPINGS] = { "mappings", "mapping.", N_("Columns of mappings"), mapping_columns,
			      "faults/s rss", false },
	[CHOICE_CALLS] = { "calls", "call.", N_("Columns of call trees"), call_columns, "total%",
			   false },
	[CHOICE_CODE] = { "instructions", "code.", N_("Columns of instructions"), code_columns,
			  "", false },
};

/* Whether two names are the same but for case and for '%' and '+'. */
static bool alike(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "%+");
		b += strspn(b, "%+");
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

const struct column *column_find(const struct column *table, const char *name)
{
	for (const struct column *c = table; c->name; c++) {
		if (!strcasecmp(c->name, name))
			return c;
	}
	for (const struct column *c = table; c->name; c++) {
		if (alike(c->name, name))
			return c;
	}
	return NULL;
}

double column_number(const struct column *c, const struct column_row *row)
{
	return c->formula ? formula_number(c->formula, row) : c->number(row);
}

static double value_at(const double *values, int event)
{
	return values && event >= 0 ? values[event] : NAN;
}

void column_symbol_values(const struct symbol_row *s, const int *events, size_t count,
			  double *values)
{
	bool sampled = true;

	for (size_t i = 0; i < count; i++)
		sampled &= !isnan(value_at(s->sampled, events[i]));
	for (size_t i = 0; i < count; i++)
		values[i] = value_at(sampled ? s->sampled : s->credited, events[i]);
}

void column_format(const struct column *c, const struct column_row *row, char out[32])
{
	double number = column_number(c, row);

	if (isnan(number))
		strcpy(out, "-");
	else
		c->format(out, number);
}

enum grid_style column_frame_style(const struct column_place *at, const struct frame_table *frames,
				   uint32_t frame)
{
	uint8_t flags = frame_flags(frames, frame);

	if (at->style)
		return at->style;
	if (flags & (FRAME_UNKNOWN | FRAME_PENDING | FRAME_OTHERS))
		return STYLE_DIM;
	return flags & FRAME_KERNEL ? STYLE_KERNEL : STYLE_NORMAL;
}

uint32_t column_counted(const struct snapshot *s)
{
	uint32_t bits = 0;

	for (int id = 0; id < EVENT_IDS; id++) {
		int event = s->counter_event[id];

		if (event >= 0 && (size_t)event < s->event_count && s->events[event].enabled &&
		    !s->events[event].error)
			bits |= 1u << id;
	}
	return bits;
}
