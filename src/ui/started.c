/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The events that views and columns start: a view of page faults has them measured while it is shown, and no
 * longer.  Events that a person had before, or makes his own meanwhile, stay.
 */
#include "ui/plain-curses.h"
#include <string.h>

#include "ui/ui-state.h"
#include "view/kind.h"

/* The event of that kind that is sampled, or -1. */
static int event_sampled(const struct snapshot *s, enum event_id id)
{
	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->id == id && e->sampled && !e->removed)
			return (int)i;
	}
	return -1;
}

static struct ui_started *started_find(struct ui *u, enum event_id id)
{
	for (size_t i = 0; i < u->started_count; i++) {
		if (u->started[i].id == id)
			return &u->started[i];
	}
	return NULL;
}

static void started_forget(struct ui *u, struct ui_started *s)
{
	*s = u->started[--u->started_count];
}

static void start(struct ui *u, enum event_id id)
{
	struct error err;

	if (id == EVENT_OTHER || started_find(u, id) ||
	    event_sampled(view_snapshot(u->view), id) >= 0)
		return;
	if (u->actions.add_event(u->actions.context, id, &err)) {
		ui_say(u, "%s", err.text);
		return;
	}
	if (u->started_count < UI_STARTED_MAX)
		u->started[u->started_count++] = (struct ui_started){ id, -1 };
	u->actions.refresh(u->actions.context);
}

bool started_adopt(struct ui *u, size_t event)
{
	for (size_t i = 0; i < u->started_count; i++) {
		if (u->started[i].event != (int)event)
			continue;
		started_forget(u, &u->started[i]);
		return true;
	}
	return false;
}

bool started_adopt_text(struct ui *u, const char *text)
{
	const struct snapshot *s = view_snapshot(u->view);

	for (size_t i = 0; i < u->started_count; i++) {
		int event = event_sampled(s, u->started[i].id);

		if (event < 0 || strcmp(s->events[event].name, text))
			continue;
		started_forget(u, &u->started[i]);
		return true;
	}
	return false;
}

/* One that no snapshot has yet is ended when one has. */
static void end_unwanted(struct ui *u, const struct view_kind *kind)
{
	for (size_t i = u->started_count; i-- > 0;) {
		struct ui_started *s = &u->started[i];

		if (s->event < 0)
			s->event = event_sampled(view_snapshot(u->view), s->id);
		if (s->event < 0 || (kind && (s->id == kind->event || s->id == kind->also)))
			continue;
		u->actions.remove_event(u->actions.context, (size_t)s->event);
		u->actions.refresh(u->actions.context);
		started_forget(u, s);
	}
}

/* Counts what columns need that a person chooses on the screen, as long as they are chosen. */
static void count_for_columns(struct ui *u)
{
	const struct snapshot *s = view_snapshot(u->view);
	uint32_t wanted = view_wanted_ids(u->view);
	uint32_t more = wanted & ~u->columns_want, less = u->counted & ~wanted, gone = 0;

	for (size_t i = 0; i < s->event_count && (more || less); i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->removed)
			continue;
		more &= ~(1u << e->id);
		if (!(less >> e->id & 1) || e->sampled)
			continue;
		u->actions.remove_event(u->actions.context, i);
		gone |= 1u << e->id;
	}
	if (more && u->actions.count_events)
		u->actions.count_events(u->actions.context, more);
	u->counted = (u->counted & ~gone) | more;
	u->columns_want = wanted;
}

void started_follow(struct ui *u)
{
	const struct view_kind *kind = view_event_kind(u->view);

	if (!view_snapshot(u->view))
		return;
	count_for_columns(u);
	if (kind && kind != u->events_of) {
		start(u, kind->event);
		start(u, kind->also);
		u->requested = kind->also;
	}
	u->events_of = kind;
	end_unwanted(u, kind);
}
