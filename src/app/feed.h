/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_FEED_H
#define PTOP_APP_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/collector.h"
#include "profile/snapshot.h"

/*
 * The source of a session's snapshots: the collector of this process, or a server's shared memory (app/viewer.h).
 * Each function does what collector_…() of its name does.
 */
struct feed_kind {
	int (*fd)(void *of);
	void (*request)(void *of, const uint32_t *visible, size_t visible_count);
	struct snapshot *(*take)(void *of);
	struct snapshot *(*wait)(void *of, int timeout_ms);
	int (*state)(void *of, struct error *err);
};

struct feed {
	const struct feed_kind *kind;
	void *of; /* borrowed */
};

struct feed feed_of_collector(struct collector *c);

#endif
