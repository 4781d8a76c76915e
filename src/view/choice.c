/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/choice.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/i18n.h"

#define NAME_SIZE 64

struct choice_item {
	char sign;    /* '+', '-' or 0 */
	bool defined; /* here */
	int table;
	const struct column *column;
};

struct choice_parser {
	const char *at;
	const char *what;              /* the option, for messages */
	int first;                     /* the table of a name that several tables have */
	bool define;                   /* NAME=EXPRESSION and names of metrics are allowed */
	struct custom_metrics metrics; /* what is left of the item that was taken last */
	char sign;                     /* of that item */
	int table; /* where the next one goes, at the earliest; or, FIXED, all */
	bool fixed;
	struct custom *custom;
	struct error *err;
};

/* Finds a column in TABLE.  An exact name in any table wins over a name without its '%'. */
static void item_find_in(const struct choice_parser *p, struct choice_item *item, int table,
			 const char *name)
{
	const struct column *c = column_find(custom_table(p->custom, table), name);

	if (!c || (item->column && strcasecmp(c->name, name)))
		return;
	if (item->column && !strcasecmp(item->column->name, name))
		return;
	item->column = c;
	item->table = table;
}

/*
 * The table named by the prefix of NAME, and the length of the prefix; without a prefix the first
 * table of the parser, and 0.
 */
static int table_named(const struct choice_parser *p, const char *name, size_t *size)
{
	for (int table = 0; column_table(table); table++) {
		const char *prefix = column_table(table)->prefix;

		*size = strlen(prefix);
		if (!strncasecmp(name, prefix, *size))
			return table;
	}
	*size = 0;
	return p->first;
}

static bool item_find(const struct choice_parser *p, struct choice_item *item, const char *name)
{
	size_t prefix;
	int table = table_named(p, name, &prefix);

	item->column = NULL;
	item_find_in(p, item, table, name + prefix);
	for (int other = 0; !prefix && column_table(other); other++) {
		if (other != table)
			item_find_in(p, item, other, name);
	}
	return item->column != NULL;
}

/* The length of the item up to its comma; a comma in quotes does not end it. */
static size_t definition_size(const char *text)
{
	bool quoted = false;
	size_t size = 0;

	for (; text[size] && (quoted || text[size] != ','); size++)
		quoted ^= text[size] == '"';
	return size;
}

/*
 * Splits the item at P into a name of SIZE bytes, with its prefix if any, and the text after its
 * '='.
 */
static int item_define(struct choice_parser *p, struct choice_item *item, size_t size)
{
	struct custom_text name = { .at = p->at, .size = size }, expression;
	char word[NAME_SIZE];
	size_t prefix;

	item->table = table_named(p, p->at, &prefix);
	if (prefix > size)
		prefix = 0;
	name.at += prefix;
	name.size -= prefix;
	p->at += size;
	p->at += strspn(p->at, " ") + 1;
	expression.at = p->at;
	expression.size = definition_size(p->at);
	p->at += expression.size;
	if (custom_define(p->custom, name, expression, p->err))
		return -1;
	snprintf(word, sizeof(word), "%.*s", (int)name.size, name.at);
	item->column = column_find(custom_table(p->custom, item->table), word);
	item->defined = true;
	return 1;
}

static bool is_definition(const struct choice_parser *p, size_t size)
{
	const char *behind = p->at + size;

	return p->define && behind[strspn(behind, " ")] == '=';
}

/* The next table from TABLE on that shows metrics of GROUP; below 0: none. */
static int metrics_table(int table, const struct metric_group *group)
{
	for (; column_table(table); table++) {
		enum column_metrics shows = column_table(table)->metrics;

		if (shows == METRICS_ALL || (shows && !group->of_machine))
			return table;
	}
	return -1;
}

/* Takes the next metric: each goes to all its tables, or to the one that was named.  As item_next(). */
static int item_of_metric(struct choice_parser *p, struct choice_item *item)
{
	const struct metric *m = &p->metrics.group->items[p->metrics.first];
	int next;

	if (custom_define_metric(p->custom, m, p->err))
		return -1;
	item->sign = p->sign;
	item->defined = true;
	item->table = p->table;
	item->column = column_find(custom_table(p->custom, p->table), m->name);
	next = p->fixed ? -1 : metrics_table(p->table + 1, p->metrics.group);
	p->metrics.first += next < 0;
	if (!p->fixed)
		p->table = next < 0 ? metrics_table(0, p->metrics.group) : next;
	return 1;
}

/*
 * NAME is that of metrics: takes the first one.  0 if it is not; as item_next() otherwise.  ITEM has the column of
 * a metric that was taken before.
 */
static int item_metrics(struct choice_parser *p, struct choice_item *item, const char *name)
{
	size_t prefix;
	int table = table_named(p, name, &prefix);
	const char *metrics = item->column ? item->column->name : name + prefix;

	if (!p->define || !custom_find_metrics(p->custom, metrics, &p->metrics) ||
	    (prefix && !column_table(table)->extended))
		return 0;
	if (!p->metrics.group->count)
		return error_set(p->err, _("%s: this machine cannot count what '%s' needs"),
				 p->what, name);
	p->sign = item->sign;
	p->fixed = prefix > 0;
	p->table = prefix ? table : metrics_table(0, p->metrics.group);
	return item_of_metric(p, item);
}

/* Finds the one column NAME.  A metric may have columns in several tables, see item_metrics(). */
static bool item_plain(const struct choice_parser *p, struct choice_item *item, const char *name)
{
	return item_find(p, item, name) && !(p->define && custom_is_metric(item->column));
}

/* Takes the next item of the comma list: 1, 0 at its end, -1 with the error set. */
static int item_next(struct choice_parser *p, struct choice_item *item)
{
	char name[NAME_SIZE];
	size_t size;
	int found;

	*item = (struct choice_item){ 0 };
	if (p->metrics.first < p->metrics.end)
		return item_of_metric(p, item);
	p->at += strspn(p->at, ", ");
	if (!*p->at)
		return 0;
	item->sign = *p->at == '+' || *p->at == '-' ? *p->at++ : 0;
	size = strcspn(p->at, p->define ? ",= " : ", ");
	if (is_definition(p, size))
		return item_define(p, item, size);
	if (size && size < sizeof(name)) {
		memcpy(name, p->at, size);
		name[size] = '\0';
		if (item_plain(p, item, name)) {
			p->at += size;
			return 1;
		}
		found = item_metrics(p, item, name);
		if (found) {
			p->at += size;
			return found;
		}
	}
	return error_set(p->err, "%s: there is no column '%.*s'; %s help lists them", p->what,
			 size < NAME_SIZE ? (int)size : NAME_SIZE, p->at, p->what);
}

static void columns_default(struct choice_columns columns[CHOICE_TABLES],
			    const struct custom *custom)
{
	memset(columns, 0, CHOICE_TABLES * sizeof(*columns));
	for (int table = 0; column_table(table); table++) {
		for (const struct column *c = custom_table(custom, table); c->name; c++) {
			if (c->shown)
				columns[table].items[columns[table].count++] = c;
		}
	}
}

static void columns_remove(struct choice_columns *columns, const struct column *column)
{
	size_t kept = 0;

	for (size_t i = 0; i < columns->count; i++) {
		if (columns->items[i] != column)
			columns->items[kept++] = columns->items[i];
	}
	columns->count = kept;
}

/* Appends a column.  The column that takes the rest of the line stays last if this one is ADDED. */
static void columns_append(struct choice_columns *columns, const struct column *column, bool added)
{
	size_t at;

	columns_remove(columns, column);
	if (columns->count == CHOICE_COLUMNS)
		return;
	at = columns->count++;
	if (added && at && !columns->items[at - 1]->width) {
		columns->items[at] = columns->items[at - 1];
		at--;
	}
	columns->items[at] = column;
}

/* Removes the defaults.  Columns defined before the first plain name stay. */
static void columns_replace(struct choice_columns *columns)
{
	size_t kept = 0;

	for (size_t i = 0; i < columns->count; i++) {
		if (columns->items[i]->formula)
			columns->items[kept++] = columns->items[i];
	}
	columns->count = kept;
}

int choice_columns_parse(struct choice_columns columns[CHOICE_TABLES], const char *text,
			 struct custom *custom, struct error *err)
{
	struct choice_parser p = { .at = text,
				   .what = "--columns",
				   .first = 0,
				   .define = true,
				   .custom = custom,
				   .err = err };
	bool replaced[CHOICE_TABLES] = { false };
	struct choice_item item;
	int more;

	columns_default(columns, custom);
	while ((more = item_next(&p, &item)) > 0) {
		struct choice_columns *list = &columns[item.table];

		if (!item.sign && !item.defined && !replaced[item.table]) {
			replaced[item.table] = true;
			columns_replace(list);
		}
		if (item.sign == '-') {
			columns_remove(list, item.column);
			continue;
		}
		columns_append(list, item.column, item.sign || !replaced[item.table]);
		list->wanted |= item.column->needs | item.column->wants;
	}
	return more;
}

static void sort_append(struct choice_sort *sort, const struct column *column, bool descending)
{
	if (sort->count < CHOICE_KEYS)
		sort->keys[sort->count++] = (struct choice_key){ column, descending };
}

void choice_sort_default(struct choice_sort sort[CHOICE_TABLES], const struct custom *custom)
{
	memset(sort, 0, CHOICE_TABLES * sizeof(*sort));
	for (int table = 0; column_table(table); table++) {
		for (const char *at = column_table(table)->sort; *at;) {
			size_t size = strcspn(at, " ");
			char name[NAME_SIZE];
			const struct column *c;

			snprintf(name, sizeof(name), "%.*s", (int)size, at);
			c = column_find(custom_table(custom, table), name);
			sort_append(&sort[table], c, c->descending);
			at += size + strspn(at + size, " ");
		}
	}
}

int choice_sort_parse(struct choice_sort sort[CHOICE_TABLES], const char *text, int first,
		      struct custom *custom, struct error *err)
{
	struct choice_parser p = {
		.at = text, .what = "--sort", .first = first, .custom = custom, .err = err
	};
	bool replaced[CHOICE_TABLES] = { false };
	struct choice_item item;
	int more;

	while ((more = item_next(&p, &item)) > 0) {
		struct choice_sort *s = &sort[item.table];

		if (!replaced[item.table]) {
			replaced[item.table] = true;
			s->count = 0;
		}
		sort_append(s, item.column, item.sign ? item.sign == '-' : item.column->descending);
	}
	return more;
}

void choice_sort_format(struct buf *out, const struct choice_sort sort[CHOICE_TABLES])
{
	bool more = false;

	for (int table = 0; column_table(table); table++) {
		for (size_t i = 0; i < sort[table].count; i++) {
			const struct choice_key *key = &sort[table].keys[i];

			buf_printf(out, "%s%c%s%s", more ? "," : "", key->descending ? '-' : '+',
				   column_table(table)->prefix, key->column->name);
			more = true;
		}
	}
}

void choice_sort_reverse(struct choice_sort *sort)
{
	for (size_t i = 0; i < sort->count; i++)
		sort->keys[i].descending = !sort->keys[i].descending;
}

void choice_sort_by(struct choice_sort *sort, const struct column *column)
{
	sort->count = 0;
	sort_append(sort, column, column->descending);
}

static bool per_process(const struct column *c)
{
	return c->per_process;
}

static bool per_data(const struct column *c)
{
	return c->per_data;
}

static bool some(const struct choice_columns *columns, const struct choice_sort *sort,
		 bool (*holds)(const struct column *c))
{
	for (size_t i = 0; i < columns->count; i++) {
		if (holds(columns->items[i]))
			return true;
	}
	for (size_t i = 0; i < sort->count; i++) {
		if (holds(sort->keys[i].column))
			return true;
	}
	return false;
}

bool choice_per_process(const struct choice_columns *columns, const struct choice_sort *sort)
{
	return some(columns, sort, per_process);
}

bool choice_per_data(const struct choice_columns *columns, const struct choice_sort *sort)
{
	return some(columns, sort, per_data);
}

static size_t place_of(const struct choice_columns *columns, const struct column *c)
{
	size_t i = 0;

	while (i < columns->count && columns->items[i] != c)
		i++;
	return i;
}

static void item_insert(struct choice_columns *columns, size_t at, const struct column *c)
{
	if (columns->count == CHOICE_COLUMNS)
		return;
	memmove(&columns->items[at + 1], &columns->items[at],
		(columns->count - at) * sizeof(*columns->items));
	columns->items[at] = c;
	columns->count++;
}

static void item_remove(struct choice_columns *columns, size_t at)
{
	columns->count--;
	memmove(&columns->items[at], &columns->items[at + 1],
		(columns->count - at) * sizeof(*columns->items));
}

/*
 * The place of C: after the previous column of the table if that is shown, otherwise before the
 * last shown one.
 */
static size_t place_for(const struct choice_columns *columns, const struct column *table,
			const struct column *c)
{
	size_t at = c > table ? place_of(columns, c - 1) : columns->count;

	if (at < columns->count)
		return at + 1;
	return columns->count ? columns->count - 1 : 0;
}

void choice_columns_compare(struct choice_columns *columns, const struct column *table, bool base)
{
	for (const struct column *c = table; c->name; c++) {
		size_t at = place_of(columns, c);

		if (!c->with_base)
			continue;
		if (base && at == columns->count)
			item_insert(columns, place_for(columns, table, c), c);
		else if (!base && at < columns->count)
			item_remove(columns, at);
	}
}

/* The events that COLUMNS need. */
static uint32_t events_of(const struct choice_columns *columns)
{
	uint32_t found = 0;

	for (size_t i = 0; i < columns->count; i++)
		found |= columns->items[i]->needs | columns->items[i]->wants;
	return found;
}

bool choice_columns_toggle(struct choice_columns *columns, const struct column *column)
{
	size_t at = place_of(columns, column);

	if (at == columns->count) {
		columns_append(columns, column, true);
		columns->wanted |= column->needs | column->wants;
		return true;
	}
	if (columns->count == 1)
		return false;
	item_remove(columns, at);
	columns->wanted &= events_of(columns);
	return true;
}

bool choice_columns_move(struct choice_columns *columns, const struct column *column, int direction)
{
	size_t at = place_of(columns, column), to = direction < 0 ? at - 1 : at + 1;

	if (at == columns->count || (direction < 0 && !at) || to >= columns->count)
		return false;
	columns->items[at] = columns->items[to];
	columns->items[to] = column;
	return true;
}

/* Returns true if A and B show the same, but for additions of a base. */
static bool same_but_for_base(const struct choice_columns *a, const struct choice_columns *b)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a->count && a->items[i]->with_base)
			i++;
		while (j < b->count && b->items[j]->with_base)
			j++;
		if (i == a->count || j == b->count)
			return i == a->count && j == b->count;
		if (a->items[i++] != b->items[j++])
			return false;
	}
}

static void format_table(struct buf *out, int number, const struct choice_columns *columns,
			 const struct column *table)
{
	const char *prefix = column_table(number)->prefix;

	for (size_t i = 0; i < columns->count; i++) {
		if (!columns->items[i]->with_base)
			buf_printf(out, "%s%s%s", out->size ? "," : "", prefix,
				   columns->items[i]->name);
	}
	/* A definition shows its column; see columns_replace(). */
	for (const struct column *c = table; c->name; c++) {
		if (c->formula && place_of(columns, c) == columns->count)
			buf_printf(out, ",-%s%s", prefix, c->name);
	}
}

void choice_columns_format(struct buf *out, const struct choice_columns columns[CHOICE_TABLES],
			   const struct custom *custom)
{
	struct choice_columns usual[CHOICE_TABLES];
	bool defined;

	columns_default(usual, custom);
	buf_add_str(out, "");
	custom_format(custom, out);
	defined = out->size;
	for (int table = 0; column_table(table); table++) {
		if (!same_but_for_base(&columns[table], &usual[table]) ||
		    (defined && column_table(table)->extended))
			format_table(out, table, &columns[table], custom_table(custom, table));
	}
}
