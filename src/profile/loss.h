/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_LOSS_H
#define PTOP_PROFILE_LOSS_H

/*
 * Everything that was seen, but not counted, kept or named.  Each is a row of one table: the header
 * shows those that happened in the interval, JSON has all.  Records that never came are the
 * source's: lost, throttled.
 */
enum loss_id {
	LOSS_MAPS,
	LOSS_NAMES,
	LOSS_GROUPS,
	LOSS_WAITS,
	LOSS_WALKS,
	LOSS_TASKS,
	LOSS_EVENTS,
	LOSS_COUNTS,
	LOSS_MEMORY,
	LOSS_CUT,
	LOSS_HIDDEN,
	LOSSES
};

struct loss {
	const char *name; /* for JSON: "unread_maps", … */
	const char *text; /* N_(): for the header, behind a number */
};

extern const struct loss losses[LOSSES];

#endif
