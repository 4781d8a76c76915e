/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/widget/number.h"

#define NUMBER_SIZE 40
#define NAME_LIMIT 256  /* bytes of a name; each part that ends at a dash may be looked up */
#define SHOWN_LIMIT 160 /* bytes of the expression in a message */
#define PIECE_LIMIT 60

typedef double operation(double a, double b);

/* A step of a stack machine: it pushes a number or an input, or replaces operands by a result. */
struct step {
	operation *apply; /* NULL: push */
	bool is_input;
	size_t input;
	double number;
};

struct expression {
	struct step steps[EXPRESSION_STEPS];
	size_t count;
	char **inputs; /* owned, as each name */
	size_t input_count, input_capacity;
};

struct parser {
	const char *text; /* NUL-terminated copy */
	const char *at;
	const struct expression_names *names;
	struct expression *e;
	int depth;
	struct error *err;
};

static double add(double a, double b)
{
	return a + b;
}

static double subtract(double a, double b)
{
	return a - b;
}

static double multiply(double a, double b)
{
	return a * b;
}

#define LEVELS 2 /* of precedence; the last one binds most tightly */

static const struct {
	char sign;
	int level;
	operation *apply;
} operators[] = {
	{ '+', 0, add },
	{ '-', 0, subtract },
	{ '*', 1, multiply },
	{ '/', 1, number_divide },
};

/* Sets the error about the SIZE bytes at the parser, or about the end of the text if SIZE is 0. */
static int fail(const struct parser *p, size_t size, const char *what)
{
	size_t column = (size_t)(p->at - p->text) + 1;

	if (!*p->at)
		return error_set(p->err, _("expression '%.*s', at its end: %s"), SHOWN_LIMIT,
				 p->text, what);
	return error_set(p->err, _("expression '%.*s', column %zu, '%.*s': %s"), SHOWN_LIMIT,
			 p->text, column, (int)(size < PIECE_LIMIT ? size : PIECE_LIMIT), p->at,
			 what);
}

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

static int emit(struct parser *p, struct step step)
{
	if (p->e->count == EXPRESSION_STEPS)
		return fail(p, 1, _("the expression is too long"));
	p->e->steps[p->e->count++] = step;
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c)
{
	return is_name_start(c) || is_digit(c) || c == '.' || c == ':' || c == '-';
}

/* The length of the number at TEXT. */
static size_t number_size(const char *text)
{
	size_t size = 0, exponent;

	while (is_digit(text[size]))
		size++;
	if (text[size] == '.') {
		for (size++; is_digit(text[size]);)
			size++;
	}
	if (text[size] != 'e' && text[size] != 'E')
		return size;
	exponent = size + 1;
	exponent += text[exponent] == '+' || text[exponent] == '-';
	if (!is_digit(text[exponent]))
		return size;
	for (size = exponent; is_digit(text[size]);)
		size++;
	return size;
}

static int parse_number(struct parser *p)
{
	size_t size = number_size(p->at);
	char digits[NUMBER_SIZE];

	if (size >= sizeof(digits))
		return fail(p, size, _("the number is too long"));
	if (is_name_start(p->at[size]) || p->at[size] == '.')
		return fail(p, size + 1, _("this is neither a number nor a name"));
	memcpy(digits, p->at, size);
	digits[size] = '\0';
	p->at += size;
	return emit(p, (struct step){ .number = strtod(digits, NULL) });
}

/* The index of the input NAME, which is added if it is new. */
static size_t input_add(struct expression *e, const char *name)
{
	for (size_t i = 0; i < e->input_count; i++) {
		if (!strcmp(e->inputs[i], name))
			return i;
	}
	mem_grow((void **)&e->inputs, &e->input_capacity, e->input_count + 1, sizeof(*e->inputs));
	e->inputs[e->input_count] = mem_strdup(name);
	return e->input_count++;
}

/* Returns true if the SIZE bytes at TEXT are a name, and sets *STEP to its step. */
static bool name_find(struct parser *p, const char *text, size_t size, struct step *step)
{
	char *name = mem_strndup(text, size);
	struct buf canonical = { 0 };
	bool found = p->names->find(p->names->context, name, &canonical);

	if (found)
		*step = (struct step){ .is_input = true,
				       .input = input_add(p->e, canonical.bytes) };
	buf_fini(&canonical);
	free(name);
	return found;
}

static int unknown_name(struct parser *p, const char *name, size_t size)
{
	struct nearest nearest;
	char *text;
	int result;

	nearest_init(&nearest, name, size);
	if (p->names->suggest)
		p->names->suggest(p->names->context, &nearest);
	if (!*nearest.best)
		return fail(p, size, _("there is no such event; ptop --list-events lists them"));
	text = mem_printf(_("there is no such event; did you mean '%s'?"), nearest.best);
	result = fail(p, size, text);
	free(text);
	return result;
}

/* The longest name within the run of name bytes; shorter ones end before a dash. */
static int parse_name(struct parser *p)
{
	struct step step;
	size_t run = 0, size;

	while (is_name_part(p->at[run]))
		run++;
	if (run > NAME_LIMIT)
		return fail(p, run, _("the name is too long"));
	while (p->at[run - 1] == '-')
		run--;
	for (size = run; size && !name_find(p, p->at, size, &step);) {
		for (size--; size && p->at[size] != '-';)
			size--;
	}
	if (!size)
		return unknown_name(p, p->at, run);
	p->at += size;
	return emit(p, step);
}

static int parse_quoted(struct parser *p)
{
	const char *end = strchr(p->at + 1, '"');
	struct step step;
	size_t size;

	if (!end)
		return fail(p, 1, _("the quote is not closed"));
	size = (size_t)(end - p->at) - 1;
	if (size > NAME_LIMIT)
		return fail(p, size, _("the name is too long"));
	if (!size || !name_find(p, p->at + 1, size, &step))
		return unknown_name(p, p->at + 1, size);
	p->at = end + 1;
	return emit(p, step);
}

static int parse_level(struct parser *p, int level);

static int parse_inside(struct parser *p)
{
	const char *open = p->at++;

	if (parse_level(p, 0))
		return -1;
	if (*p->at == ')') {
		p->at++;
		return 0;
	}
	if (*p->at)
		return fail(p, 1, _("an operator or ')' is missing before it"));
	p->at = open;
	return fail(p, 1, _("the parenthesis is not closed"));
}

static int parse_factor(struct parser *p);

/* Parses a sign: -x becomes 0 - x. */
static int parse_sign(struct parser *p)
{
	p->at++;
	if (emit(p, (struct step){ .number = 0 }) || parse_factor(p))
		return -1;
	return emit(p, (struct step){ .apply = subtract });
}

static int parse_operand(struct parser *p)
{
	if (is_digit(*p->at) || (*p->at == '.' && is_digit(p->at[1])))
		return parse_number(p);
	if (is_name_start(*p->at))
		return parse_name(p);
	if (*p->at == '"')
		return parse_quoted(p);
	if (*p->at == '(')
		return parse_inside(p);
	if (*p->at == '-')
		return parse_sign(p);
	return fail(p, 1, _("a number, an event or '(' belongs here"));
}

static int parse_factor(struct parser *p)
{
	int result;

	skip_blanks(p);
	if (p->depth == EXPRESSION_DEPTH)
		return fail(p, 1, _("the expression is nested too deeply"));
	p->depth++;
	result = parse_operand(p);
	p->depth--;
	skip_blanks(p);
	return result;
}

static operation *operator_take(struct parser *p, int level)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (operators[i].sign == *p->at && operators[i].level == level) {
			p->at++;
			return operators[i].apply;
		}
	}
	return NULL;
}

static int parse_level(struct parser *p, int level)
{
	operation *apply;

	if (level == LEVELS)
		return parse_factor(p);
	if (parse_level(p, level + 1))
		return -1;
	while ((apply = operator_take(p, level))) {
		if (parse_level(p, level + 1) || emit(p, (struct step){ .apply = apply }))
			return -1;
	}
	return 0;
}

static int parse_all(struct parser *p)
{
	if (parse_level(p, 0))
		return -1;
	return *p->at ? fail(p, 1, _("an operator is missing before it")) : 0;
}

struct expression *expression_parse(const char *text, size_t size,
				    const struct expression_names *names, struct error *err)
{
	struct expression *e = mem_alloc(sizeof(*e));
	char *copy = mem_strndup(text, size);
	struct parser p = { .text = copy, .at = copy, .names = names, .e = e, .err = err };
	int failed = parse_all(&p);

	free(copy);
	if (!failed)
		return e;
	expression_free(e);
	return NULL;
}

void expression_free(struct expression *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->input_count; i++)
		free(e->inputs[i]);
	free(e->inputs);
	free(e);
}

size_t expression_inputs(const struct expression *e)
{
	return e->input_count;
}

const char *expression_input(const struct expression *e, size_t i)
{
	return e->inputs[i];
}

double expression_value(const struct expression *e, const double *inputs)
{
	double stack[EXPRESSION_STEPS];
	size_t top = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct step *s = &e->steps[i];

		if (s->apply) {
			top--;
			stack[top - 1] = s->apply(stack[top - 1], stack[top]);
		} else {
			stack[top++] = s->is_input ? inputs[s->input] : s->number;
		}
	}
	return isfinite(stack[0]) ? stack[0] : NAN;
}
