/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/write-trace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/alloc.h"
#include "perf/event/sysfile.h"
#include "perf/event/tracefs.h"

#define FORMAT_BYTES_MAX (256u * 1024)

static void put_u32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void put_u64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

/* With its NUL. */
static void put_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text) + 1);
}

/* The file PATH, which is freed: its size, then its bytes. */
static bool put_file(struct buf *b, char *path)
{
	char *text = mem_alloc(FORMAT_BYTES_MAX);
	int size = sysfile_read(path, text, FORMAT_BYTES_MAX - 1);

	if (size > 0) {
		text[size++] = '\n'; /* which sysfile_read() took off */
		put_u64(b, (uint64_t)size);
		buf_add(b, text, (size_t)size);
	}
	free(text);
	free(path);
	return size > 0;
}

/* "sched:sched_switch": a system with one event for each of them, be it the same system again. */
static bool put_event(struct buf *b, const char *events, const struct evsel *e)
{
	size_t length = strcspn(e->base, ":");
	char *system;

	if (!e->base[length])
		return false;
	system = mem_strndup(e->base, length);
	put_text(b, system);
	free(system);
	put_u32(b, 1);
	return put_file(b, mem_printf("%s/%.*s/%s/format", events, (int)length, e->base,
				      e->base + length + 1));
}

static uint32_t count_tracepoints(const struct evlist *l, const bool *wanted)
{
	uint32_t count = 0;

	for (size_t i = 0; i < l->count; i++)
		count += wanted[i] && l->items[i]->type == PERF_TYPE_TRACEPOINT;
	return count;
}

static void put_head(struct buf *b)
{
	static const char magic[] = { 23, 8, 68 };

	buf_add(b, magic, sizeof(magic));
	buf_add_str(b, "tracing");
	put_text(b, "0.6");
	buf_add_char(b, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	buf_add_char(b, sizeof(long));
	put_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
}

static bool put_all(struct buf *b, const char *events, const struct evlist *l, const bool *wanted)
{
	bool whole;

	put_head(b);
	put_text(b, "header_page");
	whole = put_file(b, mem_printf("%s/header_page", events));
	put_text(b, "header_event");
	whole = whole && put_file(b, mem_printf("%s/header_event", events));
	put_u32(b, 0); /* formats of ftrace's own */
	put_u32(b, count_tracepoints(l, wanted));
	for (size_t i = 0; i < l->count && whole; i++)
		if (wanted[i] && l->items[i]->type == PERF_TYPE_TRACEPOINT)
			whole = put_event(b, events, l->items[i]);
	put_u32(b, 0); /* kallsyms */
	put_u32(b, 0); /* texts of trace_printk() */
	put_u64(b, 0); /* names of tasks */
	return whole;
}

bool write_trace(struct buf *b, const struct evlist *l, const bool *wanted)
{
	struct buf made = { 0 };
	const struct event_env here = { 0 };
	char *events = count_tracepoints(l, wanted) ? tracefs_events(&here, NULL) : NULL;
	bool whole = events && put_all(&made, events, l, wanted);

	if (whole)
		buf_add(b, made.bytes, made.size);
	buf_fini(&made);
	free(events);
	return whole;
}
