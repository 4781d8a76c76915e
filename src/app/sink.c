/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"

/* Returns true if a file can be made beside PATH, which is absolute. */
static bool folder_is_writable(const char *path)
{
	char *folder = mem_strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	bool writable = !faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS);

	free(folder);
	return writable;
}

static void find_kind(struct sink *k, const char *path)
{
	int flags = fcntl(k->fd, F_GETFL);
	struct stat st;

	if (flags < 0 || flags & O_APPEND || fstat(k->fd, &st) || !S_ISREG(st.st_mode))
		return;
	k->file = true;
	k->mode = st.st_mode & 07777;
	k->start = lseek(k->fd, 0, SEEK_CUR);
	k->path = path ? realpath(path, NULL) : NULL;
	if (k->path && !folder_is_writable(k->path)) {
		free(k->path);
		k->path = NULL;
	}
}

void sink_close(struct sink *k)
{
	if (k->fd > STDERR_FILENO)
		close(k->fd);
	free(k->path);
}

/* Pipes and terminals cannot be opened anew later. */
static void own(struct sink *k)
{
	struct stat st;
	int fd;

	if (fstat(k->fd, &st) || S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode))
		return;
	fd = output_own(k->fd);
	if (fd < 0)
		return;
	sink_close(k);
	k->fd = fd;
}

const struct output_format *sink_format(const struct options *o)
{
	const struct output_format *format = NULL;

	if (o->format)
		format = output_format_find(o->format);
	if (!format && o->output)
		format = output_format_of_file(o->output);
	return format ? format : output_format_find("text");
}

int sink_open(struct sink *k, const struct options *o, struct error *err)
{
	*k = (struct sink){ .fd = STDOUT_FILENO,
			    .name = _("standard output"),
			    .format = sink_format(o) };
	if (o->output) {
		k->name = o->output;
		k->fd = open(o->output, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
		if (k->fd < 0)
			return error_set(err, _("cannot write '%s': %s"), k->name, strerror(errno));
	}
	find_kind(k, o->output);
	own(k);
	return 0;
}

static bool is_replaced(const struct sink *k)
{
	return k->file && k->format->series != SERIES_FOLLOW;
}

int sink_begin(struct sink *k, const struct options *o, struct error *err)
{
	/* EINVAL: a pipe or a device. */
	if (!o->output || (is_replaced(k) && k->path) || !ftruncate(k->fd, 0) || errno == EINVAL)
		return 0;
	return error_set(err, _("cannot empty '%s': %s"), k->name, strerror(errno));
}

bool sink_takes_last(const struct sink *k)
{
	return k->format->series == SERIES_LAST && !k->file;
}

int sink_write(struct sink *k, const struct buf *snapshot, struct error *err)
{
	k->begun = true;
	if (is_replaced(k) && k->path)
		return output_replace(k->path, snapshot, k->mode, false, err);
	if (is_replaced(k) && (ftruncate(k->fd, k->start) || lseek(k->fd, k->start, SEEK_SET) < 0))
		return error_set(err, _("cannot empty '%s': %s"), k->name, strerror(errno));
	return output_write(k->fd, k->name, snapshot, err);
}
