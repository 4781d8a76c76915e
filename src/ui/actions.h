/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_ACTIONS_H
#define PTOP_UI_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/event-id.h"

/* app/'s part for the terminal: callbacks for effects beyond the screen, and the options. */
struct ui_actions {
	void *context;
	void (*enable_event)(void *context, size_t event, bool enabled);
	/* TEXT holds events as for -e.  Returns 0, or -1 with ERR set if they cannot be added. */
	int (*add_events)(void *context, const char *text, struct error *err);
	int (*add_event)(void *context, enum event_id id, struct error *err); /* likewise */
	/* From now on samples bring stacks.  Returns 0, also when they do already, or -1 with ERR set. */
	int (*take_stacks)(void *context, struct error *err);
	void (*remove_event)(void *context, size_t event);
	/* Samples an event with FREQ_HZ or, if that is 0, with PERIOD. */
	void (*retune_event)(void *context, size_t event, uint64_t freq_hz, uint64_t period);
	void (*set_delay)(void *context, double seconds); /* already checked: 0.1 to 3600 */
	void (*set_zero_mode)(void *context, bool zero);
	void (*zero)(void *context);
	void (*set_threads)(void *context, bool threads);
	/* From now on snapshots are of this window; both 0: of now. */
	void (*set_window)(void *context, uint64_t from_ns, uint64_t to_ns);
	void (*refresh)(void *context);                 /* requests a snapshot at once */
	void (*suspend)(void *context, bool suspended); /* around a job-control stop */
	int (*write_snapshot)(void *context, const char *path, struct error *err); /* key P */
	int (*write_config)(void *context, struct error *err); /* key W; may be NULL */
	/*
	 * The question to ask before leaving, which says what would break; NULL: none.  May itself
	 * be NULL.
	 */
	const char *(*before_leaving)(void *context);
};

struct ui_options {
	bool color; /* takes --no-color, NO_COLOR and TERM=dumb into account */
	bool ascii;
	bool mouse; /* clicks and the wheel come to ptop, not to the terminal */
	double delay_s;
	bool zero;
	double half_life_s;
};

#define UI_DELAY_MIN_S 0.1
#define UI_DELAY_MAX_S 3600

#endif
