/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_PARTS_H
#define PTOP_ENGINE_PARTS_H

#include <stdint.h>

/*
 * The parts of the engine, each of which takes from a named sample what it needs.  The parts are
 * rows of one table; these functions walk it in its order.
 */
struct engine;

/* Chooses the parts that take samples; again whenever the engine has another part. */
void parts_choose(struct engine *e);

/* Before a snapshot: all is counted up to NOW_NS. */
void parts_settle(struct engine *e, uint64_t now_ns);
void parts_zero(struct engine *e); /* the key Z */
void parts_next_interval(struct engine *e);
void parts_free(struct engine *e);

#endif
