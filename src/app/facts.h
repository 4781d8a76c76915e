/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_FACTS_H
#define PTOP_APP_FACTS_H

#include "ui/actions.h"

/*
 * The facts about the process that a person asks for (app/fact-rows.h), read by a thread.  A file in /proc may
 * answer late, or never as long as the process holds a lock; the screen then goes on, and shows what is there.
 * Nothing is read before begin().
 */
struct facts;

#define FACTS_PATIENCE_MS 200 /* begin() waits so long for all, which is the usual case */
#define FACTS_BYTES_MAX \
	(2 << 20) /* of one process; beyond that the page says that some are missing */

/*
 * PROC_ROOT is usually "/proc"; OWN_ONLY as in struct fact_reading.  NULL with ERR set if there is no /proc.
 * facts_free() waits for a reading that goes on.
 */
struct facts *facts_new(const char *proc_root, bool own_only, struct error *err);
void facts_free(struct facts *f); /* NULL is allowed */

/* As in struct ui_facts. */
int facts_begin(struct facts *f, const struct ui_task *t, bool environment, struct error *err);
bool facts_add_to(struct facts *f, struct page *p);

#endif
