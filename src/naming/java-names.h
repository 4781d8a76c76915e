/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_JAVA_NAMES_H
#define PTOP_NAMING_JAVA_NAMES_H

#include <stdint.h>

#include "base/clock.h"
#include "runtime/attacher.h"
#include "symbol/dso.h"

/*
 * Has Java programs tell the names of their compiled code (runtime/attacher.h), when samples lack them.  A
 * program writes all names each time.  It is asked once a second while it warms up, then less and less often,
 * down to once a minute, and never for more than JAVA_NAMES_SHARE of its time.  Why one tells nothing is what
 * its object misses (dso_set_missing()).
 */
struct java_names;

#define JAVA_NAMES_SHARE 0.05

/* All borrowed. */
struct java_names *java_names_new(struct attacher *a, struct dso_cache *objects,
				  const struct clock *clock);
void java_names_free(struct java_names *j); /* NULL is allowed */

/* A sample in OBJECT has no name.  Takes the answers that came, too.  Mostly costs a look at the clock. */
void java_names_want(struct java_names *j, uint32_t object);

#endif
