/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Bytes that tasks send and receive by internet sockets, from the tracepoints sock:sock_send_length and
 * sock:sock_recv_length (Linux 6.3).  The events net-sent and net-received are no events of the kernel.
 * Each has its tracepoint while it is in the list.  Each call that sent or received makes a record, with the
 * task and its bytes (`increase` in perf/record/source.h).
 *
 * A budget raises the period of the event as it does for any other.  Then one call in so many makes a record,
 * and stands for the bytes of all of them: an estimate.
 */
#include <errno.h>

#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/event/rate.h"
#include "perf/live/live-state.h"
#include "perf/live/tracepoint.h"
#include "perf/live/tracepoints.h"

/*
 * AF_INET and AF_INET6, also of the loopback.  A result below 0 is an error, one of 0 an end.
 *
 * With MSG_PEEK (0x2) what was received will be received again.  With MSG_ERRQUEUE (0x2000) it is what the task sent
 * itself.
 */
#define INTERNET "ret>0&&(family==2||family==10)"

struct network {                      /* of one direction */
	int event;                    /* its index; -1: nobody wants it, or it is refused */
	struct tracepoint tracepoint; /* its field is the length */
};

static const struct direction {
	const char *tracepoint, *filter;
} directions[NETWORK_DIRECTIONS] = {
	[EVENT_NETWORK_SENT] = { "sock:sock_send_length", INTERNET },
	[EVENT_NETWORK_RECEIVED] = { "sock:sock_recv_length", INTERNET "&&!(flags&8194)" },
};

static int network_probe(const struct evsel *e, const struct event_env *env, struct error *err)
{
	struct tracepoint found;

	return tracepoint_read(&found, env, directions[e->config].tracepoint, "ret", err);
}

/* Makes EVENT the one of its direction.  0, or a negative errno: refused. */
static int event_enter(struct live *l, size_t event)
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

static void network_enter(struct live *l)
{
	const struct evlist *events = l->source.evlist;

	for (int i = 0; i < NETWORK_DIRECTIONS; i++)
		l->network[i].event = -1;
	for (size_t i = 0; i < events->count; i++) {
		if (evsel_is_network(events->items[i]) && !events->items[i]->removed)
			event_enter(l, i);
	}
	note_refusal(l);
}

/* The other direction may still be had. */
static int open_or_refuse(struct live *l, struct cpu *c, int direction)
{
	struct network *n = &l->network[direction];
	const struct evsel *e = l->source.evlist->items[n->event];
	const struct tracepoint_wanted wanted = {
		.family = &family_network,
		.which = direction,
		.tracepoint = &n->tracepoint,
		.layout = &l->fields_layout,
		.period = rate_period(e),
		.filter = directions[direction].filter,
		.counts = e,
	};
	int err = tracepoint_open(l, c, &wanted);

	if (!err)
		return 0;
	tracepoints_close(l, &family_network, direction);
	live_refuse_because(l, (size_t)n->event, -err, NULL);
	n->event = -1;
	return err;
}

static int network_open(struct live *l, struct cpu *c)
{
	for (int i = 0; i < NETWORK_DIRECTIONS; i++) {
		if (l->network[i].event >= 0)
			open_or_refuse(l, c, i);
	}
	return 0;
}

/* The direction that EVENT counts, or -1. */
static int direction_of(const struct live *l, size_t event)
{
	int direction = (int)l->source.evlist->items[event]->config;

	return l->network[direction].event == (int)event ? direction : -1;
}

static int network_retune(struct live *l, size_t event)
{
	int err = 0, direction = direction_of(l, event);

	for (size_t i = 0; direction >= 0 && i < l->cpu_count && !err; i++)
		err = open_or_refuse(l, l->cpus[i], direction);
	return err;
}

static int network_add(struct live *l, size_t event)
{
	int err = event_enter(l, event);

	return err ? err : network_retune(l, event);
}

static void network_remove(struct live *l, size_t event)
{
	int direction = direction_of(l, event);

	if (direction < 0)
		return;
	tracepoints_close(l, &family_network, direction);
	l->network[direction].event = -1;
}

/* An increase. */
static void network_sample(struct live *l, const struct tracepoint_event *b, struct record *r)
{
	const struct network *n = &l->network[b->which];
	struct source_stats *stats = &l->source.stats;
	uint64_t calls = tracepoint_opening_of(b, r->id)->period;
	int64_t bytes;

	if (n->event < 0 || !trace_field_read(&n->tracepoint.field, r->sample.raw,
					      r->sample.raw_size, false, &bytes))
		return;
	r->event = n->event;
	r->increase = (uint64_t)bytes * calls;
	stats->event_samples[n->event]++;
	stats->event_periods[n->event] += calls;
}

const struct tracepoint_family family_network = {
	.data_bytes = NETWORK_DIRECTIONS * sizeof(struct network),
	.open = network_open,
	.sample = network_sample,
	.enter = network_enter,
	.tells = evsel_is_network,
	.probe = network_probe,
	.add = network_add,
	.remove = network_remove,
	.retune = network_retune,
};
