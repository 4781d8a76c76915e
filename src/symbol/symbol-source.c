/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/symbol-source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "symbol/fetch.h"
#include "symbol/object.h"

struct source_file {
	char *bytes;
	size_t size;
	size_t *starts;              /* offset of each line; */
	size_t line_count, capacity; /* the end follows the last one */
};

static int open_local(const struct load *l, const char *path)
{
	char below[PATH_MAX];
	int fd;

	if (l->key.pid && (size_t)snprintf(below, sizeof(below), "%s/%u/root%s", l->proc_root,
					   l->key.pid, path) < sizeof(below)) {
		fd = object_open_file(below);
		if (fd >= 0)
			return fd;
	}
	return object_open_file(path);
}

static int open_fetched(struct load *l, const struct build_id *program, const char *path)
{
	struct fetch_request request = { .build_id = *program,
					 .checkpoint = l->checkpoint,
					 .context = l->context };
	struct error err;

	if (!request.build_id.size || !fetch_is_wanted())
		return -1;
	return fetch_source_file(&request, path, &err);
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

struct source_file *source_file_open(struct load *l, const struct build_id *program,
				     const char *path)
{
	struct source_file *f;
	int fd;

	if (*path != '/')
		return NULL;
	fd = open_local(l, path);
	if (fd < 0)
		fd = open_fetched(l, program, path);
	if (fd < 0)
		return NULL;
	f = mem_alloc(sizeof(*f));
	if (read_all(f, fd)) {
		find_lines(f);
	} else {
		source_file_close(f);
		f = NULL;
	}
	close(fd);
	return f;
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
