/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_TAP_H
#define PTOP_ENGINE_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/*
 * The samples one by one, from the collector's thread to the main thread, in the order of their
 * times.  A bounded queue: the collector never waits for a reader, so what finds no room is dropped
 * and counted.
 *
 * A drain empties one ring after the other, up to its own time.  So the samples of one drain are
 * sorted, and those of the next are all newer.
 */
struct tap;

struct tap_sample {
	uint64_t time_ns, address; /* the program counter */
	uint64_t period;
	uint32_t pid, tid, cpu;
	uint16_t event; /* index in the evlist */
};

#define TAP_LIMIT (256u * 1024) /* samples */

/* LIMIT 0: TAP_LIMIT.  NULL when there is no descriptor for it. */
struct tap *tap_new(size_t limit);
void tap_free(struct tap *t); /* NULL is allowed */

/* The collector's side: an engine_listener, and what follows each drain. */
void tap_listen(void *tap, const struct engine_sample *sample);
void tap_publish(struct tap *t);

/* The reader's: readable when there are samples; at most MAX of them, oldest first. */
int tap_fd(const struct tap *t);
size_t tap_take(struct tap *t, struct tap_sample *samples, size_t max);
uint64_t tap_dropped(struct tap *t); /* since the start */

#endif
