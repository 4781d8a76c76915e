/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/server.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "share/block.h"
#include "share/segment.h"

struct server {
	struct segment *segment;
	struct buf block;
	uint64_t unpublished;
	int error; /* errno of the last of them */
};

/* Fills GROUP with the number of NAME, -1 for none.  0, or -1 with ERR set. */
static int group_find(const char *name, int64_t *group, struct error *err)
{
	const struct group *found = name ? getgrnam(name) : NULL;

	*group = found ? (int64_t)found->gr_gid : -1;
	return !name || found ? 0 : error_set(err, _("no group is called '%s'"), name);
}

int server_open(struct session *s, struct buf *notes, struct error *err)
{
	const struct options *o = s->options;
	struct segment_choice choice = {
		.name = o->serve,
		.bytes = option_given(o, "serve-size") ? o->serve_bytes : SEGMENT_BYTES,
		.delay_ns = (uint64_t)(o->delay_s * (double)NS_PER_S),
	};
	struct segment *segment;

	if (group_find(o->serve_group, &choice.group, err))
		return -1;
	if (choice.bytes > SEGMENT_BYTES_MAX)
		choice.bytes = SEGMENT_BYTES_MAX;
	segment = segment_create(&choice, err);
	if (!segment)
		return -1;
	s->server = mem_alloc(sizeof(*s->server));
	s->server->segment = segment;
	buf_printf(notes, _("serving: ptop --attach%s%s shows it\n"), *o->serve ? "=" : "",
		   o->serve);
	return 0;
}

void server_close(struct session *s, struct buf *notes)
{
	struct server *v = s->server;

	if (!v)
		return;
	if (v->unpublished)
		buf_printf(notes, _("%" PRIu64 " snapshots could not be published: %s\n"),
			   v->unpublished, strerror(v->error));
	segment_remove(v->segment);
	buf_fini(&v->block);
	free(v);
	s->server = NULL;
}

/* A first snapshot has no interval, and so no rates. */
static void publish(struct session *s)
{
	const struct snapshot *now = view_snapshot(s->view);
	struct server *v = s->server;
	int result;

	if (!(now->interval_s > 0))
		return;
	s->refreshes++;
	result = block_write(now, segment_room(v->segment), &v->block) < 0
			 ? -EMSGSIZE
			 : segment_publish(v->segment, &v->block, now->time_ns);
	if (!result)
		return;
	v->unpublished++;
	v->error = -result;
}

int server_run(struct session *s, struct error *err)
{
	int result = 0;

	s->next_ns = session_now_ns();
	while (!s->stopped && !(s->options->iterations && s->refreshes >= s->options->iterations)) {
		result = session_snapshot(s, err);
		if (result)
			break;
		publish(s);
		session_sleep(s);
	}
	return result < 0 ? 1 : 0;
}
