/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_REPORT_H
#define PTOP_ENGINE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/engine-state.h"

/*
 * A snapshot of the tables as they are.  report.c keeps the order.  First /proc is brought up to
 * date.  Then the cells of functions and stacks are copied (report-cells.c), which gives each task
 * its samples.  Then rows of processes and threads are laid out and summed (report-rows.c).  Then
 * events, machine and sampling are described (report-head.c, report-cpus.c, report-groups.c).  At last the sums of
 * the interval start anew, and ended tasks are forgotten.
 */

/* The sums over the cells of a process or thread. */
struct tally {
	double samples;
	const struct snapshot_process *row; /* of a process; NULL: of the past */
};

struct report {
	struct engine *e;
	const struct engine_request *request;
	struct snapshot *s;
	uint64_t now_ns;       /* CLOCK_MONOTONIC at the end of the interval */
	bool drained;          /* records were taken while /proc was read */
	uint64_t reading_ns;   /* how long /proc was read, now and for the last snapshot */
	struct map tally_of;   /* task to a number in `tallies` + 1 */
	struct tally *tallies; /* of tasks that have cells */
	size_t tally_count, tally_capacity;
	struct counter_value *sums;                /* one an event, of all rows */
	struct counter_value *of_idle, *of_nobody; /* likewise, of what has no row */
	struct counter_value *scratch;             /* one an event, of one row */
	bool *counted;                             /* one an event: was it counted at all? */
	bool any_counted;
	bool any_timed;        /* some task, an idle one or not, is known to have run */
	const double *idle[2]; /* counters of rows without a record: unknown, and zero */
	struct process **shown;
	size_t shown_count, shown_capacity;
	int sampled_event;     /* whose samples the rows show, or -1 */
	struct window *window; /* what cells, rows and events are of; NULL: of now */
	struct past **gone;    /* with it: processes that are no more, and have cells of it */
	size_t gone_count, gone_capacity;
	struct group_entry **group_of; /* one a row; NULL: unknown, or not of a process of now */
	uint32_t *node_map; /* from the engine's nodes to the snapshot's; NULL: the same */
};

/* The facts that a tier's records lack, so that /proc must tell them. */
struct report_tier {
	bool all;      /* nobody tells who ran */
	bool others;   /* the same, but of the tasks asked for: records tell of those */
	bool zero;     /* no record of a task means that it counted nothing */
	bool run_time; /* counters tell how long a task was on a CPU */
};

const struct report_tier *report_tier(enum source_tier tier);

/* The names come first: rows are as long as the list of events. */
void report_name_events(struct report *r);
/* Target, interval and clock; before the rows, whose rates are of that interval. */
void report_fill_head(struct report *r);
void report_losses(const struct report *r, uint64_t totals[LOSSES]); /* since the start */
/* After the rows, whose sum an event has where not the whole machine is measured. */
void report_fill_events(struct report *r);
void report_fill_host(struct report *r);
/* Each CPU, if anybody looks.  After report_name_events(). */
void report_fill_cpus(struct report *r);
/* Brings the groups up to date; before the rows. */
void report_read_groups(struct report *r);
/* Tells ROW, of P, its group, which is used.  Nothing happens if nobody looks.  After report_read_groups(). */
void report_find_group(struct report *r, size_t row, struct process *p);
/* Each group, with what its processes count; after the cells are named. */
void report_fill_groups(struct report *r);
/* Fills in how it was measured, and at what cost; after the events, whose samples it sums. */
void report_fill_sampling(struct report *r);

/* Before the cells: it tells them their nodes. */
void report_copy_nodes(struct report *r);
/* The last snapshot takes the cells away from the histogram. */
void report_copy_cells(struct report *r);
/* After the rows: cells share their names. */
void report_name_cells(struct report *r);
/* The tally of a process (TID 0) or thread, or NULL if it has no cell.  Borrowed until the next cell is copied. */
struct tally *report_tally(const struct report *r, uint32_t serial, uint32_t tid);

/* After the cells, which tell rows their samples. */
void report_fill_rows(struct report *r);
/* V scaled, in the event's unit; 0 when ABSENT_IS_ZERO and the task did not run; else NAN. */
double report_value(const struct report *r, const struct counter_value *v, size_t event,
		    bool absent_is_zero);
/* Was the event counted now, or in the window? */
bool report_counted_then(const struct report *r, size_t event);

#endif
