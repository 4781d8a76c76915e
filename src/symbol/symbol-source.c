/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/symbol-source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "symbol/debugfile.h"

struct source_file {
	char *bytes;
	size_t size;
	size_t *starts;              /* offset of each line; */
	size_t line_count, capacity; /* the end follows the last one */
};

/* Returns the next file at R's places, or a negative errno: -ENODATA if there is none left. */
static int open_next(struct load *l, struct debugfile_request *r)
{
	struct debugfile_path path;

	return l->open ? l->open(l, r, &path) : debugfile_open_next(l, r, &path);
}

/* Reads up to the largest size; a file that grows meanwhile is cut there. */
static bool read_all(struct source_file *f, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);

	if (size <= 0 || size > (off_t)SOURCE_BYTES_MAX)
		return false;
	f->bytes = mem_alloc((size_t)size + 1);
	f->size = io_read_at(fd, 0, f->bytes, (size_t)size);
	return f->size > 0;
}

static void add_start(struct source_file *f, size_t at)
{
	mem_grow((void **)&f->starts, &f->capacity, f->line_count + 1, sizeof(*f->starts));
	f->starts[f->line_count++] = at;
}

static void find_lines(struct source_file *f)
{
	const char *end;

	for (size_t at = 0; at < f->size; at = (size_t)(end - f->bytes) + 1) {
		add_start(f, at);
		end = memchr(f->bytes + at, '\n', f->size - at);
		if (!end)
			break;
	}
}

/* Takes FD. */
static struct source_file *read_file(int fd)
{
	struct source_file *f = mem_alloc(sizeof(*f));

	if (read_all(f, fd)) {
		find_lines(f);
	} else {
		source_file_close(f);
		f = NULL;
	}
	close(fd);
	return f;
}

struct source_file *source_file_open(struct load *l, const struct build_id *program,
				     const char *path)
{
	struct debugfile_request r = { .way = DEBUGFILE_SOURCE, .id = *program };
	int fd;

	if (*path != '/' || !debugfile_name(r.name, sizeof(r.name), path))
		return NULL;
	while ((fd = open_next(l, &r)) != -ENODATA)
		if (fd >= 0)
			return read_file(fd);
	return NULL;
}

void source_file_close(struct source_file *f)
{
	if (!f)
		return;
	mem_free(f->bytes, f->starts, f);
}

const char *source_file_line(const struct source_file *f, uint32_t number, size_t *size)
{
	size_t end;

	if (!number || number > f->line_count)
		return NULL;
	end = number < f->line_count ? f->starts[number] - 1 : f->size;
	*size = end - f->starts[number - 1];
	while (*size && strchr("\r\n", f->bytes[f->starts[number - 1] + *size - 1]))
		--*size;
	return f->bytes + f->starts[number - 1];
}
