/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_FORMAT_H
#define PTOP_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "view/view.h"

/*
 * Batch formats.  A format turns the view's rows into bytes.  It is one file with its writer and one struct
 * output_format format_NAME, and a row of FORMATS.
 */
struct output_request {
	struct view *view;                     /* the rows and their order; holds the snapshot */
	const char *table;                     /* csv: a name of list_find(); NULL: the view's */
	bool first;                            /* the output's first snapshot: write titles */
	const struct output_trigger *triggers; /* each --when, in their order; borrowed */
	size_t trigger_count;
	const struct output_push *push; /* borrowed; NULL: nothing is pushed */
	struct output_memory *memory;   /* borrowed; NULL: nothing was written before */
	const char *host,
		*labels; /* whose it is; NAME=VALUE[,NAME=VALUE...] of --push-label; NULL: none */
};

/*
 * The series that were written before, for a format that says when one has ended: for requests that follow each other.  As many as
 * one request has, at most twice.
 */
struct output_memory;
struct output_memory *output_memory_new(void);
void output_memory_free(struct output_memory *m); /* NULL is allowed */

/* The intervals of --push since ptop began, by their ends. */
struct output_push {
	uint64_t sent, dropped, refused, unanswered, waiting; /* intervals */
	uint64_t bytes;                                       /* that were sent */
	uint64_t refused_entries; /* points, or profiles, of intervals that were taken */
};

/* The state of a trigger after the snapshot, and counts since ptop began. */
struct output_trigger {
	const char *condition; /* as a person wrote it; borrowed */
	bool holds;
	uint64_t became_true, paused,
		failures; /* paused: of the first, how often nothing was done */
};

/* One sample, for a format of samples.  Texts are raw bytes. */
struct output_sample {
	uint64_t time_ns; /* the recording's clock, or CLOCK_MONOTONIC */
	const char *comm; /* of the thread; "" unknown */
	uint32_t pid, tid, cpu;
	const char *event;
	uint64_t period, address;
	const char *symbol; /* "[unknown]" if it has no name; OFFSET is then void */
	bool named;
	uint64_t offset;    /* bytes from the start of the symbol */
	const char *object; /* full path */
};

/* The ways in which several snapshots form one output. */
enum output_series {
	SERIES_FOLLOW,  /* each is appended to the one before */
	SERIES_REPLACE, /* the same on a pipe; in a file each replaces the one before */
	SERIES_LAST, /* in a file likewise; two are no document: a pipe gets the last one alone */
};

/*
 * Appends one whole snapshot to OUT.  Returns 0, or -1 with ERR set; OUT may then hold a part.
 */
typedef int output_writer(struct buf *out, const struct output_request *request, struct error *err);

/* Appends one sample. */
typedef void output_sampler(struct buf *out, const struct output_sample *sample);

struct output_format {
	const char *name;       /* as for --format */
	const char *extensions; /* of -o FILE: ".json .jsonl"; "" none; the longest that
					 * fits decides among formats */
	const char *help;       /* N_() */
	enum output_series series;
	output_writer *write;   /* NULL in a format of samples */
	output_sampler *sample; /* NULL in the others */
	/*
	 * SAMPLE prints no texts, so it works without a recording (-i), where symbols would come
	 * too late.
	 */
	bool address_alone;
	bool screen;      /* ended processes have the same rows as on the screen */
	bool stacks;      /* shows stacks, even without -g if a recording has some */
	const char *view; /* the only view that it shows, whatever --view says; NULL: any */
};

/*
 * The formats, a row each, in the order of the messages that list them: output_formats[] is made of it.  A format
 * that needs jansson or protobuf-c exists only in builds that have the library.
 */
#ifdef HAVE_JANSSON
#define FORMAT_WITH_JANSSON(...) __VA_ARGS__
#else
#define FORMAT_WITH_JANSSON(...)
#endif
#ifdef HAVE_PPROF
#define FORMAT_WITH_PPROF(...) __VA_ARGS__
#else
#define FORMAT_WITH_PPROF(...)
#endif

/* clang-format off */
#define FORMATS(ROW) \
	ROW(text) \
	FORMAT_WITH_JANSSON(ROW(json)) \
	FORMAT_WITH_JANSSON(ROW(findings)) \
	ROW(csv) \
	ROW(folded) \
	FORMAT_WITH_JANSSON(ROW(firefox)) \
	FORMAT_WITH_JANSSON(ROW(speedscope)) \
	FORMAT_WITH_PPROF(ROW(pprof)) \
	FORMAT_WITH_PPROF(ROW(remote_write)) \
	FORMAT_WITH_PPROF(ROW(otlp)) \
	FORMAT_WITH_PPROF(ROW(parca)) \
	FORMAT_WITH_PPROF(ROW(otlp_profiles)) \
	ROW(pc) \
	ROW(svg) \
	ROW(openmetrics) \
	ROW(samples)

#define FORMAT_DECLARE(name) extern const struct output_format format_##name;
FORMATS(FORMAT_DECLARE)
/* clang-format on */

/* Helpers of several formats. */

/* Rounds to three decimals for scripts: 99.599999999999994 is 99.6.  NAN stays NAN. */
double value_round(double value);

/*
 * Appends VALUE as the shortest decimal text: "1998", "99.6", "-0.125".  Appends nothing if it is
 * not finite.
 */
void value_print(struct buf *out, double value);

/* Appends TIME_NS since 1970 as "2026-01-31T12:00:00.250Z". */
#define TIME_TEXT_SIZE 40
void time_format(char out[TIME_TEXT_SIZE], uint64_t time_ns);

/*
 * Walks the sampled events: shows each one's symbols in the view, one event after the other, and
 * then restores the view.  Usage: `do { … } while (event_walk_next(&w));`
 */
struct event_walk {
	struct view *view;
	int first;
};

struct event_walk event_walk_start(struct view *v);
bool event_walk_next(struct event_walk *w);

#endif
