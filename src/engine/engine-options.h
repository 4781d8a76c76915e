/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_ENGINE_OPTIONS_H
#define PTOP_ENGINE_ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/attribution.h"
#include "naming/resolve.h"
#include "perf/record/source.h"
#include "perf/data/write.h"
#include "proc/process.h"
#include "profile/histogram.h"

/* The options of an engine, and its statistics. */
struct address_sums;

/* A sample that was counted.  All borrowed until the call returns. */
struct engine_sample {
	const struct record *record; /* its event is one of the evlist's */
	const struct thread *thread;
	const struct frame_table *frames;
	uint32_t frame;
	bool named; /* OFFSET is how far the address lies behind its symbol */
	uint64_t offset;
};

/* Called once a sample, in the order of the records, on the thread that runs the engine. */
typedef void engine_listener(void *context, const struct engine_sample *sample);

struct engine_options {
	const struct evlist *evlist; /* borrowed */
	enum source_tier tier;
	const struct clock *clock; /* borrowed */
	const char *proc_root;     /* NULL: "/proc"; not looked at with TIER_FILE */
	const char *sys_root;      /* NULL: "/sys/devices"; likewise */
	const char *kallsyms;      /* NULL: the running kernel's; "": none */
	const char *debug_root;    /* of debug files; NULL: "/usr/lib/debug" */
	struct zygote *zygote;     /* borrowed; whose workers read files; NULL: none */
	struct attacher *attacher; /* borrowed; asks Java programs for names; NULL: nobody does */
	bool ask_java;             /* from the start, and not from engine_ask_java() on */
	const char *version;       /* borrowed */
	struct source_options target; /* lists are borrowed; with `callchains` stacks are kept */
	enum histogram_mode mode;
	double half_life_s; /* 0: the default */
	unsigned extras;    /* enum snapshot_extra: from the first record on */
	size_t keep_files;  /* of processes, open: process_table_keep_files() */
	bool threads;       /* rows of threads, too */
	enum owners owners; /* to whom the kernel shows which process: process_owner() */
	bool commands;      /* all command lines, also of who is idle and unseen */
	/* With very many processes the first snapshot has those that did something, and some others. */
	bool early;              /* see process_table_scan_for() */
	bool synchronous;        /* load symbols in this thread, on first use */
	bool only_named;         /* functions without a name are one with their object */
	struct source *walker;   /* brings frames of Python if it can; borrowed; NULL: none */
	bool python;             /* functions of Python programs that run, with stacks */
	bool inlines;            /* inlined functions have frames of their own */
	bool stitch;             /* stacks larger than their copies (unwind/stitch.h) */
	size_t cell_limit;       /* 0: by MEMORY_BYTES */
	uint64_t memory_bytes;   /* for all tables (base/account.h); 0: the default */
	uint64_t from_ns, to_ns; /* TIER_FILE: only samples between them; both 0: all */
	bool past;               /* keep what was counted when: engine_set_window() */
	bool addresses;          /* where in functions samples are is kept, for engine_look(): */
	bool addresses_late;     /* while it looks at one */
	bool read_code_at_once;  /* in this thread; else in one of its own */
	bool symbol_counters;    /* credit what hardware counts to functions, too */
	const struct source_machine *machine; /* TIER_FILE: borrowed */
	engine_listener *listener;            /* or NULL */
	void *listener_context;
	/*
	 * Gets everything that is counted from the first snapshot on (with a listener: from the
	 * start); or NULL.
	 */
	struct writer *writer;
	struct record_layout layout;                   /* of the source's samples */
	const struct recorder_kernel *recorded_kernel; /* likewise; until engine_new() returns */
};

/* The function that is looked at. */
struct engine_look {
	uint32_t frame;              /* or, FRAME_NONE, */
	bool hottest;                /* that with the largest share of the first sampled event */
	bool hide_kernel, hide_user; /* what the hottest one is not */
	/* Tell of these addresses, which an earlier snapshot had; NULL: of those of now.  Borrowed. */
	struct address_sums *held;
};

/* Since the start.  Together with source_stats: where everything that is not shown went. */
struct engine_stats {
	uint64_t records;
	uint64_t ignored;          /* of a type that nothing is done with */
	uint64_t samples;          /* counted in the histogram */
	uint64_t counts_only;      /* samples that only brought counter values */
	uint64_t idle;             /* samples of idle CPUs, but with TIER_FILE */
	uint64_t filtered;         /* samples of tasks that are no target */
	uint64_t eventless;        /* samples of no event of ours */
	uint64_t taskless;         /* samples whose task did not fit in the table */
	uint64_t exiting;          /* records of tasks that had no pid any more */
	uint64_t times;            /* of `samples`: pieces of time, which no record is */
	uint64_t pending_overflow; /* samples that will stay without a name */
	struct attribution_stats attribution;
	struct resolver_stats resolver;
};
#endif
