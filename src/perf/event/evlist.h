/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_EVLIST_H
#define PTOP_PERF_EVENT_EVLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/event-id.h"
#include "base/number-list.h"

struct buf;

/*
 * The events that are requested from the kernel.  An evsel ("event selector") is one event with its
 * modifiers.  An evlist is all of them, in the order of the request.  Every array that is indexed
 * by event has that order: counter values, histogram cells, snapshot events.
 *
 * An event that the kernel refuses stays in the list with `open_error` set: it is shown with its
 * reason, its values are absent, and indexes do not move.
 */
enum evsel_role {
	EVSEL_SAMPLE, /* writes samples; its values are counted as well */
	EVSEL_COUNT,  /* only counted, never makes a record of its own */
};

enum evsel_rate {               /* where freq_hz and period come from */
		  RATE_DEFAULT, /* not asked for: evlist_set_rate() decides */
		  RATE_EVERY,   /* likewise, but without a period each occurrence is a sample */
		  RATE_OWN,     /* freq= or period= in the event's own text */
};

/*
 * Intel's counter of the slots of the pipeline, since Ice Lake, and parts of them, such as topdown-retiring.  The
 * kernel counts parts only in a group that `slots` leads, and then samples neither.
 */
#define EVSEL_SLOTS_CODE 0xffffu   /* the bits of config that say so: event=0x00, */
#define EVSEL_SLOTS_CONFIG 0x0400u /* umask=0x4; parts have umasks from 0x80 on */
enum evsel_slots { SLOTS_NONE, SLOTS_WHOLE, SLOTS_PART };

struct evsel {
	char *name;    /* shown: name= of its text, else that text made canonical; owned */
	char *base;    /* canonical, without rate, name and modifiers: "cycles"; owned */
	uint32_t type; /* perf_event_attr.type */
	uint64_t config, config1, config2;
	uint32_t bp_type;  /* breakpoints: HW_BREAKPOINT_* */
	char *probe;       /* uprobe: the file, kprobe: the function; else NULL; owned */
	bool takes_filter; /* a tracepoint or probe, whose records have fields to filter by */
	char *filter;      /* --filter text for PERF_EVENT_IOC_SET_FILTER, or NULL; owned */
	enum evsel_role role;
	uint64_t freq_hz;    /* sampling frequency; 0: by period */
	uint64_t period;     /* events per sample, when freq_hz is 0 */
	unsigned halvings;   /* how often a budget has halved freq_hz; see rate_reduced() */
	unsigned doublings;  /* how often a budget has doubled period; see rate_period() */
	uint64_t former_ns;  /* of a clock: what a sample stood for before RETUNED_NS */
	uint64_t retuned_ns; /* when its rate last changed, CLOCK_MONOTONIC; 0: never */
	enum evsel_rate rate;
	uint8_t precise_ip; /* 0 to 3, from :p */
	bool precise_max;   /* :P: the highest precise_ip that the machine takes, from 3 down */
	bool exclude_user, exclude_kernel, exclude_hv, exclude_idle, exclude_guest, exclude_host;
	bool pinned, exclusive;
	unsigned int modifiers; /* the letters as written, for evsel_format(); parse.c's bits */
	bool own_name;          /* `name` is name= of its text */
	int group;              /* events with the same number >= 0 were written as one {a,b} */
	bool group_read;        /* :S: a sample of the group's first event carries all its values */
	int glob;               /* events with the same number > 0 come from one sched:* */
	bool addresses;         /* its samples bring the address of data; the source sets it */
	bool per_cpu_only;      /* uncore and the like: has no meaning for one process */
	enum evsel_slots slots;
	struct number_list cpus; /* where its PMU is (cpus or cpumask file); empty: everywhere */
	double scale;            /* value shown = count × scale, as the PMU says; else 1 */
	char *unit;              /* of the scaled value ("Joules"), or NULL; owned */
	bool is_default;         /* not asked by the user: when refused, no message is owed */
	bool enabled;            /* counting and sampling now; toggled at run time */
	bool removed;            /* at run time; open_error and why say so, too */
	bool asked;     /* at run time, by a viewer: others see their own part of it alone */
	int open_error; /* errno of the refusal, 0 when open */
	char *why;      /* the refusal in words, or NULL; owned */
};

struct evlist {
	struct evsel **items; /* owned */
	size_t count;
	size_t capacity;
	int groups; /* how many {…} were written */
};

struct evlist *evlist_new(void);
void evlist_free(struct evlist *l); /* NULL is allowed */

/* An event of that base with the defaults of a sampled one; its name is still NULL. */
struct evsel *evsel_new(const char *base, size_t size);
void evsel_free(struct evsel *e);                   /* NULL is allowed */
void evlist_add(struct evlist *l, struct evsel *e); /* takes E over */

/* Finds what the name of a function means in a file; brought by whoever can read ELF files. */
struct event_resolver {
	/* The offset in the file at PATH of its function SYMBOL.  0, or -1 with ERR set. */
	int (*symbol_offset)(void *context, const char *path, const char *symbol, uint64_t *offset,
			     struct error *err);
	void *context;
};

/* The files and helpers that event names depend on.  All borrowed; zeroed, it is this machine. */
struct event_env {
	const char *sysfs;   /* NULL: "/sys" */
	const char *tracefs; /* NULL: looked for in its usual places and in /proc/mounts */
	const struct event_resolver *resolver; /* NULL: uprobe:PATH:SYMBOL is refused */
};

/*
 * Parses "cycles:u,{instructions,cache-misses},page-faults" and appends to L.  Every event of a -e
 * is to be sampled, as with `perf top -e`.  In a group with :S only the first one is, and events of
 * an uncore PMU cannot be.  ENV is what names are looked up in; without it, this machine.
 *
 * The syntax is perf's: perf-list(1), "EVENT MODIFIERS" and after.  There are differences.
 * `cycles` is one event on a machine with several kinds of CPU; write cpu_core/cycles/ for one
 * kind.  Probes are written uprobe:PATH:SYMBOL[+OFFSET], uretprobe:… and kprobe:FUNCTION[+OFFSET],
 * and need no definition beforehand.  A ':' in PATH is "\:".
 *
 * 0, or -1 with ERR naming the text, the column (in bytes, from 1), the token there, and what would
 * work; L is then unchanged.
 */
int evlist_parse(struct evlist *l, const char *text, struct error *err);
int evlist_parse_in(struct evlist *l, const char *text, const struct event_env *env,
		    struct error *err);

/* Adds the canonical text of E, or of all of L, to B: parsing it again gives the same. */
void evsel_format(const struct evsel *e, struct buf *b);
void evlist_format(const struct evlist *l, struct buf *b);

/*
 * --filter: TEXT, a filter of the kernel's trace events, for the last tracepoint or probe in L, and
 * for all that one glob gave.  A second one must hold as well.  0, or -1 with ERR set when the last
 * event is of another kind.
 */
int evlist_set_filter(struct evlist *l, const char *text, struct error *err);

/*
 * The events that CONTRACT's "with no -e" names: sample cycles, count the hardware counters and the
 * software events.  All are marked is_default.  perf_source_open() falls back to cpu-clock.
 */
void evlist_add_defaults(struct evlist *l);

/* Returns true if the engine makes the event, not the kernel: EVENT_TYPE_TIME of event.h. */
bool evsel_is_time(const struct evsel *e);
/* Returns true if that is the one of system calls, which no context switch tells. */
bool evsel_is_syscalls(const struct evsel *e);

/* Returns true if the live source counts it from tracepoints: EVENT_TYPE_NETWORK. */
bool evsel_is_network(const struct evsel *e);
/* Returns true if no event of the kernel is behind E: it is of time or of the network. */
bool evsel_is_made(const struct evsel *e);

bool evsel_is_clock(const struct evsel *e);    /* cpu-clock, task-clock */
bool evsel_is_hardware(const struct evsel *e); /* of a PMU */

/* Returns true if a sample is made where E occurs: software but clocks, tracepoints, breakpoints, probes. */
bool evsel_is_occurrence(const struct evsel *e);

/* Returns true if E has the address of what was touched: page faults, breakpoints. */
bool evsel_has_address(const struct evsel *e);

/* Turns a sampled event that nobody named into the clock.  Returns true if E may be tried again. */
bool evsel_fall_back(struct evsel *e);

/* Returns the clock in the place of E, which is not sampled after all; owned by the caller. */
struct evsel *evsel_clock_for(const struct evsel *e);

/* Returns true if L has an event of time that was not removed nor refused: switches must be told then. */
bool evlist_has_time(const struct evlist *l);

/* The same, or system calls: what these are without the stacks says little. */
bool evlist_wants_stacks(const struct evlist *l);

/* Index of the first event whose base, that is its name without modifiers, is NAME, or -1. */
int evlist_find(const struct evlist *l, const char *name);

/* Index of the first event that is ID, or -1. */
int evlist_find_id(const struct evlist *l, enum event_id id);

/*
 * Sets the rate of every event that did not bring its own (freq=, period=): FREQ_HZ, or when that
 * is 0 PERIOD.  A frequency leaves alone those of which every occurrence is a sample (tracepoints,
 * breakpoints, probes), so that the default of -F does not thin them out.
 */
void evlist_set_rate(struct evlist *l, uint64_t freq_hz, uint64_t period);

#endif
