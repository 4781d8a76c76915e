/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/events.h"

#include <string.h>

#include "perf/event/event.h"
#include "perf/event/rate.h"
#include "perf/record/source.h"
#include "symbol/function.h"

static int find_function(void *context, const char *path, const char *symbol, uint64_t *offset,
			 struct error *err)
{
	(void)context;
	return function_offset(path, symbol, NULL, offset, err);
}

static const struct event_resolver resolver = { .symbol_offset = find_function };
static const struct event_env machine = { .resolver = &resolver };

static int parse_all(struct evlist *l, const struct options *o, struct error *err)
{
	for (size_t i = 0; i < o->event_count; i++) {
		if (evlist_parse_in(l, o->events[i].text, &machine, err))
			return -1;
		if (o->events[i].filter && evlist_set_filter(l, o->events[i].filter, err))
			return -1;
	}
	return 0;
}

static void set_rate(struct evlist *l, const struct options *o)
{
	if (o->period)
		evlist_set_rate(l, 0, o->period);
	else
		evlist_set_rate(l, o->freq_max ? RATE_MAX_FREQ : o->freq_hz, 0);
}

struct evlist *events_of_options(const struct options *o, struct error *err)
{
	struct evlist *l = evlist_new();

	if (!options_are_live(o))
		return l;
	if (parse_all(l, o, err)) {
		evlist_free(l);
		return NULL;
	}
	if (!l->count)
		evlist_add_defaults(l);
	set_rate(l, o);
	return l;
}

struct evlist *events_of_text(const struct options *o, const char *text, struct error *err)
{
	struct evlist *l = evlist_new();

	if (evlist_parse_in(l, text, &machine, err)) {
		evlist_free(l);
		return NULL;
	}
	set_rate(l, o);
	return l;
}

/* E, which L takes over, replaces the event at PLACE, which is only counted; below 0: it is appended. */
static void take_event(struct evlist *l, struct evsel *e, int place)
{
	if (place < 0) {
		evlist_add(l, e);
		return;
	}
	evsel_free(l->items[place]);
	l->items[place] = e;
}

static bool is_sampled(const struct evlist *l, int place)
{
	return place >= 0 && l->items[place]->role == EVSEL_SAMPLE;
}

int events_sample(struct evlist *l, const struct options *o, enum event_id id, bool optional,
		  struct error *err)
{
	int found = evlist_find_id(l, id);
	struct evlist *more;

	if (id == EVENT_OTHER || is_sampled(l, found))
		return 0;
	more = events_of_text(o, event_at(id)->name, err);
	if (!more)
		return -1;
	more->items[0]->is_default = optional || !evsel_is_time(more->items[0]);
	take_event(l, more->items[0], found);
	more->count = 0;
	evlist_free(more);
	return 0;
}

int events_sample_text(struct evlist *l, const struct options *o, const char *text,
		       struct error *err)
{
	struct evlist *more = events_of_text(o, text, err);
	int found;

	if (!more)
		return -1;
	for (size_t i = 0; i < more->count; i++) {
		found = evlist_find(l, more->items[i]->base);
		if (is_sampled(l, found))
			evsel_free(more->items[i]);
		else
			take_event(l, more->items[i], found);
	}
	more->count = 0;
	evlist_free(more);
	return 0;
}

/* By the shown name, or by the one without modifiers as a column looks for it. */
static const struct evsel *evlist_named(const struct evlist *l, const char *name)
{
	int base;

	for (size_t i = 0; i < l->count; i++) {
		if (!strcmp(l->items[i]->name, name))
			return l->items[i];
	}
	base = evlist_find(l, name);
	return base < 0 ? NULL : l->items[base];
}

/* Nobody asked for them with -e: where they cannot be counted, the column is absent. */
static void count_more(struct evlist *l, const char *name)
{
	size_t before = l->count;
	struct error err;

	if (evlist_parse_in(l, name, &machine, &err))
		return;
	for (size_t i = before; i < l->count; i++) {
		l->items[i]->role = evsel_is_time(l->items[i]) ? EVSEL_SAMPLE : EVSEL_COUNT;
		l->items[i]->is_default = true;
	}
}

void events_count(struct evlist *l, const char *name)
{
	if (!evlist_named(l, name))
		count_more(l, name);
}

void events_count_ids(struct evlist *l, uint32_t ids)
{
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		if (ids >> id & 1 && evlist_find_id(l, id) < 0)
			count_more(l, event_at(id)->name);
	}
}

static bool names_find(void *context, const char *name, struct buf *canonical)
{
	const struct event_names *n = context;
	const struct evsel *e = evlist_named(n->evlist, name);
	struct evlist *parsed;
	struct error err;
	bool found;

	if (e) {
		buf_add_str(canonical, !strcmp(e->name, name) ? e->name : e->base);
		return true;
	}
	parsed = evlist_new();
	found = !evlist_parse_in(parsed, name, &machine, &err) && parsed->count == 1;
	if (found)
		buf_add_str(canonical, parsed->items[0]->name);
	evlist_free(parsed);
	return found;
}

static void names_suggest(void *context, struct nearest *nearest)
{
	const struct event_names *n = context;

	for (size_t i = 0; i < n->evlist->count; i++)
		nearest_try(nearest, n->evlist->items[i]->name);
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++)
		nearest_try(nearest, event_at(id)->name);
}

static const struct metric_group *names_metrics(void *context, size_t i)
{
	struct event_names *n = context;

	if (!n->metrics)
		n->metrics = metrics_new(&machine);
	return metrics_group(n->metrics, i);
}

void event_names_init(struct event_names *n, const struct evlist *evlist)
{
	n->evlist = evlist;
	n->metrics = NULL;
	n->names = (struct expression_names){ names_find, names_suggest, n, names_metrics };
}

void event_names_fini(struct event_names *n)
{
	metrics_free(n->metrics);
	n->metrics = NULL;
}
