/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_SESSION_H
#define PTOP_APP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "app/command.h"
#include "app/ending.h"
#include "app/exporter.h"
#include "app/events.h"
#include "app/facts.h"
#include "app/feed.h"
#include "app/options.h"
#include "app/signals.h"
#include "app/sink.h"
#include "app/target-check.h"
#include "app/then.h"
#include "base/buf.h"
#include "base/error.h"
#include "engine/collector.h"
#include "output/output.h"
#include "perf/event/evlist.h"
#include "perf/data/write.h"
#include "ui/ui.h"
#include "view/view.h"

/*
 * One run of ptop: everything that is open, and the steps that its ways to run share.  app/run.h opens
 * and closes it.
 */
struct sample_lines { /* a format of samples: written by the collector's thread */
	struct buf text;
	struct error error;
	int result; /* of the writing, as output_write() */
};

struct session {
	struct options *options; /* borrowed; keys change it, so that W can write it */
	struct signals signals;
	struct ending *ending; /* ends what hangs; NULL before anything is measured */
	int status;            /* of the run, when it is over */
	struct target target;
	struct evlist *evlist;
	struct event_names event_names;
	struct command command;
	struct launch launch;        /* what its runtime is told */
	struct attacher *attacher;   /* asks Java programs for names, or NULL */
	struct collector *collector; /* NULL with --attach */
	struct viewer *viewer;       /* --attach, or NULL */
	struct feed feed;            /* of one of both */
	struct server *server;       /* --serve, or NULL */
	struct view *view;
	struct exporter *exporter; /* --listen, or NULL */
	struct base *base;         /* --base, or NULL */
	struct rebase *rebase;     /* likewise: what snapshots are compared with; the base's */
	bool base_shown;           /* the view has it, or had */
	struct then *then;         /* each --when; NULL: there is none */
	struct facts
		*facts; /* interactive: of the process that a person asks about; NULL: none yet */
	struct push *push;        /* --push, or NULL */
	struct view *exported;    /* the rows of metrics and profiles, whatever the screen shows */
	struct ui *ui;            /* interactive only */
	char *notice;             /* interactive: the first of the notes; owned */
	bool unpainted;           /* the terminal did not take the newest screen */
	struct buf first_sort;    /* interactive: how the view sorted at the start, */
	struct buf first_columns; /* and its columns */
	struct options
		remembered; /* interactive: what the setup began with; borrows as `options` does, */
	struct buf remembered_sort, remembered_columns; /* and so the view */
	size_t limit_processes;                         /* rows that are written, 0: all */
	size_t limit_symbols;                           /* likewise */
	struct sink output; /* batch; else only its fd: the terminal, for what follows the screen */
	struct tap *tap;    /* batch with a format of samples, without -i; or NULL */
	struct writer *writer;                   /* --record, or NULL */
	struct recorder_kernel *recorded_kernel; /* likewise */
	bool record_told, record_lack_told;      /* that it failed; that it lacks an event */
	struct sample_lines samples;             /* batch with -i only */
	bool groups;                             /* files of control groups are to be read */
	bool memory;             /* something is to be known of the memory of processes */
	struct engine_look look; /* likewise */
	unsigned extras;         /* enum snapshot_extra: what was asked for */
	uint64_t refreshes;      /* snapshots that were shown or printed */
	uint64_t next_ns;        /* CLOCK_MONOTONIC: when the next one is asked for */
	bool commands;           /* the collector reads all command lines */
	bool threads;            /* its snapshots have rows of threads */
	bool growing;  /* interactive: the recording has not ended: refreshes show what came */
	int keys_fd;   /* the terminal, until the recording in standard input is open; else -1 */
	bool awaiting; /* it has been asked for and is not there yet */
	bool window_chosen;   /* another window than the one that is shown may come */
	uint64_t requests;    /* interactive: how many were due, from the start */
	bool full, full_next; /* the newest, and the next, have a whole delay before them */
	bool stopped;         /* a signal asks us to end */
};

/* The two ways to run.  The exit status; when it is 1, ERR says why. */
int batch_run(struct session *s, struct error *err);
int live_run(struct session *s, struct error *err);

/* Waits until a delay has passed since the last call, or, at first, since `next_ns`; not when we are to end. */
void session_sleep(struct session *s);

/* Used by both: asks the collector, and hands the answer to the view. */
void session_request(struct session *s);

unsigned
session_extras(const struct session *s); /* enum snapshot_extra: what snapshots must have */
/*
 * For formats that have no place for it: ERR is set where the kernel, or a queue that DROPPED some, had
 * no room for samples.
 */
void session_tell_lost(const struct session *s, uint64_t dropped, struct error *err);

bool session_take(struct session *s); /* whether the view has a new snapshot */
uint64_t session_now_ns(void);        /* CLOCK_MONOTONIC */

/* The view into SINK.  As output_write(): 0, 1 when the reader has gone, -1 with ERR set. */
int session_write(struct session *s, struct sink *sink, struct error *err);

/*
 * Waits for the answer to the newest request to FEED, that of S or of its base.  Owned by the caller;
 * NULL when END_NS (CLOCK_MONOTONIC) passed, FEED has failed, or a signal asks us to end.
 */
struct snapshot *session_wait(struct session *s, struct feed feed, uint64_t end_ns);

/*
 * Waits for the answer to session_request(), which it makes.  0; 1 when a signal asks us to end; or -1 with
 * ERR set when the collector has failed.
 */
int session_snapshot(struct session *s, struct error *err);

/* Once a signal asks us to end: what was measured since the last snapshot, for --push, if it comes soon. */
void session_push_rest(struct session *s);

/* Tells what is new of the connection to another machine: on the screen, or on standard error. */
void session_tell_news(const struct session *s);

/* The common part of receiving a signal: the command gets it too, or we are to end. */
void session_signal(struct session *s, const struct signal_event *event);

#endif
