/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/evlist.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/event/event.h"

#define DEFAULT_FREQ_HZ 999

struct evlist *evlist_new(void)
{
	return mem_alloc(sizeof(struct evlist));
}

void evsel_free(struct evsel *e)
{
	if (!e)
		return;
	mem_free(e->name, e->base, e->probe, e->filter, e->unit);
	number_list_fini(&e->cpus);
	free(e->why);
	free(e);
}

void evlist_free(struct evlist *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->count; i++)
		evsel_free(l->items[i]);
	free(l->items);
	free(l);
}

struct evsel *evsel_new(const char *base, size_t size)
{
	struct evsel *e = mem_alloc(sizeof(*e));

	e->base = mem_strndup(base, size);
	e->role = EVSEL_SAMPLE;
	e->freq_hz = DEFAULT_FREQ_HZ;
	e->group = -1;
	e->scale = 1;
	e->enabled = true;
	return e;
}

void evlist_add(struct evlist *l, struct evsel *e)
{
	mem_grow((void **)&l->items, &l->capacity, l->count + 1, sizeof(struct evsel *));
	l->items[l->count++] = e;
}

void evlist_add_defaults(struct evlist *l)
{
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		const struct event_info *info = event_at(id);
		struct evsel *e;

		if (info->use == EVENT_NOT_DEFAULT)
			continue;
		e = evsel_new(info->name, strlen(info->name));
		e->name = mem_strdup(info->name);
		e->type = info->type;
		e->config = info->config;
		e->role = info->use == EVENT_DEFAULT_SAMPLE ? EVSEL_SAMPLE : EVSEL_COUNT;
		e->is_default = true;
		evlist_add(l, e);
	}
}

bool evsel_is_time(const struct evsel *e)
{
	return e->type == EVENT_TYPE_TIME;
}

bool evsel_is_network(const struct evsel *e)
{
	return e->type == EVENT_TYPE_NETWORK;
}

bool evsel_is_made(const struct evsel *e)
{
	return event_type_is_made(e->type);
}

bool evsel_is_syscalls(const struct evsel *e)
{
	return evsel_is_time(e) && e->config == EVENT_TIME_SYSCALLS;
}

bool evlist_has_time(const struct evlist *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct evsel *e = l->items[i];

		if (evsel_is_time(e) && !evsel_is_syscalls(e) && !e->removed && !e->open_error)
			return true;
	}
	return false;
}

bool evlist_wants_stacks(const struct evlist *l)
{
	return evlist_has_time(l) || evlist_find_id(l, EVENT_SYSCALLS) >= 0;
}

int evlist_find(const struct evlist *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!strcmp(l->items[i]->base, name))
			return (int)i;
	}
	return -1;
}

int evlist_find_id(const struct evlist *l, enum event_id id)
{
	for (size_t i = 0; i < l->count; i++) {
		if (event_id_of(l->items[i]->type, l->items[i]->config) == id)
			return (int)i;
	}
	return -1;
}

void evlist_set_rate(struct evlist *l, uint64_t freq_hz, uint64_t period)
{
	for (size_t i = 0; i < l->count; i++) {
		struct evsel *e = l->items[i];

		if (e->rate == RATE_OWN || (e->rate == RATE_EVERY && freq_hz) || evsel_is_made(e))
			continue;
		e->freq_hz = freq_hz;
		e->period = freq_hz ? 0 : period;
	}
}

static void filter_add(struct evsel *e, const char *text)
{
	char *both = e->filter ? mem_printf("(%s) && (%s)", e->filter, text) : mem_strdup(text);

	free(e->filter);
	e->filter = both;
}

int evlist_set_filter(struct evlist *l, const char *text, struct error *err)
{
	struct evsel *last = l->count ? l->items[l->count - 1] : NULL;

	if (!*text)
		return error_set(err,
				 _("--filter: the filter is empty; it is an expression such as "
				   "'prev_pid == 1'"));
	if (!last || !last->takes_filter)
		return error_set(err,
				 _("--filter '%s' must follow a tracepoint, such as "
				   "-e sched:sched_switch --filter 'prev_pid == 1'"),
				 text);
	for (size_t i = 0; i < l->count; i++) {
		struct evsel *e = l->items[i];

		if (e == last || (last->glob && e->glob == last->glob))
			filter_add(e, text);
	}
	return 0;
}

bool evsel_is_clock(const struct evsel *e)
{
	return e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool evsel_is_occurrence(const struct evsel *e)
{
	return e->type == PERF_TYPE_TRACEPOINT || e->type == PERF_TYPE_BREAKPOINT || e->probe ||
	       (e->type == PERF_TYPE_SOFTWARE && !evsel_is_clock(e));
}

bool evsel_has_address(const struct evsel *e)
{
	return e->type == PERF_TYPE_BREAKPOINT ||
	       (e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_PAGE_FAULTS ||
						  e->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						  e->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ));
}

/* Types from PERF_TYPE_MAX up are those of PMU drivers; probes are too, but they have a text. */
bool evsel_is_hardware(const struct evsel *e)
{
	return e->type == PERF_TYPE_HARDWARE || e->type == PERF_TYPE_HW_CACHE ||
	       e->type == PERF_TYPE_RAW ||
	       (e->type >= PERF_TYPE_MAX && !e->probe && !evsel_is_made(e));
}

static void become_clock(struct evsel *e)
{
	free(e->name);
	free(e->base);
	e->name = mem_strdup("cpu-clock");
	e->base = mem_strdup("cpu-clock");
	e->type = PERF_TYPE_SOFTWARE;
	e->config = PERF_COUNT_SW_CPU_CLOCK;
}

bool evsel_fall_back(struct evsel *e)
{
	if (!e->is_default || e->role != EVSEL_SAMPLE || evsel_is_clock(e))
		return false;
	become_clock(e);
	return true;
}

struct evsel *evsel_clock_for(const struct evsel *e)
{
	struct evsel *clock = evsel_new("", 0);

	become_clock(clock);
	clock->freq_hz = e->freq_hz;
	clock->period = e->period;
	clock->halvings = e->halvings;
	clock->doublings = e->doublings;
	clock->rate = e->rate;
	clock->is_default = true;
	return clock;
}
