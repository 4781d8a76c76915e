/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that a person picks out for what acts on them: tagged rows, or else the selected one. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "view/list/rows.h"
#include "view/view-state.h"

static uint64_t tag_key(const struct snapshot_process *p)
{
	return (uint64_t)p->serial << 32 | p->tid;
}

const struct snapshot_process *view_living_process(const struct view *v)
{
	const struct list_kind *pane = v->place.pane;
	size_t i = v->cursors[list_number(pane)].index;
	const struct snapshot_process *p;

	if (!v->snapshot || !view_is_of_processes(pane) || i >= view_row_count(v, pane) ||
	    v->lists.rows.processes[i].key)
		return NULL; /* a group of ended ones has a key */
	p = v->lists.rows.processes[i].process;
	return p->exited || !p->pid ? NULL : p;
}

bool view_is_tagged(const struct view *v, const struct snapshot_process *p)
{
	return v->tags.count && map_find(&v->tags, tag_key(p));
}

static void tag(struct view *v, const struct snapshot_process *p, bool on)
{
	if (on)
		map_put(&v->tags, tag_key(p), v); /* any pointer */
	else
		map_remove(&v->tags, tag_key(p));
}

bool view_on_process(const struct view *v)
{
	return v->snapshot && view_is_of_processes(v->place.pane);
}

bool view_toggle_tag(struct view *v)
{
	const struct snapshot_process *p = view_living_process(v);

	if (!p)
		return false;
	tag(v, p, !view_is_tagged(v, p));
	view_move(v, 1);
	return true;
}

/* The answers for a process while the descendants of one are looked for. */
enum { UNKNOWN, BELOW, ELSEWHERE };

/*
 * Tells if process I is ROOT or one of its descendants.  The answers for I and its ancestors go
 * into KNOWN, so that a long line of descent is walked once.  FIRST has the index, plus 1, of each
 * pid.
 */
static unsigned char find_kin(const struct snapshot *s, const struct map *first, size_t i,
			      unsigned char *known)
{
	unsigned char answer = ELSEWHERE;
	size_t at = i, next;

	/* Processes on the way count as elsewhere: pids that came back could make a ring. */
	for (; !known[at]; at = next - 1) {
		known[at] = ELSEWHERE;
		next = (size_t)(uintptr_t)map_find(first, s->processes[at].ppid);
		if (!next)
			break;
	}
	answer = known[at];
	if (answer == ELSEWHERE)
		return answer;
	for (at = i; known[at] == ELSEWHERE; at = next - 1) {
		known[at] = answer;
		next = (size_t)(uintptr_t)map_find(first, s->processes[at].ppid);
	}
	return answer;
}

static void tag_kin(struct view *v, uint32_t root)
{
	const struct snapshot *s = v->snapshot;
	unsigned char *known = mem_alloc(s->process_count);
	struct map first = { 0 };

	for (size_t i = s->process_count; i-- > 0;) {
		if (!s->processes[i].exited)
			map_put(&first, s->processes[i].pid, (void *)(uintptr_t)(i + 1));
		if (s->processes[i].pid == root)
			known[i] = BELOW;
	}
	for (size_t i = 0; i < s->process_count; i++) {
		if (!s->processes[i].exited && s->processes[i].pid &&
		    find_kin(s, &first, i, known) == BELOW)
			tag(v, &s->processes[i], true);
	}
	map_fini(&first);
	free(known);
}

bool view_tag_tree(struct view *v)
{
	const struct snapshot_process *p = view_living_process(v);

	if (!p)
		return false;
	tag_kin(v, p->pid);
	view_move(v, 1);
	return true;
}

bool view_drop_tags(struct view *v)
{
	bool some = v->tags.count;

	map_fini(&v->tags);
	return some;
}

bool view_has_tags(const struct view *v)
{
	return v->tags.count;
}

size_t view_chosen(const struct view *v, const struct snapshot_process **out, size_t max)
{
	const struct snapshot *s = v->snapshot;
	const struct snapshot_process *selected = view_living_process(v);
	size_t count = 0;

	for (size_t i = 0; s && v->tags.count && i < s->process_count; i++) {
		if (!s->processes[i].exited && view_is_tagged(v, &s->processes[i]) && count++ < max)
			out[count - 1] = &s->processes[i];
	}
	if (!count && selected && max)
		out[count++] = selected;
	return count;
}

void view_hold(struct view *v)
{
	struct view_cursor *c = &v->cursors[list_number(v->place.pane)];

	c->follows = true;
	cursor_put(v, v->place.pane, c->index);
}

bool view_follow(struct view *v)
{
	struct view_cursor *c = &v->cursors[list_number(v->place.pane)];

	c->follows = !c->follows;
	cursor_put(v, v->place.pane, c->index);
	return c->follows;
}

double view_started_s(const struct view *v, const struct snapshot_process *p)
{
	const struct snapshot_host *h = &v->snapshot->host;

	if (!p->start_ticks || !(h->ticks_per_s > 0))
		return NAN;
	return (double)v->snapshot->time_ns / 1e9 - h->uptime_s +
	       (double)p->start_ticks / h->ticks_per_s;
}
