/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/walks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "perf/bpf/kernel-python.h"
#include "perf/live/live-state.h"

struct walks {
	struct kernel_python *kernel;
	bool attached;
	uint64_t lost_before; /* by the kernel's programs before this one */
};

int walks_try(struct error *err)
{
	struct kernel_python *kernel = kernel_python_open(err);

	kernel_python_close(kernel);
	return kernel ? 0 : -1;
}

void walks_open(struct live *l)
{
	const struct source_options *o = &l->options;
	struct kernel_python *kernel;
	struct error why = { "" };

	if (!o->walk_python || o->engine == ENGINE_PERF)
		return;
	kernel = kernel_python_open(&why);
	if (!kernel) {
		l->source.walk_reason = mem_strdup(why.text);
		return;
	}
	l->walks = mem_alloc(sizeof(*l->walks));
	l->walks->kernel = kernel;
	l->walks->lost_before = l->source.stats.lost_walks;
	l->source.walks_python = true;
}

void walks_close(struct live *l)
{
	if (!l->walks)
		return;
	kernel_python_close(l->walks->kernel);
	free(l->walks);
	l->walks = NULL;
	l->source.walks_python = false;
}

/* An event that takes no such program, a tracepoint, has samples without walks. */
static void attach(const struct live *l, int fd, int event)
{
	if (event >= 0 && l->source.evlist->items[event]->role == EVSEL_SAMPLE)
		kernel_python_attach(l->walks->kernel, fd);
}

void walks_add(const struct live *l, int fd, int event)
{
	if (l->walks && l->walks->attached)
		attach(l, fd, event);
}

static void attach_group(const struct live *l, const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		attach(l, g->members[i].fd, g->members[i].event);
}

static void attach_all(struct live *l)
{
	l->walks->attached = true;
	for (size_t i = 0; i < l->cpu_count; i++) {
		const struct groups *groups = &l->cpus[i]->groups;

		for (size_t j = 0; j < groups->count; j++)
			attach_group(l, &groups->items[j]);
	}
}

void walks_renew(struct live *l)
{
	if (l->walks && l->walks->attached)
		attach_all(l);
}

int walks_watch(struct live *l, uint32_t tid, const struct python_walk *w)
{
	if (!l->walks)
		return -EOPNOTSUPP;
	if (w && !l->walks->attached)
		attach_all(l);
	return kernel_python_watch(l->walks->kernel, tid, w);
}

const struct python_walked *walks_find(struct live *l, const struct record *r)
{
	const struct python_walked *found;

	if (!l->walks || r->counts_only)
		return NULL;
	found = kernel_python_find(l->walks->kernel, r->cpu, r->tid, r->sample.ip, r->time_ns);
	l->source.stats.lost_walks = l->walks->lost_before + kernel_python_lost(l->walks->kernel);
	return found;
}
