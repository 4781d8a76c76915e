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

/* The module of the kernel that FRAME, of OBJECT, is in: "[nf_tables]", as long as FRAMES live; NULL: in none. */
const char *objects_module(const struct dso_cache *objects, const struct frame_table *frames,
			   uint32_t object, uint32_t frame);

/* The key by which lines.h finds OBJECT, or MODULE of it if that is not NULL. */
struct dso_key objects_lines_key(const struct dso_cache *objects, uint32_t object,
				 const char *module);

/* Notes what A, an answer for OBJECT, lacks.  Snapshots then say so of the object. */
void objects_take_lines(struct dso_cache *objects, uint32_t object, const struct lines_answer *a);

#endif
