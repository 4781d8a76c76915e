/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_ENGINE_STATE_H
#define PTOP_ENGINE_ENGINE_STATE_H

#include "base/account.h"
#include "base/hash.h"
#include "base/time-share.h"
#include "engine/attribution.h"
#include "naming/callers.h"
#include "naming/chains.h"
#include "naming/data.h"
#include "engine/engine-options.h"
#include "naming/inlines.h"
#include "naming/resolve.h"
#include "naming/late.h"
#include "naming/python-names.h"
#include "naming/function-sources.h"
#include "engine/target.h"
#include "engine/thinning.h"
#include "naming/unwinding.h"
#include "engine/usage.h"
#include "engine/syscalls.h"
#include "engine/times.h"
#include "engine/window.h"
#include "engine/watch.h"
#include "proc/groups.h"
#include "proc/host.h"
#include "proc/process.h"
#include "profile/counters.h"
#include "profile/invariant.h"
#include "profile/snapshot.h"

/*
 * The engine's inside, shared by engine-open.c (it is made), engine.c (records come in) and report*.c
 * (snapshots go out).
 */

/* The state of each CPU. */
struct cpu_state {
	uint32_t pid, tid;
	uint64_t epoch;         /* of `last`; see struct engine */
	struct thread *last;    /* of the newest record, while EPOCH is the engine's */
	struct thread *exiting; /* whose EXIT came last: its last switch has no pid */
};

/* A process that is gone, but has cells: by serial. */
struct past {
	uint32_t serial, pid;
	uint64_t owner; /* process_owner() */
	uint32_t group; /* number of its control group; 0 unknown */
	char comm[TASK_COMM_BYTES];
	uint64_t used; /* iteration whose snapshot had a cell of it */
};

struct engine;

#define PARTS_MAX 16 /* parts.h */

/* A sample that is counted, and its name. */
struct counted {
	struct thread *thread;
	const struct record *record;
	struct address address;
	struct cell_key key;
	uint32_t count; /* of samples that it stands for, itself among them */
	uint64_t time_ns;
	struct found_stack found;
};

/* How a part handles a sample. */
typedef void part_sample(struct engine *e, struct counted *s);

struct engine {
	struct engine_options options;
	struct target target;
	struct procfs procfs;
	bool has_procfs;
	bool tells_cpu;       /* each sample says on which CPU it was taken */
	struct strtab *names; /* as long as the engine */
	struct process_table *processes;
	struct spare_time
		*spare; /* of the budget, for files; NULL: a recording is read to its end */
	struct dso_cache *objects;
	struct frame_table *frames;
	struct resolver *resolver;
	struct lines *lines;         /* NULL: no debugging information is read */
	struct inlines *inlines;     /* NULL: what is inlined is not asked for */
	struct sources *sources;     /* NULL: nor is where functions are declared */
	struct chains *chains;       /* with no callers unless they were asked for */
	struct unwinding *unwinding; /* NULL: no copies of stacks are looked at */
	struct python_names *python; /* NULL: not looked for */
	struct late *late;           /* stacks whose rest comes later */
	struct callers callers;
	struct syscalls *syscalls;      /* NULL: no event of system calls */
	struct times *times;            /* NULL: no event of time */
	struct data_names *data;        /* NULL: no event brings addresses of data */
	part_sample *takers[PARTS_MAX]; /* of samples: parts.c chose them */
	size_t taker_count;
	struct thinning *thinning; /* NULL: each sample is told to somebody */
	struct histogram *histogram;
	struct windows *windows; /* NULL: the past is not kept */
	struct watch *watch;     /* NULL: no addresses of samples are kept */
	struct counters *counters;
	struct attribution *attribution;
	struct recorder *recorder; /* or NULL */
	const double *increase;    /* what the last record brought, or NULL; attribution's */
	struct host host;
	struct map past; /* serial to struct past, owned */
	/*
	 * Tids of threads that are gone, in the interval that ends next and in the previous one.  The
	 * last switches of a task come after its EXIT, and must not make it anew.
	 */
	struct map departed[2];

	struct groups *groups; /* NULL: nobody asked for them yet */
	/* As the last snapshot had them. */
	struct group_places {
		struct group_list *list; /* a reference; the last one has id 0 */
		uint32_t *of;            /* their places by slot, owned; UINT32_MAX: it has none */
		uint64_t changes;        /* groups_changes() then */
	} group_places;
	struct {
		uint32_t *shown; /* owned */
		size_t shown_count;
		bool all;
	} group_wish;       /* see struct groups_request */
	struct usage usage; /* what is to be known of the memory of processes */
	struct engine_look look;
	/* The kernel that a recording has with it: its memory and identity.  NULL: it has none. */
	const char *kcore;
	struct vmlinux_identity recorded_kernel;
	unsigned extras; /* enum snapshot_extra: what the snapshots shall have */
	struct cpu_state *cpus;
	size_t cpu_count;
	uint64_t epoch;                    /* grows when a (pid, tid) may mean another thread */
	char kernel_reference[64];         /* a symbol of a recording's kernel, */
	uint64_t kernel_reference_address; /* and where it was */
	uint64_t slice_end_ns;             /* when windows_advance() is due */
	uint64_t oldest_ns, newest_ns;     /* times of the records that have one */

	uint64_t stack[CHAIN_WORDS]; /* of the sample that is being recorded */
	uint64_t iteration;          /* snapshots made */
	uint64_t last_ns;    /* CLOCK_MONOTONIC at the end of the interval of the last one */
	uint64_t drained_ns; /* likewise: until then all is counted; 0: not drained yet */
	uint64_t own_ns,
		own_at_ns; /* CPU time of ptop, when the last one was made, and when that was */
	struct source_stats last_stats;
	struct chains_python last_python;
	uint64_t last_losses[LOSSES];
	uint64_t began_ns;              /* CLOCK_MONOTONIC when it was made */
	uint64_t reading_ns;            /* how long /proc was read for the last snapshot */
	bool in_doubt;                  /* records were lost since all processes were read */
	struct time_share doubt_rounds; /* of reading them because of that */
	uint64_t violations[INVARIANTS];
	struct account_sums account;
	uint64_t account_ns, trim_ns; /* when account_keep() is due, and its giving back */
	uint64_t shed_bytes;          /* since the start */
	struct engine_stats stats;
};

/* A recording begins where the sums of a batch do, at the first snapshot; a listener hears all. */
static inline bool engine_is_recording(const struct engine *e)
{
	return e->recorder && (e->iteration || e->options.listener);
}

bool engine_looks(const struct engine *e); /* a function is shown */
bool engine_keeps_addresses(const struct engine *e);

/* The arguments of usage_ask() and usage_fill(), for now; with /proc alone. */
struct usage_request engine_usage_request(const struct engine *e);

/* The thread TID is gone: records of it that are still to come make no new one. */
void engine_depart(struct engine *e, uint32_t tid);

#endif
