/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_EXPORTER_H
#define PTOP_APP_EXPORTER_H

#include "base/buf.h"
#include "base/error.h"

/*
 * --listen: serves the latest metrics to Prometheus, as http://ADDR:PORT/metrics.  It answers GET
 * of that path and nothing else.  A thread of its own serves finished pages, so neither the
 * collector nor the screen waits for a client.  Connections, their memory and their patience are
 * bounded.
 */
struct exporter;

/* Checks that TEXT is an [ADDR:]PORT.  Returns 0, or -1 with ERR set. */
int exporter_check(const char *text, struct error *err);

/*
 * Binds the address, on loopback when TEXT is a port alone; port 0 is one that is free.  NOTES gets a
 * line that says where.  NULL with ERR set.
 */
struct exporter *exporter_open(const char *text, struct buf *notes, struct error *err);
void exporter_close(struct exporter *e); /* NULL is allowed */

/* Begins to answer: 503 until there is a page.  0, or -1 with ERR set. */
int exporter_start(struct exporter *e, struct error *err);

/* Replaces the page by a copy of PAGE.  One thread. */
void exporter_publish(struct exporter *e, const struct buf *page);

#endif
