/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_EVENTS_H
#define PTOP_PERF_DATA_FILE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "perf/event/evlist.h"
#include "perf/record/record.h"
#include "perf/record/trace-format.h"

/*
 * The events of a recording.  Each has an attr (the struct perf_event_attr of its time, in the byte
 * order of that machine) and the ids of its counters, one for each CPU or task.  They become events
 * of the evlist, in the order of the file; a record's id tells its event, and only that tells how
 * its bytes are laid out.  Inside perf/ only.
 */
#define FILE_EVENTS_MAX 4096u
#define FILE_IDS_MAX (4u * 1024 * 1024)

struct file_counter { /* one id: a counter of the kernel */
	size_t event;
	uint64_t total; /* its newest value in a sample's READ */
};

/* The meaning of the samples of a tracepoint: see file-sched.h. */
enum file_sched_kind {
	FILE_SCHED_NONE,
	FILE_SCHED_SWITCH,
	FILE_SCHED_WAKE,
	FILE_SCHED_ENTER, /* a system call */
	FILE_SCHED_LEAVE
};

struct file_sched {
	enum file_sched_kind kind;
	struct trace_field field,
		other;          /* prev_state and next_pid; or who is woken; or id and ret */
	struct trace_field who; /* prev_pid; its SIZE is 0 if there is none */
};

struct file_event {
	struct record_layout layout;
	uint64_t period; /* of samples that do not say it themselves: as in perf, the rate too */
	bool context_switch; /* there are records of switches */
	struct file_sched sched;
	bool per_task; /* PERF_SAMPLE_READ with inherit: a value is of one task */
	/* Where the time is, in words: of a sample from its front, else from the end; -1 nowhere. */
	int sample_time, trailer_time;
};

struct file_events {
	struct evlist *evlist; /* borrowed */
	struct file_event
		*items; /* as many as the file has; the evlist may have more behind them */
	size_t count, capacity;
	bool swap;     /* the file has the other byte order */
	bool complete; /* all were checked: no more may come */
	bool backward; /* some are in buffers that are written from the end */
	/* Where the id is, as above: the same for all events. */
	int sample_id, trailer_id;
	size_t id_size;              /* of every event's sample_id; 0: they differ */
	struct map counters;         /* id, mixed with the task where per_task, to file_counter */
	struct file_counter *newest; /* found last, of id NEWEST_ID */
	uint64_t newest_id;
};

void file_events_fini(struct file_events *f);

/*
 * Adds the event of the attr that ATTR holds (of its own size; what is newer than we know is
 * ignored).  The index, or -1 with ERR set.
 */
int file_events_add(struct file_events *f, const struct bytes *attr, struct error *err);
int file_events_add_id(struct file_events *f, size_t event, uint64_t id); /* 0; -1: too many */
void file_events_set_name(struct file_events *f, size_t event, const char *name, size_t size);

/* The first event that was opened with an id, or -1. */
int file_events_find_id(const struct file_events *f, uint64_t id);

/* 0 when records can be told apart, else -1 with ERR set.  Once all events are there; sets `complete`. */
int file_events_check(struct file_events *f, struct error *err);

/* Whose record the SIZE bytes at DATA are, and when; the event is -1 when the id is unknown. */
struct file_stamp {
	int event;
	uint64_t time_ns; /* 0 unknown */
};
struct file_stamp file_events_stamp(struct file_events *f, const unsigned char *data, size_t size,
				    uint32_t type);

/* The counter of ID in a sample's READ, of the task TID where it matters; NULL when unknown. */
struct file_counter *file_events_counter(struct file_events *f, uint64_t id, uint32_t tid);

#endif
