/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_ROWS_H
#define PTOP_VIEW_LIST_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/number-list.h"
#include "profile/snapshot.h"
#include "profile/distribution.h"
#include "view/widget/column.h"
#include "view/list/cpu-past.h"
#include "view/list/ended.h"
#include "view/list/process-entry.h"
#include "view/list/share.h"
#include "view/widget/tree.h"

/* Identifies a control group, by its number, in every snapshot: above the keys of CPUs. */
static inline uint64_t group_key(uint32_t id)
{
	return (uint64_t)1 << 60 | id;
}

/*
 * Makes the rows of processes and symbols from a snapshot.  Processes are filtered and sorted.
 * Cells of one event are filtered, folded by symbol and sorted.
 *
 * Shares are those of view/list/share.h.  The idle task (pid 0) has a row if it has samples, as in
 * a recording.
 */
struct rows_request {
	int event;    /* index in the snapshot; -1: no symbols */
	bool threads; /* rows are threads where the snapshot has them */
	/*
	 * Processes stand under their parents.  A filter also keeps the ancestors of a row that
	 * passes; a zoom keeps the process and its descendants.  FOLDED has the serials of
	 * processes whose children are hidden, beside the keys of other lists.
	 */
	bool tree;
	const struct map *folded;
	bool each_ended;      /* each process that ended has a row, see view/list/ended.h */
	bool processes_alone; /* symbols are not wanted */
	bool hide_kernel, hide_user;
	bool of_all;     /* 100 % is all samples of the event, not those that are shown */
	bool by_process; /* a symbol row for each process */
	bool by_data;    /* and for each mapping of data */
	bool full_command;
	const char *process_text, *symbol_text; /* filters; NULL none */
	const struct number_list *pids;         /* NULL: all */
	const char *user;                       /* name or uid; NULL: all */
	bool zoomed;
	uint32_t zoom_process, zoom_tid; /* serial; tid 0: all its threads */
	const char *object_path;         /* as frame_object_path(), itself; NULL: all objects */
	const unsigned char *cpus;       /* by number + 1: samples of it are shown; NULL: of all */
	size_t cpu_count;                /* elements of `cpus` */
	const struct map *groups; /* keys of control groups whose processes are shown; NULL: all */
	const char *data_path;    /* of the mapping of the data; NULL: all */
	size_t limit_processes, limit_symbols; /* 0: all */
	/*
	 * The base, or NULL: a snapshot with the same events, frames and serials.  Rows that only
	 * the base has are added with zero samples.
	 */
	const struct snapshot *base;
	const struct choice_sort *process_sort, *symbol_sort;
	const struct cpu_past *cpu_past;
};

/* A symbol-table row: cells of one event folded by the view. */
struct symbol_row {
	uint16_t event;
	uint32_t frame;
	uint32_t data;    /* see struct snapshot_cell; 0 when folded over all */
	uint32_t process; /* serial; like pid and tid 0 when folded over all */
	uint32_t pid, tid;
	const char *comm; /* borrowed; NULL when folded over all, or unknown */
	double samples, period;
	double overhead_percent; /* share of the period, see view/list/share.h */
	double base;             /* period in the base; 0: no base */
	double delta_percent;    /* overhead minus overhead in the base; NAN: no base */
	double wall_percent;     /* share of the event latency; NAN: not measured */
	double longest;          /* the longest period of a sample, or wait */
	const struct distribution
		*waits; /* how long its waits lasted; NULL: the event counts no time; borrowed */
	struct distribution_facts lengths; /* of these */
	bool woken;                        /* `data` is who ended the waits */
	/*
	 * Counts by event; NAN: absent; borrowed.  `sampled` is the sum of the periods of that
	 * event's own samples.  `credited` is the increase of its counter up to samples of the
	 * shown event.
	 */
	const double *sampled, *credited;
};

struct rows {
	struct process_entry *processes;
	size_t process_count, process_capacity;
	size_t process_total; /* before filters and limits */
	struct symbol_row *symbols;
	size_t symbol_count, symbol_capacity;
	double *values; /* what `sampled` and `credited` of the symbols point to */
	size_t value_capacity;
	struct distribution *waits; /* likewise `waits` */
	size_t wait_capacity;
	struct shares shares;          /* what 100 % is */
	struct snapshot_process *gone; /* of processes that only the base has */
	struct ended ended;
	struct map shown; /* with rows_filtered(): serials of processes that pass, as threads too */
};

/*
 * The wholes of Q's event in S and in Q's base, see view/list/share.h.  R has the processes that
 * pass Q's filters, as for rows_cell_passes().  Walks over the cells once.
 */
struct shares rows_shares(const struct rows *r, const struct snapshot *s,
			  const struct rows_request *q);

/* BASE, or NULL if it has no samples of EVENT: then no share has a difference. */
const struct snapshot *rows_base(const struct snapshot *base, int event);

/* The bytes of PATH that identify a mapping: without " (deleted)". */
size_t rows_mapping_size(const char *path);

/* Rebuilds R, which starts zeroed.  Pointers in rows lead into S. */
void rows_build(struct rows *r, const struct snapshot *s, const struct rows_request *request);
void rows_fini(struct rows *r);

/* Identifies the entry from one snapshot to the next. */
static inline uint64_t rows_process_key(const struct process_entry *e)
{
	return e->key ? e->key : (uint64_t)e->process->serial << 32 | e->process->tid;
}

/* The past of the entry's process; NULL for a group, which has none. */
static inline const float *rows_cpu_past(const struct rows_request *q,
					 const struct process_entry *e)
{
	return q->cpu_past && !e->key ? cpu_past_of(q->cpu_past, e->process) : NULL;
}

/*
 * Returns true if cell C passes every filter that chooses samples.  R was built from the same
 * request, at least its processes, unless no filter is set.
 */
bool rows_cell_passes(const struct rows *r, const struct snapshot *s, const struct rows_request *q,
		      const struct snapshot_cell *c);
bool rows_filtered(const struct rows_request *q); /* a filter chooses processes */

/* A filter and the search look into pid, user, comm and, where shown, the command line... */
bool rows_process_matches(const struct snapshot_process *p, const char *text, bool full_command);
/* ... and the symbol and its object. */
bool rows_symbol_matches(const struct snapshot *s, const struct symbol_row *row, const char *text);

#endif
