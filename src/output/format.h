/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_FORMAT_H
#define PTOP_OUTPUT_FORMAT_H

#include "output/output.h"

/*
 * The common part of the formats, and the formats themselves, as output_formats[] calls them.  Each
 * appends one whole snapshot to OUT.  Returns 0, or -1 with ERR set; OUT may then hold a part.
 */
int text_write(struct buf *out, const struct output_request *request, struct error *err);
int json_write(struct buf *out, const struct output_request *request, struct error *err);
int csv_write(struct buf *out, const struct output_request *request, struct error *err);
int openmetrics_write(struct buf *out, const struct output_request *request, struct error *err);
int firefox_write(struct buf *out, const struct output_request *request, struct error *err);
int speedscope_write(struct buf *out, const struct output_request *request, struct error *err);
int pprof_write(struct buf *out, const struct output_request *request, struct error *err);
int svg_write(struct buf *out, const struct output_request *request, struct error *err);
int folded_write(struct buf *out, const struct output_request *request, struct error *err);

void pc_write(struct buf *out, const struct output_sample *sample);
void samples_write(struct buf *out, const struct output_sample *sample);

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
