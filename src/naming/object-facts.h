/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_OBJECT_FACTS_H
#define PTOP_NAMING_OBJECT_FACTS_H

#include "profile/snapshot.h"
#include "symbol/dso.h"
#include "symbol/lines.h"

/* Gives S, whose cells are there, what is known of the objects that their code is in. */
void objects_describe(struct snapshot *s, const struct dso_cache *objects);

/* Has what is missing of the objects that have at least 1 % of the samples of S looked for. */
void objects_complete(const struct snapshot *s, struct dso_cache *objects);

/* Notes what A, an answer for OBJECT, lacks.  Snapshots then say so of the object. */
void objects_take_lines(struct dso_cache *objects, uint32_t object, const struct lines_answer *a);

#endif
