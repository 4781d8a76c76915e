/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Tier 2 where samples of inherited events carry no values (before Linux 6.12), or where each task
 * having its counters on every CPU would take too many descriptors.
 *
 * Sampling is inherited; the counters are apart, one group per task that is read after each drain,
 * since the values of inherited events cannot be told apart.  A new task gets its group when its FORK
 * record arrives, so what it counts before is not seen.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perf/event/attr.h"
#include "perf/live/group-open.h"
#include "perf/live/open.h"
#include "perf/live/pertask.h"
#include "perf/live/turns.h"

static int sampler_open(struct live *l, const struct task *t, const struct cpu *c, size_t event)
{
	const struct evsel *e = l->source.evlist->items[event];
	struct perf_event_attr attr;

	evsel_attr_init(e, &attr);
	live_attr_finish(l, &l->source.layout, e, &attr);
	attr.inherit = 1;
	attr.exclude_kernel |= l->source.user_only;
	attr.exclude_hv |= l->source.user_only;
	attr.enable_on_exec = l->options.enable_on_exec && e->enabled;
	attr.disabled = !e->enabled || attr.enable_on_exec;
	return fd_redirect(perf_open(&attr, (int)t->tid, (int)c->number, -1, 0),
			   c->ring_fds[LANE_SAMPLES], e->filter);
}

/* One sampled event of T on C; an event that the machine does not have is refused for all. */
static int sampler_add(struct live *l, struct task *t, const struct cpu *c, size_t event)
{
	struct evsel *e = l->source.evlist->items[event];
	int fd = sampler_open(l, t, c, event);

	if (error_is_absence(fd) && !l->pertask->sampled[event] && l->plan.group_of[event] >= 0) {
		live_count_only(l, event);
		return 0;
	}
	if (error_is_absence(fd) && !l->pertask->sampled[event] && evsel_fall_back(e))
		fd = sampler_open(l, t, c, event);
	if (fd >= 0) {
		l->pertask->sampled[event] = true;
		l->source.hardware |= evsel_is_hardware(e);
		task_event_add(l, t, c, fd, (int)event);
		return 0;
	}
	if (!error_is_absence(fd))
		return fd;
	if (!l->pertask->sampled[event]) {
		live_refuse(l, event, -fd);
		l->plan.group_of[event] = GROUP_NONE;
	}
	return 0;
}

static int task_counters_open_on(struct live *l, struct task *t, const struct cpu *c)
{
	int err = 0;

	for (size_t i = 0; i < l->source.evlist->count && !err; i++) {
		const struct evsel *e = l->source.evlist->items[i];

		if (e->role == EVSEL_SAMPLE && !e->open_error)
			err = sampler_add(l, t, c, i);
	}
	return err;
}

/* The attr of a counter: its values are read, it writes nothing. */
static void task_counters_attr(const struct live *l, const struct evsel *e,
			       struct perf_event_attr *attr)
{
	if (e) {
		evsel_attr_init(e, attr);
		attr->disabled = !e->enabled;
	} else {
		attr->size = sizeof(*attr);
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
		attr->disabled = 1;
		attr->enable_on_exec = l->options.enable_on_exec;
	}
	attr->freq = 0;
	attr->sample_period = 0;
	attr->precise_ip = 0;
	attr->read_format = LIVE_READ_FORMAT;
	attr->exclude_kernel |= l->source.user_only;
	attr->exclude_hv |= l->source.user_only;
}

static int task_counters_open(struct live *l, struct task *t)
{
	int err;

	t->counters = (struct groups){
		.pid = (int)t->tid, .cpu = -1, .output_fd = -1, .counts_only = true
	};
	err = groups_lead(l, &t->counters);
	if (!err)
		err = groups_fill(l, &t->counters);
	l->pertask->fd_count += groups_fds(&t->counters);
	/* A task that was there waits for the exec; one that forked later has it behind itself. */
	if (!err && !(l->options.enable_on_exec && t->root == t))
		err = groups_run(&t->counters, true);
	return err;
}

static void task_counters_close(struct live *l, struct task *t)
{
	l->pertask->fd_count -= groups_fds(&t->counters);
	groups_close(l, &t->counters);
}

static size_t task_counters_root_need(const struct live *l)
{
	return groups_need(l) + l->cpu_count * (1 + l->source.evlist->count);
}

static uint64_t increase(uint64_t *last, uint64_t now)
{
	uint64_t delta = now - *last;

	*last = now;
	return delta;
}

/* Reads one group into the pertask's record: the increase since the last time.  False: none. */
static bool group_read(struct live *l, struct group *g)
{
	struct record_read *read_ = &l->pertask->record->read;
	uint64_t *words = l->pertask->values;
	uint64_t sum = 0;

	if (perf_read(g->members[0].fd, words, 3 + 2 * g->count) < 0 || words[0] != g->count)
		return false;
	read_->enabled_ns = increase(&g->enabled_ns, words[1]);
	read_->running_ns = increase(&g->running_ns, words[2]);
	read_->count = read_->dropped = 0;
	for (size_t i = 1; i < g->count && i <= RECORD_READ_MAX; i++) {
		uint64_t delta = increase(&g->members[i].value, words[3 + 2 * i]);

		read_->values[read_->count].value = delta;
		read_->values[read_->count].lost = 0;
		read_->values[read_->count++].id = (uint64_t)g->members[i].event;
		sum |= delta;
	}
	return sum || read_->running_ns;
}

static void task_counters_drained(struct live *l, uint64_t now_ns)
{
	struct task *t;
	size_t cursor = 0;

	while ((t = map_next(&l->pertask->tasks, &cursor))) {
		for (size_t i = 0; i < t->counters.count; i++) {
			if (group_read(l, &t->counters.items[i]))
				task_hand_over_read(l, t, now_ns);
		}
	}
}

static int task_counters_starved(struct live *l, struct task *t)
{
	return turns_look_again(l, &t->counters, TURNS_PATIENCE_NS);
}

static int task_counters_arrange(struct live *l, struct task *t)
{
	size_t fds = groups_fds(&t->counters);
	int err = t->counters.count ? groups_arrange(l, &t->counters) : 0;

	l->pertask->fd_count += groups_fds(&t->counters) - fds;
	return err;
}

static int samplers_enable(const struct task *t, size_t event, bool enabled)
{
	unsigned long request = enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	int err = 0;

	for (size_t i = 0; i < t->event_count; i++) {
		if (t->events[i].event == (int)event && ioctl(t->events[i].fd, request, 0) < 0)
			err = -errno;
	}
	return err;
}

static int task_counters_enable(struct live *l, struct task *t, size_t event, bool enabled)
{
	int err = samplers_enable(t, event, enabled);

	(void)l;
	return err ? err : groups_enable(&t->counters, event, enabled);
}

static int task_counters_run(struct live *l, struct task *t, bool run)
{
	const struct evlist *events = l->source.evlist;
	int err = 0;

	for (size_t e = 0; e < events->count && !err; e++) {
		if (events->items[e]->enabled)
			err = samplers_enable(t, e, run);
	}
	return err ? err : groups_run(&t->counters, run);
}

static int task_counters_retune(struct live *l, struct task *t, size_t event, uint64_t value)
{
	int err = 0;

	(void)l;
	for (size_t i = 0; i < t->event_count; i++) {
		if (t->events[i].event == (int)event &&
		    ioctl(t->events[i].fd, PERF_EVENT_IOC_PERIOD, &value) < 0)
			err = -errno;
	}
	return err;
}

static int task_counters_add(struct live *l, struct task *t, size_t event)
{
	const struct evsel *e = l->source.evlist->items[event];
	size_t fds = groups_fds(&t->counters);
	int err = 0;

	for (size_t i = 0; i < l->cpu_count && t == t->root && !err && e->role == EVSEL_SAMPLE; i++)
		err = sampler_add(l, t, l->cpus[i], event);
	if (!err && t->counters.count)
		err = groups_add(l, &t->counters, event);
	l->pertask->fd_count += groups_fds(&t->counters) - fds;
	return err;
}

static void task_counters_remove(struct live *l, struct task *t, size_t event)
{
	size_t fds = groups_fds(&t->counters), kept = 0;

	for (size_t i = 0; i < t->event_count; i++) {
		if (t->events[i].event == (int)event)
			close(t->events[i].fd);
		else
			t->events[kept++] = t->events[i];
	}
	l->pertask->fd_count -= t->event_count - kept;
	t->event_count = kept;
	groups_remove(&t->counters, event);
	l->pertask->fd_count -= fds - groups_fds(&t->counters);
}

static void task_counters_exec(struct task *t)
{
	t->counters.running = true;
}

const struct counting counting_by_task = {
	.attr = task_counters_attr,
	.open_on = task_counters_open_on,
	.open = task_counters_open,
	.close = task_counters_close,
	.root_need = task_counters_root_need,
	.child_need = groups_need,
	.drained = task_counters_drained,
	.starved = task_counters_starved,
	.arrange = task_counters_arrange,
	.enable = task_counters_enable,
	.run = task_counters_run,
	.retune = task_counters_retune,
	.add = task_counters_add,
	.remove = task_counters_remove,
	.exec = task_counters_exec,
};
