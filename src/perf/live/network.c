/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/network.h"

#include <errno.h>

#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/event/rate.h"
#include "perf/live/live-state.h"

/*
 * AF_INET and AF_INET6, also of the loopback.  A result below 0 is an error, one of 0 an end.
 *
 * With MSG_PEEK (0x2) what was received will be received again.  With MSG_ERRQUEUE (0x2000) it is what the task sent
 * itself.
 */
#define INTERNET "ret>0&&(family==2||family==10)"

static const struct direction {
	const char *tracepoint, *filter;
} directions[NETWORK_DIRECTIONS] = {
	[EVENT_NETWORK_SENT] = { "sock:sock_send_length", INTERNET },
	[EVENT_NETWORK_RECEIVED] = { "sock:sock_recv_length", INTERNET "&&!(flags&8194)" },
};

int network_probe(const struct evsel *e, const struct event_env *env, struct error *err)
{
	struct tracepoint found;

	return tracepoint_read(&found, env, directions[e->config].tracepoint, "ret", err);
}

/* Makes EVENT the one of its direction.  0, or a negative errno: refused. */
static int enter(struct live *l, size_t event)
{
	const struct event_env here = { 0 };
	const struct evsel *e = l->source.evlist->items[event];
	struct network *n = &l->network[e->config];
	struct error err = { "" };

	if (e->role == EVSEL_SAMPLE)
		return live_refuse_because(l, event, EOPNOTSUPP,
					   _("it is only counted: --columns +tx/s,+rx/s; sample "
					     "sock:sock_send_length for the stacks"));
	if (n->event >= 0) /* under another name */
		return live_refuse_because(l, event, EEXIST, NULL);
	if (tracepoint_read(&n->tracepoint, &here, directions[e->config].tracepoint, "ret", &err))
		return live_refuse_because(l, event, ENOENT, err.text);
	n->event = (int)event;
	return 0;
}

/* Says why the columns have nothing, once for both. */
static void note_refusal(struct live *l)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (!evsel_is_network(e) || !e->is_default || !e->open_error || e->removed)
			continue;
		live_note(l, _("Bytes of the network are not counted: %s."), e->why);
		return;
	}
}

void network_enter(struct live *l)
{
	const struct evlist *events = l->source.evlist;

	for (int i = 0; i < NETWORK_DIRECTIONS; i++)
		l->network[i].event = -1;
	for (size_t i = 0; i < events->count; i++) {
		if (evsel_is_network(events->items[i]) && !events->items[i]->removed)
			enter(l, i);
	}
	note_refusal(l);
}

static int open_one(const struct live *l, struct cpu *c, int direction)
{
	const struct network *n = &l->network[direction];
	const struct evsel *e = l->source.evlist->items[n->event];
	struct perf_event_attr attr = { .config = n->tracepoint.id,
					.sample_period = rate_period(e) };
	int err;

	live_attr_finish(l, &l->wakeup_layout, NULL, &attr);
	err = tracepoint_open(&c->network[direction], &attr, &c->groups,
			      directions[direction].filter);
	if (!err && !e->enabled)
		tracepoint_run(&c->network[direction], false);
	return err;
}

static void close_all(struct live *l, int direction)
{
	for (size_t i = 0; i < l->cpu_count; i++)
		tracepoint_close(&l->cpus[i]->network[direction]);
}

/* If one CPU has no event, the others must not seem to be all. */
static int open_or_refuse(struct live *l, struct cpu *c, int direction)
{
	struct network *n = &l->network[direction];
	int err = open_one(l, c, direction);

	if (!err)
		return 0;
	close_all(l, direction);
	tracepoint_close(&c->network[direction]);
	live_refuse_because(l, (size_t)n->event, -err, NULL);
	n->event = -1;
	return err;
}

void network_open(struct live *l, struct cpu *c)
{
	for (int i = 0; i < NETWORK_DIRECTIONS; i++) {
		if (l->network[i].event >= 0)
			open_or_refuse(l, c, i);
	}
}

/* The direction that EVENT counts, or -1. */
static int direction_of(const struct live *l, size_t event)
{
	int direction = (int)l->source.evlist->items[event]->config;

	return l->network[direction].event == (int)event ? direction : -1;
}

int network_retune(struct live *l, size_t event)
{
	int err = 0, direction = direction_of(l, event);

	for (size_t i = 0; direction >= 0 && i < l->cpu_count && !err; i++)
		err = open_or_refuse(l, l->cpus[i], direction);
	return err;
}

int network_add(struct live *l, size_t event)
{
	int err;

	l->plan.group_of[event] = GROUP_NONE;
	err = enter(l, event);
	return err ? err : network_retune(l, event);
}

void network_remove(struct live *l, size_t event)
{
	int direction = direction_of(l, event);

	if (direction < 0)
		return;
	close_all(l, direction);
	l->network[direction].event = -1;
}

void network_close(struct cpu *c)
{
	for (int i = 0; i < NETWORK_DIRECTIONS; i++)
		tracepoint_close(&c->network[i]);
}

void network_redirect(const struct cpu *c)
{
	for (int i = 0; i < NETWORK_DIRECTIONS; i++)
		tracepoint_redirect(&c->network[i], c->groups.output_fd);
}

void network_run(const struct live *l, const struct cpu *c, bool run)
{
	for (int i = 0; i < NETWORK_DIRECTIONS; i++) {
		if (l->network[i].event >= 0)
			tracepoint_run(
				&c->network[i],
				run && l->source.evlist->items[l->network[i].event]->enabled);
	}
}

void network_enable(const struct live *l, size_t event, bool enabled)
{
	int direction = direction_of(l, event);

	for (size_t i = 0; direction >= 0 && i < l->cpu_count; i++)
		tracepoint_run(&l->cpus[i]->network[direction], enabled);
}

/* Which of those of C has that identifier, or -1. */
static int direction_made(const struct cpu *c, uint64_t id)
{
	for (int i = 0; i < NETWORK_DIRECTIONS; i++) {
		if (tracepoint_is(&c->network[i], id))
			return i;
	}
	return -1;
}

bool network_made(const struct cpu *c, uint64_t id)
{
	return direction_made(c, id) >= 0;
}

const struct record_layout *network_layout(const struct live *l, const struct cpu *c,
					   const struct perf_event_header *h)
{
	for (int i = 0; i < NETWORK_DIRECTIONS; i++) {
		if (tracepoint_made(&c->network[i], h))
			return &l->wakeup_layout;
	}
	return NULL;
}

bool network_sample(struct live *l, const struct cpu *c, struct record *r)
{
	int direction = direction_made(c, r->id);
	struct source_stats *stats = &l->source.stats;
	const struct network *n = &l->network[direction < 0 ? 0 : direction];
	uint64_t calls;
	int64_t bytes;

	if (direction < 0)
		return false;
	r->counts_only = true;
	if (n->event < 0 || !trace_field_read(&n->tracepoint.field, r->sample.raw,
					      r->sample.raw_size, false, &bytes))
		return true;
	calls = tracepoint_calls(&c->network[direction], r->id);
	r->event = n->event;
	r->increase = (uint64_t)bytes * calls;
	stats->event_samples[n->event]++;
	stats->event_periods[n->event] += calls;
	return true;
}
