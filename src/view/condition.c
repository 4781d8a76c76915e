/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/condition.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/i18n.h"
#include "base/nearest.h"
#include "profile/snapshot.h"
#include "view/kind.h"
#include "view/list/list.h"
#include "view/machine.h"

#define COMPARISONS_MAX 16
#define DEPTH_MAX 16
#define MEMORY_PIDS 64
#define NUMBER_MAX 1e18
#define PID_MAX 4194304.0 /* PID_MAX_LIMIT of the kernel, 64 bits */

struct sign {
	const char *text;
	bool above, equal;
};

struct comparison {
	const char *at;    /* its first byte in the condition */
	char *column_name; /* as written */
	char *event;       /* or NULL */
	char *name;        /* or NULL */
	uint32_t pid;      /* 0: any */
	const struct sign *sign;
	double limit;  /* in the column's unit */
	double for_s;  /* 0: at once */
	double true_s; /* it has been true for so long */
	struct view *view;
	const struct list_kind *list; /* NULL: the machine */
	const struct column *column;  /* of the view */
	const struct column *naming;  /* its text is the row's name; NULL: there is none */
	uint32_t pids[MEMORY_PIDS];   /* of the rows that were looked at */
	size_t pid_count;
	enum condition_state state; /* of the last look, and what decided then */
	struct condition_row row;
};

/* A condition is evaluated with a stack: a comparison is pushed, `and` and `or` take two and push one. */
enum step { STEP_COMPARE, STEP_AND, STEP_OR };

struct condition {
	char *text;
	struct comparison *items; /* COMPARISONS_MAX */
	size_t count;
	enum step steps[2 * COMPARISONS_MAX];
	size_t step_count;
};

struct parser {
	const char *at;
	int depth; /* open parentheses */
	struct condition *condition;
	struct comparison *c; /* that is read */
	const struct view_options *options;
	struct error *err;
};

/* The longer sign first. */
static const struct sign signs[] = {
	{ ">=", true, true }, { "<=", false, true }, { ">", true, false }, { "<", false, false }
};

/* Numbers are in the unit of their column, which begins so; the last rows are for units without rows of their own. */
static const struct suffix {
	const char *text, *of;
	double factor;
} suffixes[] = {
	{ "%", "percent", 1 },
	{ "K", "bytes", 1024 },
	{ "M", "bytes", 1024 * 1024 },
	{ "G", "bytes", 1024 * 1024 * 1024 },
	{ "T", "bytes", 1024.0 * 1024 * 1024 * 1024 },
	{ "us", "milliseconds", 1e-3 },
	{ "ms", "milliseconds", 1 },
	{ "s", "milliseconds", 1e3 },
	{ "min", "milliseconds", 6e4 },
	{ "us", "seconds", 1e-6 },
	{ "ms", "seconds", 1e-3 },
	{ "s", "seconds", 1 },
	{ "min", "seconds", 60 },
	{ "h", "seconds", 3600 },
	{ "K", "", 1e3 },
	{ "M", "", 1e6 },
	{ "G", "", 1e9 },
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static int fail(const struct parser *p, const char *what)
{
	const char *text = p->condition->text;

	if (!*p->at)
		return error_set(p->err, _("condition '%s', at its end: %s"), text, what);
	return error_set(p->err, _("condition '%s', column %zu: %s"), text,
			 (size_t)(p->at - text) + 1, what);
}

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

/* Takes the bytes up to one of ENDS.  NULL: there are none. */
static char *word_take(struct parser *p, const char *ends)
{
	size_t size = strcspn(p->at, ends);
	char *word = size ? mem_strndup(p->at, size) : NULL;

	p->at += size;
	return word;
}

/* Returns true if WORD comes next, and takes it.  The end of the text ends a word, too. */
static bool keyword_take(struct parser *p, const char *word)
{
	size_t size = strlen(word);

	skip_blanks(p);
	if (strncmp(p->at, word, size) || !strchr(" \t\"(", p->at[size]))
		return false;
	p->at += size;
	skip_blanks(p);
	return true;
}

static int parse_column(struct parser *p)
{
	skip_blanks(p);
	p->c->column_name = word_take(p, " \t()<>=\"");
	if (!p->c->column_name)
		return fail(p, _("the name of a column belongs here; --when help lists them"));
	if (*p->at != '(')
		return 0;
	p->at++;
	p->c->event = word_take(p, ")");
	if (!p->c->event || *p->at != ')')
		return fail(p, _("the name of an event and ')' belong here"));
	p->at++;
	return 0;
}

static int parse_name(struct parser *p)
{
	if (*p->at != '"') {
		p->c->name = word_take(p, " \t<>=");
	} else {
		p->at++;
		p->c->name = word_take(p, "\"");
		if (*p->at != '"')
			return fail(p, _("the quote is not closed"));
		p->at++;
	}
	return p->c->name ? 0 : fail(p, _("the name of a row belongs here"));
}

/* Takes a number, and in *SUFFIX what follows it without a blank; owned by the caller, or NULL. */
static int number_take(struct parser *p, double max, double *number, char **suffix)
{
	char *digits;
	int failed;

	*suffix = NULL;
	skip_blanks(p);
	digits = mem_strndup(p->at, strspn(p->at, "0123456789."));
	failed = decimal_parse_double(digits, 0, max, number);
	if (!failed) {
		p->at += strlen(digits);
		*suffix = word_take(p, " \t)");
	}
	free(digits);
	return failed ? fail(p, _("a number belongs here")) : 0;
}

static int parse_pid(struct parser *p)
{
	double pid;
	char *suffix;
	int failed = number_take(p, PID_MAX, &pid, &suffix);

	if (!failed && (suffix || pid < 1 || pid != floor(pid)))
		failed = fail(p, _("this is no pid"));
	free(suffix);
	if (!failed)
		p->c->pid = (uint32_t)pid;
	return failed;
}

static int parse_rows(struct parser *p)
{
	if (keyword_take(p, "of") && parse_name(p))
		return -1;
	return keyword_take(p, "pid") ? parse_pid(p) : 0;
}

static int parse_sign(struct parser *p)
{
	skip_blanks(p);
	for (size_t i = 0; i < COUNT(signs); i++) {
		size_t size = strlen(signs[i].text);

		if (strncmp(p->at, signs[i].text, size))
			continue;
		p->c->sign = &signs[i];
		p->at += size;
		return 0;
	}
	return fail(p, _("'of NAME', 'pid N' or one of >, >=, < and <= belongs here"));
}

/* The next row of suffixes[] from *I on that is for UNIT, or NULL.  Rows of its own come before those of the rest. */
static const struct suffix *suffix_next(const char *unit, size_t *i, bool *own)
{
	for (; *i < COUNT(suffixes); ++*i) {
		const struct suffix *s = &suffixes[*i];

		if (strncmp(unit, s->of, strlen(s->of)) || (*own && !*s->of))
			continue;
		*own |= *s->of != '\0';
		++*i;
		return s;
	}
	return NULL;
}

/* Multiplies *NUMBER by what SUFFIX says about a number in UNIT.  Returns false if it says nothing. */
static bool suffix_apply(const char *suffix, const char *unit, double *number)
{
	const struct suffix *s;
	bool own = false;
	size_t i = 0;

	if (!suffix)
		return true;
	while ((s = suffix_next(unit, &i, &own))) {
		if (!strcasecmp(s->text, suffix)) {
			*number *= s->factor;
			return true;
		}
	}
	return false;
}

void condition_units(const char *unit, struct buf *out)
{
	const struct suffix *s;
	bool own = false;

	for (size_t i = 0; (s = suffix_next(unit, &i, &own));)
		buf_printf(out, "%s%s", out->size ? " " : "", s->text);
}

static int parse_limit(struct parser *p)
{
	const char *unit = p->c->column->unit;
	char *suffix, *text;
	int failed = number_take(p, NUMBER_MAX, &p->c->limit, &suffix);

	if (!failed && !suffix_apply(suffix, unit, &p->c->limit)) {
		text = mem_printf(_("'%s' does not fit: the column's unit is %s"), suffix, _(unit));
		failed = fail(p, text);
		free(text);
	}
	free(suffix);
	return failed;
}

static int parse_duration(struct parser *p)
{
	char *suffix;
	int failed;

	if (!keyword_take(p, "for"))
		return 0;
	failed = number_take(p, NUMBER_MAX, &p->c->for_s, &suffix);
	if (!failed && (!suffix || !suffix_apply(suffix, "seconds", &p->c->for_s)))
		failed = fail(p, _("a time needs a unit: ms, s, min or h"));
	free(suffix);
	return failed;
}

/* Finds the column NAME in the table of LIST.  An exact name wins over one without its '%'. */
static void column_try(struct comparison *c, const struct list_kind *list, const char *name)
{
	const struct column *found = column_find(view_column_table(c->view, list), name);

	if (!found || (c->column && strcasecmp(found->name, name)))
		return;
	if (c->column && !strcasecmp(c->column->name, name))
		return;
	c->column = found;
	c->list = list;
}

static void column_look(struct comparison *c)
{
	const char *name = c->column_name;

	c->list = NULL;
	c->column = column_find(machine_columns, name);
	for (size_t i = 0; !c->column && list_kinds[i]; i++) {
		const char *prefix = list_kinds[i]->table->prefix;

		if (!strncasecmp(name, prefix, strlen(prefix)))
			column_try(c, list_kinds[i], name + strlen(prefix));
	}
	for (size_t i = 0; (!c->column || c->list) && list_kinds[i]; i++)
		column_try(c, list_kinds[i], name);
}

static void suggest(const struct comparison *c, struct nearest *n)
{
	for (const struct column *m = machine_columns; m->name; m++)
		nearest_try(n, m->name);
	for (size_t i = 0; list_kinds[i]; i++) {
		for (const struct column *t = view_column_table(c->view, list_kinds[i]); t->name;
		     t++)
			nearest_try(n, t->name);
	}
}

static int unknown_column(struct parser *p)
{
	struct buf text = { 0 };
	struct nearest n;

	p->at = p->c->at;
	nearest_init(&n, p->c->column_name, strlen(p->c->column_name));
	suggest(p->c, &n);
	buf_printf(&text, _("there is no column '%s'"), p->c->column_name);
	if (*n.best)
		buf_printf(&text, _(", did you mean '%s'? "), n.best);
	else
		buf_add_str(&text, "; ");
	buf_add_str(&text, _("--when help lists all"));
	fail(p, text.bytes);
	buf_fini(&text);
	return -1;
}

static const struct view_kind *kind_of(const struct list_kind *list)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		for (size_t i = 0; i < k->pane_count; i++) {
			if (k->panes[i]->table == list->table)
				return k;
		}
	}
	return NULL;
}

static const struct list_kind *pane_of(const struct view_kind *kind,
				       const struct column_table *table)
{
	size_t i = 0;

	while (kind->panes[i]->table != table)
		i++;
	return kind->panes[i];
}

/* The text column that no short line leaves out. */
static const struct column *naming_column(const struct column *table)
{
	for (const struct column *c = table; c->name; c++) {
		if (c->type == COLUMN_TEXT && !c->priority && c->shown)
			return c;
	}
	return NULL;
}

/* The rows that decide come first in what the view writes. */
static int open_view(struct parser *p)
{
	struct view_options options = *p->options;
	struct comparison *c = p->c;
	const struct column_table *table = c->list->table;
	const struct view_kind *kind = kind_of(c->list);
	struct view *names = c->view; /* has the column until it is found again */
	char *sort =
		mem_printf("%c%s%s", c->sign->above ? '-' : '+', table->prefix, c->column->name);

	options.view = kind->name;
	options.sort = sort;
	c->view = view_new(&options, p->err);
	free(sort);
	if (c->view) {
		c->list = pane_of(kind, table);
		c->column = column_find(view_column_table(c->view, c->list), c->column->name);
	}
	view_free(names);
	if (!c->view)
		return -1;
	c->naming = naming_column(view_column_table(c->view, c->list));
	return 0;
}

static int find_column(struct parser *p)
{
	struct comparison *c = p->c;

	c->view = view_new(p->options, p->err);
	if (!c->view)
		return -1;
	column_look(c);
	if (!c->column)
		return unknown_column(p);
	if (c->column->type != COLUMN_NUMBER)
		return fail(p, _("the column is no number"));
	if (c->pid && !(c->list && c->list->table->tasks))
		return fail(p, _("only rows of processes have a pid"));
	if (c->name && !c->list)
		return fail(p, _("the machine has no rows"));
	return c->list ? open_view(p) : 0;
}

static int parse_comparison(struct parser *p)
{
	struct condition *c = p->condition;

	if (c->count == COMPARISONS_MAX)
		return fail(p, _("there are too many comparisons"));
	skip_blanks(p);
	p->c = &c->items[c->count++];
	p->c->at = p->at;
	c->steps[c->step_count++] = STEP_COMPARE;
	return parse_column(p) || parse_rows(p) || parse_sign(p) || find_column(p) ||
			       parse_limit(p) || parse_duration(p)
		       ? -1
		       : 0;
}

static int parse_or(struct parser *p);

static int parse_operand(struct parser *p)
{
	skip_blanks(p);
	if (*p->at != '(')
		return parse_comparison(p);
	if (p->depth == DEPTH_MAX)
		return fail(p, _("there are too many parentheses"));
	p->at++;
	p->depth++;
	if (parse_or(p))
		return -1;
	skip_blanks(p);
	if (*p->at != ')')
		return fail(p, _("'for TIME', 'and', 'or' or ')' belongs here"));
	p->at++;
	p->depth--;
	return 0;
}

/* Operands with WORD between them; each is read by PARSE. */
static int parse_chain(struct parser *p, const char *word, enum step step,
		       int (*parse)(struct parser *p))
{
	struct condition *c = p->condition;

	if (parse(p))
		return -1;
	while (keyword_take(p, word)) {
		if (parse(p))
			return -1;
		c->steps[c->step_count++] = step;
	}
	return 0;
}

static int parse_and(struct parser *p)
{
	return parse_chain(p, "and", STEP_AND, parse_operand);
}

static int parse_or(struct parser *p)
{
	return parse_chain(p, "or", STEP_OR, parse_and);
}

static int parse(struct parser *p)
{
	if (parse_or(p))
		return -1;
	skip_blanks(p);
	return *p->at ? fail(p, _("'for TIME', 'and', 'or' or nothing belongs here")) : 0;
}

struct condition *condition_new(const char *text, const struct view_options *options,
				struct error *err)
{
	struct condition *c = mem_alloc(sizeof(*c));
	struct view_options own = *options;
	struct parser p = { .condition = c, .options = &own, .err = err };

	own.batch = true;
	own.each_ended = true;
	own.limit_processes = own.limit_symbols = own.limit_code = 0;
	c->text = mem_strdup(text);
	c->items = mem_array(COMPARISONS_MAX, sizeof(*c->items));
	p.at = c->text;
	if (!parse(&p))
		return c;
	condition_free(c);
	return NULL;
}

static void comparison_fini(struct comparison *c)
{
	view_free(c->view);
	free(c->column_name);
	free(c->event);
	free(c->name);
}

void condition_free(struct condition *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		comparison_fini(&c->items[i]);
	free(c->items);
	free(c->text);
	free(c);
}

size_t condition_count(const struct condition *c)
{
	return c->count;
}

const char *condition_event(const struct condition *c, size_t i)
{
	return c->items[i].event;
}

const struct view *condition_view(const struct condition *c, size_t i)
{
	return c->items[i].view;
}

static size_t memory_pids(const struct comparison *c, uint32_t *pids, size_t max)
{
	size_t count = c->pid_count < max ? c->pid_count : max;

	if (!(c->column->extras & EXTRA_MEMORY))
		return 0;
	memcpy(pids, c->pids, count * sizeof(*pids));
	return count;
}

size_t condition_memory_pids(const struct condition *c, uint32_t *pids, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += memory_pids(&c->items[i], pids + count, max - count);
	return count;
}

static const char *name_of(const struct comparison *c, const struct column_row *row)
{
	return c->naming ? column_text(c->naming, row) : NULL;
}

static bool is_chosen(const struct comparison *c, const struct column_row *row)
{
	const char *name = c->name ? name_of(c, row) : NULL;

	if (c->pid && row->process->pid != c->pid)
		return false;
	if (!c->name)
		return true;
	return name && (!strcmp(c->name, name) || !fnmatch(c->name, name, 0));
}

/* FOUND becomes ROW if its number is further on the side that is asked for. */
static void consider(const struct comparison *c, const struct column_row *row,
		     struct condition_row *found)
{
	double number = column_number(c->column, row);
	bool further = c->sign->above ? number > found->number : number < found->number;

	if (isnan(number) || !(isnan(found->number) || further))
		return;
	found->number = number;
	found->name = name_of(c, row);
	found->pid = row->process ? row->process->pid : 0;
}

/* The rows become those of the event, if there is one.  Returns false if that has no samples. */
static bool show_event(const struct comparison *c)
{
	const struct snapshot *s = view_snapshot(c->view);
	size_t i = 0;

	if (!c->event)
		return true;
	while (i < s->event_count && strcmp(s->events[i].name, c->event) &&
	       strcmp(s->events[i].canonical, c->event))
		i++;
	if (i == s->event_count)
		return false;
	view_set_event(c->view, (int)i);
	return view_event(c->view) == (int)i;
}

static void look_at_rows(struct comparison *c, struct condition_row *found)
{
	size_t count = view_list_count(c->view, c->list);

	c->pid_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct column_row row = view_list_row(c->view, c->list, i);

		row.full_command = false;
		if (!is_chosen(c, &row))
			continue;
		if (row.process && !row.process->exited && c->pid_count < MEMORY_PIDS)
			c->pids[c->pid_count++] = row.process->pid;
		consider(c, &row, found);
	}
}

static bool is_true(const struct comparison *c, double number)
{
	if (isnan(number))
		return false;
	if (number == c->limit)
		return c->sign->equal;
	return c->sign->above == (number > c->limit);
}

/* Sets the state and the row of C. */
static void look(struct comparison *c)
{
	const struct snapshot *s = view_snapshot(c->view);
	const struct column_row machine = { .snapshot = s };

	c->row = (struct condition_row){ .number = NAN, .view = c->view };
	if (!c->list)
		consider(c, &machine, &c->row);
	else if (show_event(c))
		look_at_rows(c, &c->row);
	if (isnan(c->row.number))
		snprintf(c->row.text, sizeof(c->row.text), "-");
	else
		c->column->format(c->row.text, c->row.number);
	c->state = CONDITION_FALSE;
	if (!is_true(c, c->row.number)) {
		c->true_s = 0;
		return;
	}
	c->true_s += s->interval_s;
	c->state = c->true_s + s->interval_s / 2 >= c->for_s ? CONDITION_TRUE : CONDITION_NOT_YET;
}

/*
 * The comparison that decides.  `and` is the less true of two, `or` the truer one, by the order of enum
 * condition_state; the left one if they are equal.
 */
static const struct comparison *decide(const struct condition *c)
{
	const struct comparison *stack[COMPARISONS_MAX], *next = c->items;
	size_t depth = 0;

	for (size_t i = 0; i < c->step_count; i++) {
		const struct comparison **left, *right;

		if (c->steps[i] == STEP_COMPARE) {
			stack[depth++] = next++;
			continue;
		}
		right = stack[--depth];
		left = &stack[depth - 1];
		if (c->steps[i] == STEP_AND ? right->state < (*left)->state
					    : right->state > (*left)->state)
			*left = right;
	}
	return stack[0];
}

enum condition_state condition_look(struct condition *c, struct snapshot *s,
				    struct condition_row *row)
{
	const struct comparison *decisive;

	for (size_t i = 0; i < c->count; i++) {
		view_set_snapshot(c->items[i].view, s);
		look(&c->items[i]);
	}
	decisive = decide(c);
	*row = decisive->row;
	return decisive->state;
}

void condition_forget(struct condition *c)
{
	for (size_t i = 0; i < c->count; i++)
		view_take_snapshot(c->items[i].view);
}

static void describe_row(const struct condition_row *row, struct buf *out)
{
	buf_add_str(out, row->text);
	if (row->name && row->pid)
		buf_printf(out, _(" (%s, pid %u)"), row->name, row->pid);
	else if (row->name)
		buf_printf(out, " (%s)", row->name);
}

void condition_describe(const struct condition *c, struct buf *out)
{
	buf_printf(out, "%s: ", c->text);
	if (c->count == 1) {
		describe_row(&c->items->row, out);
		return;
	}
	for (size_t i = 0; i < c->count; i++) {
		const struct comparison *item = &c->items[i];

		buf_printf(out, "%s%s", i ? ", " : "", item->column_name);
		if (item->event)
			buf_printf(out, "(%s)", item->event);
		buf_add_char(out, ' ');
		describe_row(&item->row, out);
	}
}
