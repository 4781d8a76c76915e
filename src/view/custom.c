/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/custom.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/list/cpu-rows.h"
#include "view/list/group-rows.h"
#include "view/list/column-table.h"
#include "view/widget/number.h"

#define NUMBER_WIDTH 8 /* of number_any() */
#define INPUT_LIMIT EXPRESSION_STEPS

struct formula {
	struct expression *expression;
	int *events; /* for each input: index; -1: none; variable_code() */
	char *name, *title;
	char *text;                  /* the expression as a person wrote it */
	const struct metric *metric; /* whose it is; NULL: a person's own */
};

struct custom {
	const struct expression_names *names;
	struct column *tables[CHOICE_TABLES]; /* with room for CUSTOM_LIMIT more */
	size_t counts[CHOICE_TABLES];
	struct formula *formulas[CUSTOM_LIMIT];
	size_t count;
};

/* Variables. */

static double interval_value(const struct column_row *r)
{
	return !r->symbol && r->snapshot->interval_s > 0 ? r->snapshot->interval_s : NAN;
}

static double cpu_time_value(const struct column_row *r)
{
	if (r->cpu)
		return r->cpu->online * r->cpu->busy_percent / 100 * interval_value(r);
	if (r->group)
		return r->group->cpu_percent / 100 * interval_value(r);
	return r->process ? r->process->cpu_percent / 100 * interval_value(r) : NAN;
}

static double samples_value(const struct column_row *r)
{
	if (r->cpu)
		return r->cpu->samples;
	if (r->group)
		return r->branch->shown;
	return r->process ? r->samples : r->symbol->samples;
}

static double memory_rate_value(const struct column_row *r)
{
	return r->cpu ? r->cpu->facts.memory_rate : NAN;
}

static double local_rate_value(const struct column_row *r)
{
	return r->cpu ? r->cpu->facts.local_rate : NAN;
}

static double held_bytes_value(const struct column_row *r)
{
	return r->cpu ? r->cpu->facts.held_bytes : NAN;
}

static const struct variable {
	const char *name;
	double (*value)(const struct column_row *r);
	unsigned extras; /* that it needs */
} variables[] = {
	{ "interval", interval_value, 0 },
	{ "cpu_time", cpu_time_value, 0 },
	{ "samples", samples_value, 0 },
	{ "mbm_total_bytes", memory_rate_value, EXTRA_CACHES },
	{ "mbm_local_bytes", local_rate_value, EXTRA_CACHES },
	{ "llc_occupancy", held_bytes_value, EXTRA_CACHES },
};

#define VARIABLES (sizeof(variables) / sizeof(*variables))

/* Codes a variable as the index of no event. */
static int variable_code(size_t variable)
{
	return -2 - (int)variable;
}

static const struct variable *variable_of(int code)
{
	return code <= -2 ? &variables[-2 - code] : NULL;
}

static int variable_find(const char *name)
{
	for (size_t i = 0; i < VARIABLES; i++) {
		if (!strcmp(variables[i].name, name))
			return variable_code(i);
	}
	return -1;
}

/* Names: variables, and the events of custom_new(). */

static bool name_find(void *context, const char *name, struct buf *canonical)
{
	const struct custom *c = context;

	if (variable_find(name) == -1 && c->names)
		return c->names->find(c->names->context, name, canonical);
	buf_add_str(canonical, name);
	return true;
}

static void names_suggest(void *context, struct nearest *nearest)
{
	const struct custom *c = context;

	for (size_t i = 0; i < VARIABLES; i++)
		nearest_try(nearest, variables[i].name);
	if (c->names && c->names->suggest)
		c->names->suggest(c->names->context, nearest);
}

/* Tables. */

static void table_copy(struct custom *c, int table, const struct column *from)
{
	size_t count = 0;

	while (from[count].name)
		count++;
	c->tables[table] = mem_array(count + CUSTOM_LIMIT + 1, sizeof(*from));
	memcpy(c->tables[table], from, count * sizeof(*from));
	c->counts[table] = count;
}

struct custom *custom_new(const struct expression_names *names)
{
	struct custom *c = mem_alloc(sizeof(*c));

	c->names = names;
	for (int table = 0; column_table(table); table++)
		table_copy(c, table, column_table(table)->columns);
	return c;
}

static void formula_free(struct formula *f)
{
	expression_free(f->expression);
	mem_free(f->events, f->name, f->text, f->title, f);
}

void custom_free(struct custom *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		formula_free(c->formulas[i]);
	for (int table = 0; column_table(table); table++)
		free(c->tables[table]);
	free(c);
}

const struct column *custom_table(const struct custom *c, int table)
{
	return c->tables[table];
}

/* Definition. */

static bool is_word(struct custom_text name)
{
	for (size_t i = 0; i < name.size; i++) {
		char ch = name.at[i];
		bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
		bool inside = (ch >= '0' && ch <= '9') || ch == '%' || ch == '/' || ch == '-';

		if (!letter && !(i && inside))
			return false;
	}
	return name.size > 0 && name.size <= CUSTOM_NAME_SIZE;
}

static int check_name(const struct custom *c, struct custom_text text, const char *name,
		      struct error *err)
{
	if (!is_word(text))
		return error_set(err,
				 _("'%.*s' cannot name a column: write a letter, then letters, "
				   "digits, %%, / or -, at most %d"),
				 (int)(text.size < 40 ? text.size : 40), text.at, CUSTOM_NAME_SIZE);
	for (int table = 0; column_table(table); table++) {
		if (column_table(table)->extended && column_find(c->tables[table], name))
			return error_set(err,
					 _("there is a column '%s' already: choose another "
					   "name"),
					 name);
	}
	if (c->count == CUSTOM_LIMIT)
		return error_set(err, _("column '%s' is one too many: at most %d can be defined"),
				 name, CUSTOM_LIMIT);
	return 0;
}

static char *with_case(const char *name, int (*convert)(int c))
{
	char *text = mem_strdup(name);

	for (char *c = text; *c; c++)
		*c = (char)convert((unsigned char)*c);
	return text;
}

/* How a column of each form is shown. */
static const struct form {
	const char *unit;
	void (*format)(char out[32], double number);
	int width;
	bool share;
	double resolution;
} own_form = { N_("number"), number_any, NUMBER_WIDTH, false, 0 }, metric_forms[METRIC_FORMS] = {
	[METRIC_PERCENT] = { N_("percent of slots"), number_percent, 5, true, 0.1 },
	[METRIC_WATTS] = { N_("watts"), number_percent, 5, false, 0.1 },
	[METRIC_BYTES] = { N_("bytes per second"), number_bytes, 5, false, 0 },
	[METRIC_SIZE] = { N_("bytes"), number_bytes, 5, false, 0 },
};

static void table_add(struct custom *c, int table, const struct formula *f)
{
	const struct form *form = f->metric ? &metric_forms[f->metric->form] : &own_form;
	int width = (int)strlen(f->title);
	unsigned extras = 0;

	for (size_t i = 0; i < expression_inputs(f->expression); i++)
		extras |= variable_of(f->events[i]) ? variable_of(f->events[i])->extras : 0;
	c->tables[table][c->counts[table]++] = (struct column){
		.name = f->name,
		.title = f->title,
		.unit = form->unit,
		.help = f->metric ? f->metric->help : N_("an expression of --columns"),
		.width = width > form->width ? width : form->width,
		.priority = 2,
		.align = ALIGN_RIGHT,
		.type = COLUMN_NUMBER,
		.descending = true,
		.share = form->share,
		.resolution = form->resolution,
		.hot = f->metric ? f->metric->hot : 0,
		.formula = f,
		.extras = extras,
		.evaluate = formula_number,
		.format = form->format,
	};
}

/* FORMULA is complete but for its names. */
static void formula_add(struct custom *c, struct formula *f, const char *name)
{
	size_t inputs = expression_inputs(f->expression);

	f->name = with_case(name, tolower);
	f->title = with_case(name, toupper);
	f->events = mem_array(inputs, sizeof(*f->events));
	for (size_t i = 0; i < inputs; i++)
		f->events[i] = variable_find(expression_input(f->expression, i));
	c->formulas[c->count++] = f;
	for (int table = 0; column_table(table); table++) {
		if (column_table(table)->extended)
			table_add(c, table, f);
	}
}

/* The same words again, as when all columns are chosen anew. */
static bool is_defined_so(const struct custom *c, struct custom_text name,
			  struct custom_text expression)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct formula *f = c->formulas[i];

		if (strlen(f->name) == name.size && !strncasecmp(f->name, name.at, name.size) &&
		    strlen(f->text) == expression.size &&
		    !strncmp(f->text, expression.at, expression.size))
			return true;
	}
	return false;
}

/* The formula of METRIC, or of a person's (NULL). */
static int define(struct custom *c, struct custom_text name, struct custom_text expression,
		  const struct metric *metric, struct error *err)
{
	const struct expression_names names = { name_find, names_suggest, c, NULL };
	char *text = mem_strndup(name.at, name.size);
	struct expression *e = NULL;

	if (!check_name(c, name, text, err))
		e = expression_parse(expression.at, expression.size, &names, err);
	if (e) {
		struct formula *f = mem_alloc(sizeof(*f));

		f->expression = e;
		f->text = mem_strndup(expression.at, expression.size);
		f->metric = metric;
		formula_add(c, f, text);
	}
	free(text);
	return e ? 0 : -1;
}

int custom_define(struct custom *c, struct custom_text name, struct custom_text expression,
		  struct error *err)
{
	return is_defined_so(c, name, expression) ? 0 : define(c, name, expression, NULL, err);
}

bool custom_find_metrics(const struct custom *c, const char *name, struct custom_metrics *found)
{
	const struct metric_group *group;

	for (size_t i = 0; c->names && c->names->metrics; i++) {
		group = c->names->metrics(c->names->context, i);
		if (!group)
			break;
		if (!strcasecmp(group->name, name)) {
			*found = (struct custom_metrics){ group, 0, group->count };
			return true;
		}
		for (size_t m = 0; m < group->count; m++) {
			if (strcasecmp(group->items[m].name, name))
				continue;
			*found = (struct custom_metrics){ group, m, m + 1 };
			return true;
		}
	}
	return false;
}

bool custom_is_metric(const struct column *column)
{
	return column->formula && column->formula->metric;
}

int custom_define_metric(struct custom *c, const struct metric *m, struct error *err)
{
	const struct custom_text name = { m->name, strlen(m->name) };
	const struct custom_text formula = { m->formula, strlen(m->formula) };

	for (size_t i = 0; i < c->count; i++) {
		if (c->formulas[i]->metric == m)
			return 0;
	}
	return define(c, name, formula, m, err);
}

void custom_format(const struct custom *c, struct buf *out)
{
	for (size_t i = 0; i < c->count; i++) {
		if (!c->formulas[i]->metric)
			buf_printf(out, "%s%s=%s", out->size ? "," : "", c->formulas[i]->name,
				   c->formulas[i]->text);
	}
}

/* Values. */

/* NAME itself, or NAME with modifiers. */
static bool is_called(const char *event, const char *name)
{
	size_t size = strlen(name);

	return !strncmp(event, name, size) && (!event[size] || event[size] == ':');
}

/*
 * The index of the event that a person named: the one shown as NAME, otherwise the first one that
 * is NAME; -1: none.
 */
static int event_find(const struct snapshot *s, const char *name)
{
	int found = -1;

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (!strcmp(e->name, name))
			return (int)i;
		if (found < 0 && (is_called(e->canonical, name) || is_called(e->name, name)))
			found = (int)i;
	}
	return found;
}

void custom_link(struct custom *c, const struct snapshot *s)
{
	for (size_t i = 0; i < c->count; i++) {
		struct formula *f = c->formulas[i];

		for (size_t j = 0; j < expression_inputs(f->expression); j++) {
			if (!variable_of(f->events[j]))
				f->events[j] = event_find(s, expression_input(f->expression, j));
		}
	}
}

static void counter_values(const struct formula *f, const struct column_row *row, double *values)
{
	const double *counters = columns_counters(row);

	for (size_t i = 0; i < expression_inputs(f->expression); i++) {
		int event = f->events[i];

		values[i] = counters && event >= 0 && (size_t)event < row->snapshot->event_count
				    ? counters[event]
				    : NAN;
	}
}

/* Variables are no events: they do not decide if all events are sampled. */
static void symbol_values(const struct formula *f, const struct column_row *row, double *values)
{
	int events[INPUT_LIMIT];
	size_t places[INPUT_LIMIT], count = 0;
	double found[INPUT_LIMIT];

	for (size_t i = 0; i < expression_inputs(f->expression); i++) {
		if (variable_of(f->events[i]))
			continue;
		places[count] = i;
		events[count++] = f->events[i];
	}
	column_symbol_values(row->symbol, events, count, found);
	for (size_t i = 0; i < count; i++)
		values[places[i]] = found[i];
}

double formula_number(const struct column *c, const struct column_row *row)
{
	const struct formula *f = c->formula;
	double values[INPUT_LIMIT], value;

	if (row->symbol)
		symbol_values(f, row, values);
	else
		counter_values(f, row, values);
	for (size_t i = 0; i < expression_inputs(f->expression); i++) {
		const struct variable *variable = variable_of(f->events[i]);

		if (variable)
			values[i] = variable->value(row);
	}
	value = expression_value(f->expression, values);
	return f->metric && value < 0 ? 0 : value;
}

static const char *formula_event(const struct formula *f, size_t *skip)
{
	for (size_t i = 0; i < expression_inputs(f->expression); i++) {
		if (!variable_of(f->events[i]) && !(*skip)--)
			return expression_input(f->expression, i);
	}
	return NULL;
}

const char *custom_event(const struct custom *c, size_t i)
{
	const char *name = NULL;

	for (size_t f = 0; f < c->count && !name; f++)
		name = formula_event(c->formulas[f], &i);
	return name;
}
