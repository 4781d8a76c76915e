/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_EVENT_H
#define PTOP_PERF_EVENT_EVENT_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/event-id.h"

/*
 * The events that have a name of their own in perf_event_open(2): the generalized hardware and
 * software events are rows of one table, the cache events every combination of three.  The parser
 * of event strings, the defaults, --list-events and the tests read the same rows.
 */
enum event_default { /* what the event is when no -e was given */
		     EVENT_NOT_DEFAULT,
		     EVENT_DEFAULT_SAMPLE,
		     EVENT_DEFAULT_COUNT,
};

struct event_info {
	const char *name;  /* canonical; perf's, and never translated */
	const char *alias; /* perf's other name, or NULL */
	uint32_t type;     /* perf_event_attr.type */
	uint64_t config;
	enum event_default use;
	const char *help; /* marked with N_() */
};

/*
 * Events that the kernel does not know: the time that threads spend, made by the engine of the records
 * of context switches (engine/offcpu.h), or in system calls (engine/syscalls.h).  Their `type`, and as `config`
 * which time it is.
 */
#define EVENT_TYPE_TIME UINT32_MAX
enum event_time {
	EVENT_TIME_OFF_CPU,
	EVENT_TIME_WALL_CLOCK,
	EVENT_TIME_RUN_DELAY,
	EVENT_TIME_WAKERS,
	EVENT_TIME_LATENCY,
	EVENT_TIME_SYSCALLS,
	EVENT_TIMES
};

/*
 * Likewise: bytes that are sent and received, which the live source counts (perf/live/network.c).  `config` is the
 * direction.
 */
#define EVENT_TYPE_NETWORK (UINT32_MAX - 1)
enum event_network { EVENT_NETWORK_SENT, EVENT_NETWORK_RECEIVED, NETWORK_DIRECTIONS };

/* Returns true if the TYPE of an event is one of these two: no event of the kernel is behind it. */
bool event_type_is_made(uint32_t type);

/* The row of ID; that of EVENT_OTHER is zeroed, and those with a name begin behind it. */
const struct event_info *event_at(enum event_id id);

/* The row with that type and config of perf_event_attr; EVENT_OTHER: none has. */
enum event_id event_id_of(uint32_t type, uint64_t config);

/* The row whose name or alias is the SIZE bytes at NAME, or NULL. */
const struct event_info *event_find(const char *name, size_t size);

/*
 * Cache events, such as L1-dcache-load-misses: "cache[-operation][-result]" in perf's spellings and
 * their short forms (l1d, llc-read-refs).  Without operation it is a load, without result an
 * access.
 */
#define EVENT_CACHE_NAME_MAX 32

/* The SIZE bytes at NAME as a config of PERF_TYPE_HW_CACHE: 0, or -1 when they name none. */
int event_cache_parse(const char *name, size_t size, uint64_t *config);

/* Writes the canonical name of CONFIG, NUL-terminated; -1 when it names none. */
int event_cache_format(uint64_t config, char name[EVENT_CACHE_NAME_MAX]);

/*
 * Walks all of them: start with *CURSOR 0; each call gives a config and its name, and returns 0, or
 * -1 at the end.
 */
int event_cache_next(size_t *cursor, uint64_t *config, char name[EVENT_CACHE_NAME_MAX]);

#endif
