/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/write-file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/io.h"
#include "perf/data/write-record.h"

static int put_all(const struct write_file *f, uint64_t offset, const struct buf *b)
{
	if (io_write_at(f->fd, offset, b->bytes, b->size) == b->size)
		return 0;
	return errno ? -errno : -ENOSPC;
}

static int put_header(const struct write_file *f, bool features)
{
	struct buf b = { 0 };
	int err;

	write_head_header(f->head, &f->state, features, &b);
	err = put_all(f, 0, &b);
	buf_fini(&b);
	return err;
}

static int put_times(const struct write_file *f)
{
	const uint64_t times[] = { f->state.first_ns, f->state.last_ns };

	if (io_write_at(f->fd, f->head->times_offset, times, sizeof(times)) == sizeof(times))
		return 0;
	return errno ? -errno : -ENOSPC;
}

static uint64_t data_end(const struct write_file *f)
{
	return f->head->bytes.size + f->state.data_size;
}

/* The table behind the records, MORE behind it, and a header that says so. */
static int finish(const struct write_file *f, const void *more, size_t size)
{
	struct buf b = { 0 };
	int err;

	write_head_table(f->head, &f->state, &b);
	buf_add(&b, more, size);
	err = put_all(f, data_end(f), &b);
	buf_fini(&b);
	if (!err)
		err = put_times(f);
	return err ? err : put_header(f, true);
}

/* No records at all are, to perf, the sign of a recording that broke off. */
int write_file_begin(struct write_file *f, int fd, const struct write_head *head)
{
	struct buf first = { 0 };
	int err;

	*f = (struct write_file){ .fd = fd, .head = head };
	if (ftruncate(fd, 0) < 0)
		return -errno;
	write_round(&first);
	err = put_all(f, 0, &head->bytes);
	if (!err)
		err = put_all(f, data_end(f), &first);
	f->state.data_size = first.size;
	buf_fini(&first);
	return err ? err : finish(f, "", 0);
}

int write_file_renew(struct write_file *f, const struct write_head *head)
{
	const size_t skipped = WRITE_HEADER_BYTES, size = head->bytes.size - skipped;
	int err = put_header(f, false);

	if (err)
		return err;
	f->head = head;
	if (io_write_at(f->fd, skipped, head->bytes.bytes + skipped, size) < size)
		return errno ? -errno : -ENOSPC;
	return finish(f, "", 0);
}

/* The bytes of the whole records among the first ROOM of PIECE. */
static size_t whole_records(const struct write_piece *piece, size_t room)
{
	struct perf_event_header h;
	size_t at = 0;

	while (at + sizeof(h) <= room) {
		memcpy(&h, (const char *)piece->bytes + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > room - at)
			break;
		at += h.size;
	}
	return at;
}

static void learn_times(struct write_state *state, const struct write_piece *piece)
{
	if (!piece->last_ns)
		return;
	if (!state->first_ns || piece->first_ns < state->first_ns)
		state->first_ns = piece->first_ns;
	if (piece->last_ns > state->last_ns)
		state->last_ns = piece->last_ns;
}

/*
 * DONE bytes were written behind the old records.  The last of them give way to the table.  If there is
 * room for less than that, the table goes back to where it was before.
 */
static void retreat(struct write_file *f, const struct write_piece *piece, size_t done)
{
	uint64_t table = write_head_table_size(f->head, &f->state);
	size_t room = done > table ? done - (size_t)table : 0;

	if (room > piece->size)
		room = piece->size;
	f->state.data_size += whole_records(piece, room);
	if (!finish(f, "", 0) && ftruncate(f->fd, (off_t)(data_end(f) + table)) < 0)
		return; /* what lies behind the table is of no use, and no harm */
}

int write_file_append(struct write_file *f, const struct write_piece *piece)
{
	struct buf b = { 0 };
	struct write_state grown = f->state;
	size_t done;
	int err = put_header(f, false);

	if (err)
		return err;
	grown.data_size += piece->size;
	learn_times(&grown, piece);
	buf_add(&b, piece->bytes, piece->size);
	write_head_table(f->head, &grown, &b);
	done = io_write_at(f->fd, data_end(f), b.bytes, b.size);
	err = errno ? -errno : -ENOSPC;
	learn_times(&f->state, piece);
	if (done < b.size) {
		buf_fini(&b);
		retreat(f, piece, done);
		return err;
	}
	buf_fini(&b);
	f->state = grown;
	err = put_times(f);
	return err ? err : put_header(f, true);
}

static int add_build_ids(struct write_file *f, const void *build_ids, size_t size)
{
	int err;

	if (!size)
		return 0;
	err = put_header(f, false);
	if (err)
		return err;
	f->state.build_ids_size = size;
	err = finish(f, build_ids, size);
	if (!err)
		return 0;
	f->state.build_ids_size = 0;
	finish(f, "", 0);
	return err;
}

int write_file_end(struct write_file *f, const void *build_ids, size_t size)
{
	int err = add_build_ids(f, build_ids, size);

	if (close(f->fd) < 0 && !err)
		err = -errno;
	f->fd = -1;
	return err;
}
