/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/list/sort.h"

#define LIST_ROW(name) &list_##name,

const struct list_kind *const list_kinds[] = { LISTS(LIST_ROW) NULL };

size_t list_number(const struct list_kind *k)
{
	size_t i = 0;

	while (list_kinds[i] != k)
		i++;
	return i;
}

/* Returns true if list I is the first one with its table. */
static bool is_first(size_t i)
{
	for (size_t before = 0; before < i; before++) {
		if (list_kinds[before]->table == list_kinds[i]->table)
			return false;
	}
	return true;
}

const struct column_table *column_table(int number)
{
	for (size_t i = 0; list_kinds[i]; i++) {
		if (is_first(i) && !number--)
			return list_kinds[i]->table;
	}
	return NULL;
}

int list_table(const struct list_kind *k)
{
	int number = 0;

	while (column_table(number) != k->table)
		number++;
	return number;
}

const struct list_kind *list_find(const char *name)
{
	for (size_t i = 0; list_kinds[i]; i++) {
		if (list_kinds[i]->name && !strcmp(list_kinds[i]->name, name))
			return list_kinds[i];
	}
	return NULL;
}

void list_names(struct buf *out, const char *separator)
{
	const char *between = "";

	for (size_t i = 0; list_kinds[i]; i++) {
		if (!list_kinds[i]->name || list_find(list_kinds[i]->name) != list_kinds[i])
			continue;
		buf_printf(out, "%s%s", between, list_kinds[i]->name);
		between = separator;
	}
}

void lists_init(struct lists *l)
{
	for (size_t i = 0; list_kinds[i]; i++)
		l->states[i].data = mem_alloc(list_kinds[i]->data_size);
}

void lists_fini(struct lists *l)
{
	for (size_t i = 0; list_kinds[i]; i++) {
		if (list_kinds[i]->fini)
			list_kinds[i]->fini(l->states[i].data);
		free(l->states[i].data);
		free(l->states[i].order.items);
	}
	rows_fini(&l->rows);
}

void lists_forget(struct lists *l)
{
	for (size_t i = 0; i < LISTS_MAX; i++)
		l->states[i].made = false;
}

void lists_forget_one(struct lists *l, const struct list_kind *k)
{
	l->states[list_number(k)].made = false;
}

/* The list that owns K's rows. */
static const struct list_kind *owner(const struct list_kind *k)
{
	return k->same ? k->same : k;
}

static const struct list_state *state_of(const struct lists *l, const struct list_kind *k)
{
	return &l->states[list_number(owner(k))];
}

bool lists_made(const struct lists *l, const struct list_kind *k)
{
	return state_of(l, k)->made;
}

void *list_data(const struct lists *l, const struct list_kind *k)
{
	return state_of(l, k)->data;
}

const struct list_order *list_order(const struct lists *l, const struct list_kind *k)
{
	return &state_of(l, k)->order;
}

const char *list_filter(const struct lists *l, const struct list_kind *k)
{
	return l->scene.filters[list_table(k)];
}

/* Arranged items. */

struct arranged {
	const struct lists *lists;
	const struct list_kind *kind;
	const struct list_order *order;
};

static void item_fill(const void *context, size_t i, struct column_row *row)
{
	const struct arranged *a = context;

	row->snapshot = a->lists->scene.snapshot;
	a->kind->fill(a->lists, a->kind, a->order->items[i], row);
}

static uint64_t item_tie(const void *context, size_t i)
{
	return ((const struct arranged *)context)->order->items[i];
}

static void items_filter(const struct lists *l, const struct list_kind *k, struct list_order *o,
			 size_t count)
{
	const char *text = list_filter(l, k);

	o->count = 0;
	mem_grow((void **)&o->items, &o->capacity, count + 1, sizeof(*o->items));
	for (size_t i = 0; i < count; i++) {
		struct column_row row = { .snapshot = l->scene.snapshot };

		k->fill(l, k, i, &row);
		if (!text || k->matches(l, &row, text))
			o->items[o->count++] = (uint32_t)i;
	}
}

static bool is_whole(const struct list_order *o, size_t count)
{
	for (size_t i = 0; i < o->count; i++) {
		if (o->items[i] != i)
			return false;
	}
	return o->count == count;
}

static void items_arrange(const struct lists *l, const struct list_kind *k, struct list_order *o,
			  size_t count)
{
	const struct arranged a = { l, k, o };
	struct sort_rows rows = { .row = item_fill, .tie = item_tie, .context = &a };
	size_t limit = k->of_code ? l->scene.limit_code : l->scene.request.limit_symbols;
	uint32_t *order;

	items_filter(l, k, o, count);
	rows.count = o->count;
	order = sort_order(&rows, l->scene.sort[list_table(k)]);
	for (size_t i = 0; i < o->count; i++)
		order[i] = o->items[order[i]];
	memcpy(o->items, order, o->count * sizeof(*order));
	free(order);
	if (limit && o->count > limit)
		o->count = limit;
	o->whole = is_whole(o, count);
}

void lists_make(struct lists *l, const struct list_kind *k)
{
	struct list_state *s = &l->states[list_number(owner(k))];

	if (!l->scene.snapshot || s->made)
		return;
	k = owner(k);
	s->count = k->build(l, k);
	if (k->arranged) {
		items_arrange(l, k, &s->order, s->count);
		s->count = s->order.count;
	}
	s->made = true;
}

/* Processes and symbols. */

void lists_make_rows(struct lists *l, bool symbols)
{
	struct rows_request request = l->scene.request;

	request.processes_alone = !symbols;
	rows_build(&l->rows, l->scene.snapshot, &request);
	l->states[list_number(&list_processes)].made = true;
	l->states[list_number(&list_symbols)].made = symbols;
}

const struct rows_request *lists_request(struct lists *l)
{
	if (rows_filtered(&l->scene.request))
		lists_make(l, &list_processes);
	return &l->scene.request;
}

struct branch_choice lists_branch_choice(struct lists *l, const struct list_kind *k)
{
	const struct rows_request *rows = lists_request(l);

	return (struct branch_choice){
		.rows = rows,
		.folded = rows->folded,
		.all_open = l->scene.batch,
		.text = list_filter(l, k),
		.sort = l->scene.sort[list_table(k)],
	};
}

struct shares lists_shares(struct lists *l, bool of_all)
{
	struct rows_request request = *lists_request(l);

	request.of_all = of_all;
	return rows_shares(&l->rows, l->scene.snapshot, &request);
}

void lists_all_processes(const struct lists *l, struct rows *all)
{
	struct rows_request request = l->scene.request;

	request.folded = NULL;
	request.processes_alone = true;
	rows_build(all, l->scene.snapshot, &request);
}

/* Rows of any list. */

/* The item of row I, for fill() and key(). */
static size_t item_of(const struct lists *l, const struct list_kind *k, size_t i)
{
	return k->arranged ? list_order(l, k)->items[i] : i;
}

size_t list_count(const struct lists *l, const struct list_kind *k)
{
	k = owner(k);
	if (!lists_made(l, k))
		return 0;
	return k->count ? k->count(l, k) : state_of(l, k)->count;
}

struct column_row list_row(const struct lists *l, const struct list_kind *k, size_t i)
{
	struct column_row row = { .snapshot = l->scene.snapshot };

	k = owner(k);
	k->fill(l, k, item_of(l, k, i), &row);
	return row;
}

uint64_t list_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	k = owner(k);
	return k->key(l, k, item_of(l, k, i));
}

bool list_matches(const struct lists *l, const struct list_kind *k, size_t i, const char *text)
{
	struct column_row row = list_row(l, k, i);

	return owner(k)->matches(l, &row, text);
}

const char *list_note(const struct lists *l, const struct list_kind *k, const char *note)
{
	k = owner(k);
	return k->note ? k->note(l, k, note) : note;
}

const char *list_empty(const struct lists *l, const struct list_kind *k)
{
	k = owner(k);
	return k->unmatched && list_filter(l, k) ? _(k->unmatched) : k->empty(l);
}

unsigned list_without(const struct lists *l, const struct list_kind *k)
{
	k = owner(k);
	return k->without ? k->without(l) : 0;
}

const char *list_no_stacks(const struct lists *l)
{
	const char *tier = l->scene.snapshot->sampling.tier;

	return !strcmp(tier, "cpu-group") ? _("no stacks: start with -g; {stacks} takes them now")
	       : !strcmp(tier, "file")    ? _("no stacks: perf record -g takes them")
					  : _("no stacks: start with -g");
}

static bool has_samples(const struct snapshot *s, size_t event)
{
	size_t i = 0;

	while (i < s->cell_count && s->cells[i].event != event)
		i++;
	return i < s->cell_count;
}

/* The reason why no samples of EVENT are shown: a filter hides them, or there are none. */
static const char *no_samples_of(const struct lists *l, size_t event)
{
	const struct rows_request *q = &l->scene.request;
	const struct snapshot *s = l->scene.snapshot;
	const char *reason = s->sampling.tier_reason;

	if (q->zoomed)
		return _("no samples of what is chosen; Esc goes back");
	if (!s->events[event].enabled)
		return _("no samples: the event is off; {events} switches it on");
	if (!has_samples(s, event))
		return reason && *reason ? reason : _("no samples: it did not occur");
	if (q->symbol_text)
		return _("no samples pass the filter; {filter} changes it");
	if (rows_filtered(q))
		return _(
			"no samples of these processes; {pids}, {user} and {filter} choose others");
	if (q->hide_kernel || q->hide_user)
		return _("no samples but of what is hidden; {hide-kernel} and {hide-user} show it");
	return _("no samples in this list; {event-next} shows another event");
}

const char *list_measuring(void)
{
	return _("measuring: the first interval is not over; {delay} changes how long it is");
}

const char *list_no_samples(const struct lists *l)
{
	const struct snapshot *s = l->scene.snapshot;
	int event = l->scene.request.event;

	if (event >= 0 && s->events[event].error)
		return s->events[event].error;
	if (event >= 0 && snapshot_is_start(s))
		return list_measuring();
	if (event >= 0)
		return no_samples_of(l, (size_t)event);
	if (l->scene.event_due && l->scene.paused)
		return _("not measured yet: paused; {pause} goes on");
	if (l->scene.event_due)
		return _("not measured: start with --view or -e");
	return s->sampling.tier_reason && *s->sampling.tier_reason ? s->sampling.tier_reason
								   : _("nothing is sampled");
}
