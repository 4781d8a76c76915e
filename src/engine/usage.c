/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/usage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "naming/data.h"

void usage_fini(struct usage *u)
{
	memory_free(u->memory);
	map_fini(&u->requested);
	free(u->pids);
	memset(u, 0, sizeof(*u));
}

void usage_forget(struct usage *u, const struct process *p)
{
	if (u->memory && p)
		memory_forget(u->memory, p->serial);
}

static struct snapshot_usage usage_of(const struct smaps_usage *from)
{
	return (struct snapshot_usage){
		.resident = from->resident,
		.proportional = from->proportional,
		.swap = from->swap,
		.swap_proportional = from->swap_proportional,
		.private_clean = from->private_clean,
		.private_dirty = from->private_dirty,
		.shared_clean = from->shared_clean,
		.shared_dirty = from->shared_dirty,
		.anonymous = from->anonymous,
		.lazy_free = from->lazy_free,
	};
}

/* Why nothing is known, NULL when something is. */
static const char *missing(const struct memory_answer *a, const struct process *p)
{
	if (p->kernel)
		return _("a kernel thread has no memory of its own");
	if (!a->read_ns)
		return _("being read");
	if (a->error == -EACCES || a->error == -EPERM)
		return _("not permitted: run as root, or with CAP_SYS_PTRACE");
	if (a->error == -ESRCH || a->error == -ENOENT)
		return _("it has ended");
	if (a->error == -E2BIG)
		return _("it has more than a million mappings");
	return a->error ? strerror(-a->error) : NULL;
}

static double age_s(const struct memory_answer *a, uint64_t now_ns)
{
	if (!a->read_ns || a->error)
		return NAN;
	return a->read_ns < now_ns ? (double)(now_ns - a->read_ns) / NS_PER_S : 0;
}

struct copying {
	struct snapshot *s;
	size_t capacity;
};

static void copy_mapping(void *context, const char *path, uint64_t count,
			 const struct smaps_usage *usage)
{
	struct copying *c = context;
	struct snapshot_memory *m = &c->s->memory;
	const char *own = strtab_copy(c->s->arena, path);

	mem_grow((void **)&m->mappings, &c->capacity, m->mapping_count + 1, sizeof(*m->mappings));
	m->mappings[m->mapping_count++] = (struct snapshot_mapping){
		.path = own,
		.name = data_short_name(own),
		.count = count,
		.usage = usage_of(usage),
	};
}

static void fill_mappings(struct usage *u, struct snapshot *s, const struct process *p,
			  const struct usage_request *request)
{
	struct snapshot_memory *m = &s->memory;
	struct copying copying = { s, 0 };
	struct memory_answer a;

	m->process = p->serial;
	m->pid = p->pid;
	memory_mappings(u->memory, p->serial, copy_mapping, &copying, &a);
	m->mappings_age_s = age_s(&a, request->now_ns);
	m->mappings_missing = missing(&a, p);
	m->merged = a.merged;
	if (!memory_find(u->memory, p->serial, &a))
		return;
	m->usage = usage_of(&a.usage);
	m->age_s = age_s(&a, request->now_ns);
	m->missing = missing(&a, p);
}

static void fill_row(struct snapshot_process *row, const struct memory_answer *a, uint64_t now_ns)
{
	row->proportional_bytes = a->usage.proportional;
	row->swap_bytes = a->usage.swap;
	row->memory_age_s = age_s(a, now_ns);
}

/* Rows of threads have what their process has. */
static void fill_rows(struct usage *u, struct snapshot *s, uint64_t now_ns)
{
	for (size_t i = 0; i < s->process_count; i++) {
		struct memory_answer a;

		if (map_find(&u->requested, s->processes[i].serial) &&
		    memory_find(u->memory, s->processes[i].serial, &a))
			fill_row(&s->processes[i], &a, now_ns);
	}
}

/* Whose pids they are now; those that are there are wished for. */
static void resolve(struct usage *u, const struct usage_request *request)
{
	struct memory_wish *wishes = mem_array(u->count, sizeof(*wishes));
	size_t count = 0;

	u->first = 0;
	map_fini(&u->requested);
	for (size_t i = 0; i < u->count; i++) {
		const struct process *p = process_table_find(request->processes, u->pids[i]);
		bool first = !i && u->mappings;

		if (!p || (!first && (p->kernel || p->exited)))
			continue;
		if (first)
			u->first = p->serial;
		wishes[count++] = (struct memory_wish){ p->pid, p->serial };
		map_put(&u->requested, p->serial, u);
	}
	if (!u->memory && count)
		u->memory = memory_new(request->procfs, request->clock);
	if (u->memory)
		memory_want(u->memory, wishes, count, u->first != 0);
	free(wishes);
}

void usage_ask(struct usage *u, const struct usage_request *request, const uint32_t *pids,
	       size_t count, bool mappings)
{
	free(u->pids);
	u->pids = mem_array(count, sizeof(*u->pids));
	if (count)
		memcpy(u->pids, pids, count * sizeof(*pids));
	u->count = count;
	u->mappings = mappings;
	resolve(u, request);
}

void usage_fill(struct usage *u, struct snapshot *s, const struct usage_request *request)
{
	if (!u->memory)
		return;
	resolve(u, request);
	fill_rows(u, s, request->now_ns);
	if (u->first)
		fill_mappings(u, s, process_table_find(request->processes, u->pids[0]), request);
}
