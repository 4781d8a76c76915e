/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/sync.h"
#include "perf/data/write-file.h"
#include "perf/data/write-record.h"

/* 8 MiB: a second of 100 000 samples of 72 bytes. */
#define BUFFER_BYTES WRITER_BUFFER_BYTES
#define BUFFERS 32u
#define FLUSH_NS NS_PER_S
#define SEGMENTS 8u               /* of what is kept; a ring has one more */
#define MARGIN_BYTES (64u * 1024) /* for what is around the records, and the last of them */

struct chunk {
	const struct write_head *head; /* the file's from here on; NULL: as before */
	struct buf records;
	struct buf build_ids; /* of the file that ends with these records */
	bool ends_file, ends_all;
	uint64_t samples;
	uint64_t first_ns, last_ns; /* of the samples; 0: none */
	struct chunk *next;
	/* In a ring. */
	bool begins;       /* a segment, */
	uint64_t began_ns; /* at that time, CLOCK_MONOTONIC */
	bool takes;        /* it is the first of a file, */
	int fd;            /* which is this one */
};

/* The chunks that are kept: the collector's. */
struct ring {
	uint64_t keep_ns; /* 0: there is none */
	struct chunk *first, **end;
	size_t segment_limit, segment_chunks; /* of the newest segment */
	uint64_t segment_ns;                  /* when that began */
	bool segment_due;
};

enum take_state { TAKE_IDLE, TAKE_ASKED, TAKE_UNDER_WAY, TAKE_DONE };

struct writer {
	char *path;
	int fd; /* from writer_open() to writer_start() */
	struct write_head_options describe;
	uint64_t size_limit;
	unsigned files;

	/* The collector's. */
	struct chunk *current; /* NULL: there was no free one */
	uint64_t file_bytes;   /* of the file that `current` belongs to */
	uint64_t generation;
	uint64_t missing;          /* records left out since the last one that was not */
	struct write_head **heads; /* owned: at most one for each event that was added */
	size_t head_count, head_capacity;
	const struct write_head *newest; /* of them: what the file has or will have */
	bool head_is_full;
	uint64_t flushed_ns; /* when a chunk was given away last */
	bool unmarked;       /* records came after the last mark of a round */
	struct ring ring;

	/* Between the threads, with LOCK held. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct chunk *queue, **queue_end;
	struct chunk *spare;
	bool stop;
	atomic_bool failed, lacks_event;
	_Atomic(uint64_t) left_out;
	_Atomic(enum take_state) take;
	int take_fd;
	struct writer_taken taken; /* of the file that is under way, or done */

	/* The thread's. */
	pthread_t thread;
	bool started;
	const struct write_head *head; /* the file's */
	struct write_file file;
	int error; /* a negative errno */
};

/* The disk's side. */

static int fail(struct writer *w, int err)
{
	w->error = err;
	atomic_store(&w->failed, true);
	return err;
}

static char *numbered(const struct writer *w, unsigned number)
{
	return number ? mem_printf("%s.%u", w->path, number) : mem_strdup(w->path);
}

/* FILE becomes FILE.1, that FILE.2, and so on; the oldest one goes. */
static int move_files(const struct writer *w)
{
	int err = 0;

	for (unsigned i = w->files - 1; i && !err; i--) {
		char *from = numbered(w, i - 1), *to = numbered(w, i);

		if (rename(from, to) < 0 && errno != ENOENT)
			err = -errno;
		free(from);
		free(to);
	}
	return err;
}

static int next_file(struct writer *w, const struct chunk *c)
{
	int err = write_file_end(&w->file, c->build_ids.bytes, c->build_ids.size), fd;

	if (!err)
		err = move_files(w);
	if (err)
		return err;
	fd = open(w->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return -errno;
	return write_file_begin(&w->file, fd, w->head);
}

/* The file describes more events from here on. */
static int renew_head(struct writer *w, const struct write_head *head)
{
	w->head = head;
	return write_file_renew(&w->file, head);
}

static void sum_up(struct writer_taken *t, const struct chunk *c)
{
	t->samples += c->samples;
	if (c->first_ns && (!t->first_ns || c->first_ns < t->first_ns))
		t->first_ns = c->first_ns;
	if (c->last_ns > t->last_ns)
		t->last_ns = c->last_ns;
}

static void tell_taken(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	atomic_store(&w->take, TAKE_DONE);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

/* A chunk of a ring.  A failure is that of its file. */
static void put_kept(struct writer *w, const struct chunk *c, const struct write_piece *piece)
{
	int err;

	if (c->takes) {
		w->taken = (struct writer_taken){ 0 };
		w->taken.error = write_file_begin(&w->file, c->fd, c->head);
	}
	if (!w->taken.error && piece->size)
		w->taken.error = write_file_append(&w->file, piece);
	sum_up(&w->taken, c);
	if (!c->ends_all)
		return;
	err = write_file_end(&w->file, c->build_ids.bytes, c->build_ids.size);
	if (!w->taken.error)
		w->taken.error = err;
	tell_taken(w);
}

static void put_chunk(struct writer *w, const struct chunk *c)
{
	const struct write_piece piece = { .bytes = c->records.bytes,
					   .size = c->records.size,
					   .first_ns = c->first_ns,
					   .last_ns = c->last_ns };
	int err = 0;

	if (w->ring.keep_ns) {
		put_kept(w, c, &piece);
		return;
	}
	if (w->error)
		return;
	if (c->head)
		err = renew_head(w, c->head);
	if (!err && piece.size)
		err = write_file_append(&w->file, &piece);
	if (!err && c->ends_all)
		err = write_file_end(&w->file, c->build_ids.bytes, c->build_ids.size);
	else if (!err && c->ends_file)
		err = next_file(w, c);
	if (err)
		fail(w, err);
}

static void chunk_free(struct chunk *c)
{
	buf_fini(&c->records);
	buf_fini(&c->build_ids);
	free(c);
}

static void chunk_clear(struct chunk *c)
{
	buf_clear(&c->records);
	buf_clear(&c->build_ids);
	c->head = NULL;
	c->ends_file = c->ends_all = c->begins = c->takes = false;
	c->first_ns = c->last_ns = c->samples = 0;
	c->next = NULL;
}

/* The oldest chunk; NULL when there is none and none will come. */
static struct chunk *take_chunk(struct writer *w)
{
	struct chunk *c;

	pthread_mutex_lock(&w->lock);
	while (!w->queue && !w->stop)
		pthread_cond_wait(&w->changed, &w->lock);
	c = w->queue;
	if (c) {
		w->queue = c->next;
		if (!w->queue)
			w->queue_end = &w->queue;
	}
	pthread_mutex_unlock(&w->lock);
	return c;
}

static void give_back(struct writer *w, struct chunk *c)
{
	chunk_clear(c);
	pthread_mutex_lock(&w->lock);
	c->next = w->spare;
	w->spare = c;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void *write_chunks(void *context)
{
	struct writer *w = context;
	struct chunk *c;

	while ((c = take_chunk(w))) {
		put_chunk(w, c);
		give_back(w, c);
	}
	if (w->file.fd >= 0)
		write_file_end(&w->file, NULL, 0);
	return NULL;
}

/* The collector's side. */

static struct chunk *spare_chunk(struct writer *w)
{
	struct chunk *c;

	pthread_mutex_lock(&w->lock);
	c = w->spare;
	if (c)
		w->spare = c->next;
	pthread_mutex_unlock(&w->lock);
	if (c)
		c->next = NULL;
	return c;
}

/* The oldest chunk of the ring is free again. */
static void drop_chunk(struct writer *w)
{
	struct chunk *c = w->ring.first;

	w->ring.first = c->next;
	if (!w->ring.first)
		w->ring.end = &w->ring.first;
	give_back(w, c);
}

/* The first chunk of the second segment, or NULL. */
static const struct chunk *second_segment(const struct ring *r)
{
	const struct chunk *c = r->first ? r->first->next : NULL;

	while (c && !c->begins)
		c = c->next;
	return c;
}

/* If nothing follows, nothing is left that can be read alone: everything must be told anew. */
static void drop_segment(struct writer *w)
{
	const struct chunk *second = second_segment(&w->ring);

	while (w->ring.first != second)
		drop_chunk(w);
	w->ring.segment_due |= !second;
}

static void drop_old_segments(struct writer *w, uint64_t now_ns)
{
	const struct chunk *second;

	while ((second = second_segment(&w->ring)) && now_ns - second->began_ns >= w->ring.keep_ns)
		drop_segment(w);
}

static void keep_chunk(struct writer *w)
{
	struct ring *r = &w->ring;

	*r->end = w->current;
	r->end = &w->current->next;
	r->segment_due |= ++r->segment_chunks >= r->segment_limit;
	drop_old_segments(w, clock_monotonic_ns(&clock_system));
	w->current = spare_chunk(w);
	if (w->current)
		return;
	drop_segment(w);
	w->current = spare_chunk(w);
}

static void give_away(struct writer *w)
{
	struct chunk *c = w->current;

	if (w->ring.keep_ns) {
		keep_chunk(w);
		return;
	}
	w->flushed_ns = clock_monotonic_ns(&clock_system);
	w->file_bytes += c->records.size;
	pthread_mutex_lock(&w->lock);
	*w->queue_end = c;
	w->queue_end = &c->next;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	w->current = spare_chunk(w);
}

struct buf *writer_room(struct writer *w)
{
	if (w->current && w->current->records.size >= BUFFER_BYTES)
		give_away(w);
	if (!w->current) {
		w->missing++;
		atomic_fetch_add(&w->left_out, 1);
		return NULL;
	}
	w->unmarked = true;
	return &w->current->records;
}

static void begin_segment(struct writer *w)
{
	if (w->current && w->current->records.size)
		give_away(w);
	if (!w->current)
		return;
	w->ring.segment_due = false;
	w->ring.segment_chunks = 0;
	w->ring.segment_ns = clock_monotonic_ns(&clock_system);
	w->current->begins = true;
	w->current->began_ns = w->ring.segment_ns;
	w->generation++;
}

void writer_prepare(struct writer *w)
{
	const struct write_stamp stamp = { .pid = UINT32_MAX,
					   .tid = UINT32_MAX,
					   .time_ns = clock_monotonic_ns(&clock_system),
					   .id = w->newest->first_id };

	if (w->ring.segment_due)
		begin_segment(w);
	if (w->current && !w->missing)
		return;
	if (!w->current)
		w->current = spare_chunk(w);
	if (!w->current)
		return;
	write_lost(&w->current->records, &stamp, w->missing);
	w->missing = 0;
	w->generation++;
}

uint64_t writer_sideband_id(const struct writer *w)
{
	return w->newest->first_id;
}

static struct write_head *add_head(struct writer *w)
{
	mem_grow((void **)&w->heads, &w->head_capacity, w->head_count + 1, sizeof(*w->heads));
	return w->heads[w->head_count++] = mem_alloc(sizeof(struct write_head));
}

static bool has_event(const struct writer *w, size_t event)
{
	return event < w->newest->event_count && w->newest->events[event];
}

/* Records in the current buffer go in front of the events that are there now. */
static bool describe_events(struct writer *w)
{
	struct write_head head = { 0 };

	if (!w->current || w->head_is_full)
		return false;
	w->head_is_full = !write_head_renew(&head, w->newest, &w->describe);
	if (w->head_is_full) {
		atomic_store(&w->lacks_event, true);
		return false;
	}
	give_away(w);
	if (!w->current) {
		write_head_fini(&head);
		return false;
	}
	*add_head(w) = head;
	w->newest = w->current->head = w->heads[w->head_count - 1];
	return true;
}

bool writer_has_event(struct writer *w, size_t event)
{
	if (has_event(w, event))
		return true;
	if (write_head_takes_event(w->describe.source, event))
		return describe_events(w) && has_event(w, event);
	if (event >= w->heads[0]->event_count)
		atomic_store(&w->lacks_event, true);
	return false;
}

bool writer_lacks_event(const struct writer *w)
{
	return atomic_load(&w->lacks_event);
}

uint64_t writer_generation(const struct writer *w)
{
	return w->generation;
}

void writer_sampled(struct writer *w, uint64_t time_ns)
{
	struct chunk *c = w->current;

	if (!c)
		return;
	c->samples++;
	if (!c->first_ns || time_ns < c->first_ns)
		c->first_ns = time_ns;
	if (time_ns > c->last_ns)
		c->last_ns = time_ns;
}

void writer_round(struct writer *w)
{
	if (!w->current || !w->unmarked)
		return;
	write_round(&w->current->records);
	w->unmarked = false;
	if (w->ring.keep_ns)
		w->ring.segment_due |= clock_monotonic_ns(&clock_system) - w->ring.segment_ns >=
				       w->ring.keep_ns / SEGMENTS;
	else if (clock_monotonic_ns(&clock_system) - w->flushed_ns >= FLUSH_NS)
		give_away(w);
}

bool writer_take(struct writer *w, int fd)
{
	if (atomic_load(&w->take) != TAKE_IDLE)
		return false;
	w->take_fd = fd;
	atomic_store(&w->take, TAKE_ASKED);
	return true;
}

bool writer_taken(struct writer *w, bool wait, struct writer_taken *result)
{
	pthread_mutex_lock(&w->lock);
	while (wait && atomic_load(&w->take) == TAKE_UNDER_WAY)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	if (atomic_load(&w->take) != TAKE_DONE)
		return false;
	*result = w->taken;
	atomic_store(&w->take, TAKE_IDLE);
	return true;
}

bool writer_is_asked(const struct writer *w)
{
	return atomic_load(&w->take) == TAKE_ASKED;
}

/* The chunks of the ring with CURRENT, of which at least one is there; NULL: none is. */
static struct chunk *take_ring(struct writer *w, struct chunk **last)
{
	struct chunk *first;

	if (w->current)
		give_away(w);
	first = w->ring.first;
	w->ring.first = NULL;
	w->ring.end = &w->ring.first;
	w->ring.segment_due = true;
	*last = first;
	while (*last && (*last)->next)
		*last = (*last)->next;
	return first;
}

void writer_hand_over(struct writer *w, const void *build_ids, size_t size)
{
	struct chunk *last, *first = take_ring(w, &last);

	atomic_store(&w->take, TAKE_UNDER_WAY);
	if (!first) {
		w->taken = (struct writer_taken){ .error = -ENOBUFS };
		close(w->take_fd);
		tell_taken(w);
		return;
	}
	first->takes = true;
	first->fd = w->take_fd;
	first->head = w->newest;
	last->ends_all = true;
	buf_add(&last->build_ids, build_ids, size);
	pthread_mutex_lock(&w->lock);
	*w->queue_end = first;
	w->queue_end = &last->next;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

bool writer_file_is_full(const struct writer *w)
{
	uint64_t size = w->file_bytes + MARGIN_BYTES;

	if (!w->size_limit || !w->current)
		return false;
	return size + w->current->records.size >= w->size_limit;
}

void writer_end_file(struct writer *w, const void *build_ids, size_t size)
{
	if (!w->current)
		return;
	buf_add(&w->current->build_ids, build_ids, size);
	w->current->ends_file = true;
	give_away(w);
	w->file_bytes = w->newest->bytes.size;
	w->generation++;
}

bool writer_failed(const struct writer *w)
{
	return atomic_load(&w->failed);
}

uint64_t writer_left_out(const struct writer *w)
{
	return atomic_load(&w->left_out);
}

/* There is nothing else to do any more. */
static void wait_for_buffer(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->current && !w->spare)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

void writer_finish(struct writer *w, const void *build_ids, size_t size)
{
	if (!w->started)
		return;
	if (w->ring.keep_ns) {
		if (writer_is_asked(w))
			writer_hand_over(w, build_ids, size);
		return;
	}
	wait_for_buffer(w);
	writer_prepare(w);
	w->current->ends_all = true;
	writer_end_file(w, build_ids, size);
}

/* Start and end. */

static int open_path(struct writer *w, struct error *err)
{
	struct stat st;

	w->fd = open(w->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
	if (w->fd < 0 || fstat(w->fd, &st) < 0)
		return error_set(err, _("cannot record to '%s': %s"), w->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, _("cannot record to '%s': it is no regular file"), w->path);
	return 0;
}

static void writer_free(struct writer *w)
{
	struct chunk *c;

	if (w->fd >= 0)
		close(w->fd);
	while (w->ring.first)
		drop_chunk(w);
	while ((c = spare_chunk(w)))
		chunk_free(c);
	if (w->current)
		chunk_free(w->current);
	for (size_t i = 0; i < w->head_count; i++) {
		write_head_fini(w->heads[i]);
		free(w->heads[i]);
	}
	free(w->heads);
	sync_fini(&w->lock, &w->changed);
	free(w->path);
	free(w);
}

struct writer *writer_open(const char *path, struct error *err)
{
	struct writer *w = mem_alloc(sizeof(*w));

	w->path = path ? mem_strdup(path) : NULL;
	w->queue_end = &w->queue;
	w->ring.end = &w->ring.first;
	w->fd = w->file.fd = -1;
	sync_init(&w->lock, &w->changed);
	if (!path || !open_path(w, err))
		return w;
	writer_free(w);
	return NULL;
}

static int start_thread(struct writer *w, struct error *err)
{
	int error = sync_start(&w->thread, write_chunks, w);

	w->started = !error;
	if (error)
		return error_set(err, _("cannot start the thread that records: %s"),
				 strerror(error));
	return 0;
}

int writer_start(struct writer *w, const struct writer_options *options, struct error *err)
{
	size_t buffers = options->buffers ? options->buffers : BUFFERS;
	int failed, fd = w->fd;

	w->size_limit = options->size_limit;
	w->files = options->files < 2 ? 2 : options->files;
	w->describe = options->head;
	w->newest = w->head = add_head(w);
	write_head_init(w->heads[0], &options->head);
	w->file_bytes = w->head->bytes.size;
	w->fd = -1;
	w->ring.keep_ns = options->keep_ns;
	w->ring.segment_due = options->keep_ns != 0;
	w->ring.segment_limit = buffers / (SEGMENTS + 1);
	failed = options->keep_ns ? 0 : write_file_begin(&w->file, fd, w->head);
	if (failed)
		return error_set(err, _("cannot record to '%s': %s"), w->path, strerror(-failed));
	for (size_t i = 0; i < buffers; i++)
		give_back(w, mem_alloc(sizeof(struct chunk)));
	w->current = spare_chunk(w);
	w->flushed_ns = clock_monotonic_ns(&clock_system);
	return start_thread(w, err);
}

static void stop_thread(struct writer *w)
{
	if (w->current && w->current->records.size)
		give_away(w);
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
}

int writer_close(struct writer *w, struct error *err)
{
	int result = 0;

	if (!w)
		return 0;
	if (w->started)
		stop_thread(w);
	else if (w->file.fd >= 0)
		write_file_end(&w->file, NULL, 0);
	if (w->error)
		result = error_set(err,
				   _("the recording '%s' ended early: %s; what it holds can be "
				     "read"),
				   w->path, strerror(-w->error));
	writer_free(w);
	return result;
}
