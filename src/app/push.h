/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_PUSH_H
#define PTOP_APP_PUSH_H

#include "app/options.h"
#include "base/buf.h"
#include "base/error.h"
#include "output/output.h"

/*
 * --push: sends what was sampled in each interval, or metrics, as --push-format says (app/push-format.h).  By default that is pprof
 * for the /ingest of a Pyroscope server:
 *
 *   POST /ingest?name=ptop{host=web1,env=test}&from=1700000000&until=1700000010&format=pprof&spyName=ptop&sampleRate=999
 *
 * Another process sends (app/push-sender.h), so ptop never waits for the server.
 */
struct push;

/* 0, or -1 with ERR set to why a URL, or NAME=VALUE[,NAME=VALUE...], cannot be used. */
int push_check_url(const char *url, struct error *err);
int push_check_labels(const char *labels, struct error *err);

/* Before privileges go, with one thread.  NOTES gets a line that says where.  NULL with ERR set. */
struct push *push_open(const struct options *o, struct buf *notes, struct error *err);

bool push_has_samples(const struct push *p); /* each one is to go */

/*
 * Hands over the newest interval, if it is due and not empty, and takes what the other process tells.  Returns true if
 * TOLD got a line, raw: sending has begun to fail, or to work again.
 */
bool push_interval(struct push *p, const struct output_request *request, struct buf *told);

/* For the header of the screen: "pushed 12", or what is wrong, and then TRUE is returned. */
bool push_describe(const struct push *p, struct buf *out);

/* The counts of intervals until now. */
struct output_push push_counts(const struct push *p);

/* Waits for what can still be sent, at most half a second.  NOTES: what was not sent; VERBOSE: all.  P may be NULL. */
void push_close(struct push *p, bool verbose, struct buf *notes);

#endif
