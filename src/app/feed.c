/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/feed.h"

static int fd(void *of)
{
	return collector_fd(of);
}

static void request(void *of, const uint32_t *visible, size_t visible_count)
{
	collector_request(of, visible, visible_count);
}

static struct snapshot *take(void *of)
{
	return collector_take(of);
}

static struct snapshot *wait_for(void *of, int timeout_ms)
{
	return collector_wait(of, timeout_ms);
}

static int state(void *of, struct error *err)
{
	return collector_state(of, err);
}

struct feed feed_of_collector(struct collector *c)
{
	static const struct feed_kind kind = { fd, request, take, wait_for, state };

	return (struct feed){ &kind, c };
}
