/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "perf/data/file.h"

struct player {
	struct source *source;
	struct objects *objects;
	struct map spaces; /* pid to struct space */
	enum unwind_machine machine;
	replay_receiver *receive;
	void *context;
};

static struct space *space_of(struct player *p, uint32_t pid)
{
	struct space *s = map_find(&p->spaces, (uint64_t)pid + 1);

	if (!s) {
		s = space_new(NULL);
		map_put(&p->spaces, (uint64_t)pid + 1, s);
	}
	return s;
}

static void play_mmap(struct player *p, const struct record *r)
{
	const struct record_mmap *m = &r->mmap;
	struct mapping mapping = { .start = m->start,
				   .end = m->start + m->length,
				   .pgoff = m->pgoff };

	if (!m->executable || r->cpumode == CPUMODE_KERNEL || m->pid == UINT32_MAX)
		return;
	mapping.path = objects_intern(p->objects, m->path);
	objects_get(p->objects, mapping.path); /* here, so that no sample's time has it */
	space_insert(space_of(p, m->pid), &mapping);
}

static void play_fork(struct player *p, const struct record *r)
{
	struct space *old;

	if (r->task.pid == r->task.ppid || r->task.own_space)
		return;
	old = map_remove(&p->spaces, (uint64_t)r->task.pid + 1);
	if (old)
		space_free(old);
	map_put(&p->spaces, (uint64_t)r->task.pid + 1, space_copy(space_of(p, r->task.ppid)));
}

static void play_sample(struct player *p, const struct record *r)
{
	const struct record_sample *s = &r->sample;
	struct objects_space space = { p->objects, space_of(p, r->pid) };
	struct replay_sample out = { .pid = r->pid, .tid = r->tid, .time_ns = r->time_ns };

	if (!unwind_regs_of_sample(&out.regs, p->machine, s->user_regs_abi, s->user_regs_mask,
				   s->user_regs))
		return;
	out.space = (struct unwind_space){ objects_find, &space };
	out.stack = (struct unwind_stack){ s->user_stack, s->user_stack_size,
					   out.regs.value[unwind_machine_regs[p->machine].sp] };
	p->receive(p->context, &out);
}

static void play(void *context, const struct record *r)
{
	struct player *p = context;

	switch (r->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		play_mmap(p, r);
		break;
	case RECORD_FORK:
		play_fork(p, r);
		break;
	case RECORD_COMM:
		if (r->comm.exec)
			space_clear(space_of(p, r->comm.pid));
		break;
	case RECORD_SAMPLE:
		play_sample(p, r);
		break;
	}
}

static void free_spaces(struct player *p)
{
	size_t cursor = 0;
	struct space *s;

	while ((s = map_next(&p->spaces, &cursor)))
		space_free(s);
	map_fini(&p->spaces);
}

bool replay(const char *path, struct objects *objects, replay_receiver *receive, void *context)
{
	struct player p = { .objects = objects, .receive = receive, .context = context };
	struct error error = { 0 };
	struct evlist *events = evlist_new();
	int64_t drained;

	p.source = file_source_open(events, path, &error);
	if (!p.source) {
		fprintf(stderr, "%s\n", error.text);
		evlist_free(events);
		return false;
	}
	p.machine = unwind_machine_of(
		p.source->machine && p.source->machine->arch ? p.source->machine->arch : "");
	while ((drained = p.source->ops->drain(p.source, play, &p)) > 0)
		;
	if (drained < 0)
		fprintf(stderr, "%s: %s\n", path,
			p.source->failure ? p.source->failure : strerror((int)-drained));
	free_spaces(&p);
	source_close(p.source);
	evlist_free(events);
	return drained == 0;
}
