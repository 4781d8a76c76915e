/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_TEXT_POOL_H
#define PTOP_BASE_TEXT_POOL_H

#include <stddef.h>

/*
 * Texts that many hold and that go again: equal texts are stored once, with the number of their
 * holders.  For paths that other processes choose; texts that stay are strtab.h's.  One thread.
 */
struct text_pool;

struct text_pool *text_pool_new(void);
void text_pool_free(struct text_pool *p); /* with all texts; NULL is allowed */

/* Returns the pool's copy of S, which lives until its last holder drops it.  The caller holds it. */
const char *text_pool_take(struct text_pool *p, const char *s);

/* One more holder, or one less, of a text that text_pool_take() returned. */
void text_pool_hold(const char *text);
void text_pool_drop(struct text_pool *p, const char *text);

size_t text_pool_bytes(const struct text_pool *p); /* memory of the texts */

#endif
