/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/base.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "perf/data/file.h"
#include "profile/rebase.h"

#define OBJECTS 0x40000000u /* added to the numbers of its objects: ours are lower */

struct base {
	struct evlist *evlist;
	struct collector *collector;
};

/* Numbers for its frames in the table of the session's engine; owned by the caller. */
static uint32_t *frames_made(struct session *s, const struct frame_table *t)
{
	size_t count = frame_table_count(t);
	struct frame_key *keys = mem_array(count, sizeof(*keys));
	uint32_t *frames = mem_array(count, sizeof(*frames));

	for (uint32_t i = FRAME_REST + 1; i < count; i++) {
		uint8_t flags = frame_flags(t, i);

		keys[i] = (struct frame_key){
			.object = OBJECTS + frame_object(t, i) % OBJECTS,
			.symbol = i,
			.raw = flags & (FRAME_UNKNOWN | FRAME_PENDING | FRAME_OTHERS)
				       ? NULL
				       : frame_raw_symbol(t, i),
			.object_path = frame_object_path(t, i),
			.object_name = frame_object_name(t, i),
			.flags = flags,
		};
	}
	frames[FRAME_REST] = FRAME_REST;
	if (count > FRAME_REST + 1)
		collector_make_frames(s->collector, keys + FRAME_REST + 1, count - FRAME_REST - 1,
				      frames + FRAME_REST + 1);
	free(keys);
	return frames;
}

static int start(struct session *s, struct base *b, const struct collector_options *options,
		 struct error *err)
{
	const struct engine_options *of = &options->engine;
	struct collector_options own = {
		.engine = {
			.evlist = b->evlist, .clock = of->clock, .proc_root = of->proc_root,
			.version = of->version, .target = of->target, .zygote = of->zygote,
			.mode = HISTOGRAM_CUMULATIVE, .half_life_s = of->half_life_s,
			.addresses = of->addresses, .memory_bytes = of->memory_bytes,
			.only_named = of->only_named, .inlines = of->inlines, .stitch = s->options->stitch,
		},
		.once = true,
	};

	own.engine.target.mode = TARGET_FILE;
	own.engine.target.tasks = NULL;
	own.source = file_source_open(b->evlist, s->options->base, err);
	if (!own.source)
		return -1;
	b->collector = collector_start(&own, err);
	return b->collector ? 0 : -1;
}

int base_open(struct session *s, const struct collector_options *options, struct buf *notes,
	      struct error *err)
{
	struct base *b;
	struct snapshot *all;
	struct error why;
	uint32_t *frames;

	if (!s->options->base)
		return 0;
	b = s->base = mem_alloc(sizeof(*b));
	b->evlist = evlist_new();
	if (start(s, b, options, err))
		return -1;
	collector_set_extras(b->collector, EXTRA_OBJECTS); /* for their build ids */
	collector_request(b->collector, NULL, 0);
	all = session_wait(s, feed_of_collector(b->collector), UINT64_MAX);
	if (!all)
		return 0;
	if (collector_state(b->collector, &why) < 0)
		buf_printf(notes, "%s: %s\n", s->options->base, why.text);
	frames = frames_made(s, all->frames);
	s->rebase = rebase_new(all, frames);
	free(frames);
	return 0;
}

void base_close(struct session *s)
{
	if (!s->base)
		return;
	rebase_free(s->rebase);
	collector_stop(s->base->collector);
	evlist_free(s->base->evlist);
	free(s->base);
	s->base = NULL;
}
