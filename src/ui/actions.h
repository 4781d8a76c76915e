/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_ACTIONS_H
#define PTOP_UI_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/event-id.h"
#include "ui/themes.h"

/* A process, or a thread of one, as it was when a person chose it. */
struct ui_task {
	uint32_t pid, tid;    /* tid 0: the whole process */
	uint64_t start_ticks; /* of the process, since boot; 0 not known */
	char comm[32];        /* raw bytes, cut */
	bool kernel;          /* a kernel thread */
	double started_s;     /* since 1970; NAN not known */
};

/* An option, for the palette and the setup. */
struct ui_option {
	const char *name;     /* without the dashes; static, as the next */
	const char *help;     /* translated */
	const char *argument; /* translated; NULL: a switch */
	char value[256];      /* as the configuration has it; "" if it is longer */
};

/* One of the words that are the values of an option. */
struct ui_choice {
	char name[48];
	const char *help; /* translated, static; "": there is nothing to say */
};
#define UI_CHOICES_MAX 128

/*
 * The acts on processes.  None of these does anything to another process that got the pid
 * meanwhile.  Each returns 0, or -1 with ERR set.
 */
struct ui_acts {
	int (*send)(const struct ui_task *t, int number, struct error *err); /* to the process */
	/* The nice values of a thread, or of all that the process has, change by BY; *NOW: the first one's. */
	int (*renice)(const struct ui_task *t, int by, int *now, struct error *err);
	/* CPUs as for -C, and the priority for input and output: "be 4", "idle", "none". */
	int (*set_cpus)(const struct ui_task *t, const char *cpus, struct error *err);
	int (*set_io)(const struct ui_task *t, const char *priority, struct error *err);
	/* Append what it is now, as the two before take it. */
	int (*get_cpus)(const struct ui_task *t, struct buf *out, struct error *err);
	int (*get_io)(const struct ui_task *t, struct buf *out, struct error *err);
};

struct page;

/* Facts about one process, beyond its row. */
struct ui_facts {
	/*
	 * Starts to read, and forgets the process before.  ENVIRONMENT: its variables, too, which may hold
	 * secrets.  Returns 0, or -1 with ERR set.
	 */
	int (*begin)(void *context, const struct ui_task *t, bool environment, struct error *err);
	/* Adds to P what was read since the last call.  Returns true if no more comes. */
	bool (*add_to)(void *context, struct page *p);
};

/* app/'s part for the terminal: callbacks for effects beyond the screen, and the options. */
struct ui_actions {
	void *context;
	void (*enable_event)(void *context, size_t event, bool enabled);
	/* TEXT holds events as for -e.  Returns 0, or -1 with ERR set if they cannot be added. */
	int (*add_events)(void *context, const char *text, struct error *err);
	int (*add_event)(void *context, enum event_id id, struct error *err); /* likewise */
	/* Counts the events IDS, bits 1 << enum event_id, for columns.  Nothing happens where others measure. */
	void (*count_events)(void *context, uint32_t ids);
	/* From now on samples bring stacks.  Returns 0, or -1 with ERR set, which says what there is instead. */
	int (*take_stacks)(void *context, struct error *err);
	/* From now on Java programs are asked for names.  Returns 0, or -1 with ERR set. */
	int (*ask_java)(void *context, struct error *err);
	void (*remove_event)(void *context, size_t event);
	/* Samples an event with FREQ_HZ or, if that is 0, with PERIOD. */
	void (*retune_event)(void *context, size_t event, uint64_t freq_hz, uint64_t period);
	void (*set_delay)(void *context, double seconds); /* already checked: 0.1 to 3600 */
	void (*toggle_zero_mode)(void *context); /* from forgetting slowly to zero mode, and back */
	void (*zero)(void *context);
	void (*set_threads)(void *context, bool threads);
	/* From now on snapshots are of this window; both 0: of now. */
	void (*set_window)(void *context, uint64_t from_ns, uint64_t to_ns);
	void (*refresh)(void *context);                 /* requests a snapshot at once */
	void (*suspend)(void *context, bool suspended); /* around a job-control stop */
	int (*write_snapshot)(void *context, const char *path, struct error *err); /* key P */
	int (*write_config)(void *context, struct error *err); /* key W; may be NULL */
	/*
	 * The options that a person may change while ptop runs: fills OUT with number I, or returns false
	 * past the last.
	 */
	bool (*option)(void *context, size_t i, struct ui_option *out);
	/* Fills OUT with the words that option NAME may have; returns how many, 0 if its values are no words. */
	size_t (*choices)(void *context, const char *name, struct ui_choice out[UI_CHOICES_MAX]);
	/* Remembers all options and columns as they are now; the second one brings those back. */
	void (*remember_options)(void *context);
	void (*restore_options)(void *context);
	/* *SAID, static and translated, tells when it takes effect if that is not now; else NULL. */
	int (*set_option)(void *context, const char *name, const char *value, const char **said,
			  struct error *err);
	const struct ui_acts *acts;   /* NULL: nothing here changes a process */
	const struct ui_facts *facts; /* NULL: the processes do not live */
	/*
	 * The question to ask before leaving, which says what would break; NULL: none.  May itself
	 * be NULL.
	 */
	const char *(*before_leaving)(void *context);
};

struct ui_options {
	bool color; /* takes --no-color, NO_COLOR and TERM=dumb into account */
	const struct theme_colors *theme; /* borrowed for ui_open() alone */
	bool ascii;
	const char *keys;     /* the name of a scheme (ui/keymap.h); NULL: the first */
	const char *bindings; /* as for keymap_bind(); NULL: none */
	bool mouse;           /* clicks and the wheel come to ptop, not to the terminal */
	double delay_s;
};

#define UI_DELAY_MIN_S 0.1
#define UI_DELAY_MAX_S 3600

#endif
