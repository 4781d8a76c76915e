/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/tracepoints.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "perf/live/live-state.h"
#include "perf/live/open.h"
#include "perf/live/tracepoint.h"

/* clang-format off */
#define FAMILY_ADDRESS(name) &family_##name,
static const struct tracepoint_family *const families[] = { TRACEPOINT_FAMILIES(FAMILY_ADDRESS) };
/* clang-format on */

#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* Events. */

void tracepoint_attr(const struct live *l, const struct tracepoint_wanted *w,
		     struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = w->tracepoint->id,
		.sample_period = w->period,
		.disabled = 1,
	};
	live_attr_finish(l, w->layout, NULL, attr);
	attr->exclude_callchain_kernel = w->user_stacks;
	if (attr->sample_stack_user > LEADER_STACK_BYTES)
		attr->sample_stack_user = LEADER_STACK_BYTES;
}

/* 0, or a negative errno. */
static int prepare(int fd, const struct cpu *c, const struct tracepoint_wanted *w, uint64_t *id)
{
	int err = perf_control(fd, PERF_EVENT_IOC_ID, (uintptr_t)id);

	if (!err && w->filter)
		err = perf_control(fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)w->filter);
	if (!err)
		err = perf_control(fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)c->groups.output_fd);
	if (!err && (!w->counts || w->counts->enabled))
		err = perf_control(fd, PERF_EVENT_IOC_ENABLE, 0);
	return err;
}

static void event_run(const struct tracepoint_event *b, bool run)
{
	if (b->fd >= 0)
		perf_control(b->fd, run ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static void event_close(struct tracepoint_event *b)
{
	if (b->fd < 0)
		return;
	event_run(b, false); /* a child that has not called exec() yet may hold it as well */
	close(b->fd);
	b->fd = -1;
	b->counts = NULL;
	b->former = b->now;
	b->now = (struct tracepoint_opening){ 0 };
}

/* The one of C for W: a new one where there was none yet. */
static struct tracepoint_event *event_of(struct cpu *c, const struct tracepoint_wanted *w)
{
	struct tracepoint_event *b = c->tracepoints;

	while (b && (b->family != w->family || b->which != w->which))
		b = b->next;
	if (b)
		return b;
	b = mem_alloc(sizeof(*b));
	b->next = c->tracepoints;
	b->family = w->family;
	b->which = w->which;
	b->fd = -1;
	c->tracepoints = b;
	return b;
}

int tracepoint_open(const struct live *l, struct cpu *c, const struct tracepoint_wanted *w)
{
	bool wide = w->family->of_everybody;
	struct perf_event_attr attr;
	struct tracepoint_event *b;
	uint64_t id = 0;
	int fd, err;

	tracepoint_attr(l, w, &attr);
	fd = perf_open(&attr, wide ? -1 : c->groups.pid, (int)c->number, -1,
		       wide ? 0 : c->groups.flags);
	if (fd < 0)
		return fd;
	err = prepare(fd, c, w, &id);
	if (err) {
		close(fd);
		return err;
	}
	b = event_of(c, w);
	event_close(b);
	b->fd = fd;
	b->counts = w->counts;
	b->now = (struct tracepoint_opening){ id, w->period, w->layout };
	return 0;
}

static void cpu_close(const struct cpu *c, const struct tracepoint_family *f, int which)
{
	for (struct tracepoint_event *b = c->tracepoints; b; b = b->next) {
		if (b->family == f && (which == TRACEPOINTS_ALL || b->which == which))
			event_close(b);
	}
}

void tracepoints_close(const struct live *l, const struct tracepoint_family *f, int which)
{
	for (size_t i = 0; i < l->cpu_count; i++)
		cpu_close(l->cpus[i], f, which);
}

/* If one CPU has none, the others must not seem to be all.  C may not be one of the open CPUs yet. */
static int family_open(struct live *l, struct cpu *c, const struct tracepoint_family *f)
{
	int err = f->open(l, c);

	if (!err)
		return 0;
	cpu_close(c, f, TRACEPOINTS_ALL);
	tracepoints_close(l, f, TRACEPOINTS_ALL);
	if (f->refuse)
		f->refuse(l, -err, NULL);
	return err;
}

int tracepoints_open_all(struct live *l, const struct tracepoint_family *f)
{
	int err = 0;

	for (size_t i = 0; i < l->cpu_count && !err; i++)
		err = family_open(l, l->cpus[i], f);
	return err;
}

void tracepoints_open(struct live *l, struct cpu *c)
{
	for (size_t i = 0; i < FAMILIES; i++)
		family_open(l, c, families[i]);
}

void tracepoints_free(struct cpu *c)
{
	struct tracepoint_event *next;

	for (struct tracepoint_event *b = c->tracepoints; b; b = next) {
		next = b->next;
		event_close(b);
		free(b);
	}
	c->tracepoints = NULL;
}

void tracepoints_redirect(const struct cpu *c)
{
	for (const struct tracepoint_event *b = c->tracepoints; b; b = b->next) {
		if (b->fd >= 0)
			perf_control(b->fd, PERF_EVENT_IOC_SET_OUTPUT,
				     (uintptr_t)c->groups.output_fd);
	}
}

void tracepoints_run(const struct cpu *c, bool run)
{
	for (const struct tracepoint_event *b = c->tracepoints; b; b = b->next)
		event_run(b, run && (!b->counts || b->counts->enabled));
}

void tracepoints_enable(const struct live *l, const struct evsel *e, bool enabled)
{
	for (size_t i = 0; i < l->cpu_count; i++) {
		for (const struct tracepoint_event *b = l->cpus[i]->tracepoints; b; b = b->next) {
			if (b->counts == e)
				event_run(b, enabled);
		}
	}
}

/* Records. */

struct tracepoint_event *tracepoints_find(const struct cpu *c, uint64_t id)
{
	for (struct tracepoint_event *b = c->tracepoints; b && id; b = b->next) {
		if (id == b->now.id || id == b->former.id)
			return b;
	}
	return NULL;
}

const struct tracepoint_opening *tracepoint_opening_of(const struct tracepoint_event *b,
						       uint64_t id)
{
	return id == b->now.id ? &b->now : &b->former;
}

/* The first word of such a sample is the identifier. */
const struct record_layout *tracepoints_layout(const struct cpu *c,
					       const struct perf_event_header *h)
{
	const struct tracepoint_event *b;
	uint64_t id;

	if (!c->tracepoints || h->size < sizeof(*h) + sizeof(id))
		return NULL;
	memcpy(&id, h + 1, sizeof(id));
	b = tracepoints_find(c, id);
	return b ? tracepoint_opening_of(b, id)->layout : NULL;
}

bool tracepoints_sample(struct live *l, const struct cpu *c, struct record *r)
{
	const struct tracepoint_event *b = tracepoints_find(c, r->id);

	if (!b)
		return false;
	r->counts_only = true;
	b->family->sample(l, b, r);
	return true;
}

/* Families. */

const struct tracepoint_family *tracepoints_of(const struct evsel *e)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		if (families[i]->tells && families[i]->tells(e))
			return families[i];
	}
	return NULL;
}

/* clang-format off */
#define FAMILY_ENTER(name) l->name = mem_alloc(family_##name.data_bytes);
#define FAMILY_LEAVE(name) free(l->name), l->name = NULL;
#define TELL(call, ...) \
	for (size_t i = 0; i < FAMILIES; i++) \
		if (families[i]->call) \
			families[i]->call(__VA_ARGS__)
/* clang-format on */

void tracepoints_enter(struct live *l)
{
	TRACEPOINT_FAMILIES(FAMILY_ENTER)
	TELL(enter, l);
}

void tracepoints_leave(struct live *l)
{
	TELL(leave, l);
	TRACEPOINT_FAMILIES(FAMILY_LEAVE)
}

void tracepoints_follow(struct live *l)
{
	TELL(follow, l);
}

void tracepoints_renew(struct live *l)
{
	TELL(renew, l);
}

void tracepoints_drained(struct live *l, uint64_t now_ns)
{
	TELL(drained, l, now_ns);
}

void tracepoints_ended(struct live *l, uint32_t tid)
{
	TELL(ended, l, tid);
}
