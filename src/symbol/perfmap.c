/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "symbol/scan.h"

#define CHUNK_BYTES (256 * 1024)

struct perfmap {
	struct symtab_builder *builder;
	dev_t device;
	ino_t inode;
	uid_t owner;         /* the first one: another one is refused */
	uint64_t read_bytes; /* all whole lines so far */
	struct timespec changed;
	uint64_t skipped;
};

struct perfmap *perfmap_new(void)
{
	struct perfmap *m = mem_alloc(sizeof(*m));

	m->builder = symtab_builder_new_growing();
	symtab_builder_set_source(m->builder, NAMED_BY_PERF_MAP);
	return m;
}

void perfmap_free(struct perfmap *m)
{
	if (!m)
		return;
	symtab_builder_free(m->builder);
	free(m);
}

size_t perfmap_bytes(const struct perfmap *m)
{
	return sizeof(*m) + symtab_builder_bytes(m->builder);
}

/* HotSpot writes "0x" in front, as perf accepts. */
static bool scan_number(struct scan *s, uint64_t *value)
{
	if (s->left > 2 && !strncmp(s->at, "0x", 2)) {
		s->at += 2;
		s->left -= 2;
	}
	return scan_hex(s, value);
}

static bool parse_line(struct symtab_builder *b, struct scan line)
{
	struct symtab_entry e = { 0 };

	if (!scan_number(&line, &e.start) || !scan_char(&line, ' ') ||
	    !scan_number(&line, &e.size) || !scan_char(&line, ' ') || !line.left || !e.size)
		return false;
	e.name = line.at;
	e.name_size = line.left;
	symtab_builder_add(b, &e);
	return true;
}

size_t perfmap_parse(struct symtab_builder *b, const char *text, size_t size, uint64_t *skipped)
{
	struct scan all = { text, size }, line;

	while (scan_line(&all, &line))
		if (!parse_line(b, line))
			++*skipped;
	return all.at - text;
}

static int open_one(const struct load *l, const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))
		error = -EINVAL;
	else if (!load_trusts(l, st))
		error = -EPERM;
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* Looks in the process's own /tmp under its pid there, then in ours. */
static int perfmap_open(struct load *l, struct stat *st)
{
	uint32_t nspid = l->key.nspid ? l->key.nspid : l->key.pid;
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%u/root/tmp/perf-%u.map", l->proc_root, l->key.pid, nspid);
	fd = open_one(l, path, st);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", l->key.pid);
	fd = open_one(l, path, st);
	if (fd == -EPERM)
		load_missing(l, _("%s belongs to neither root nor the process's user"), path);
	else if (fd < 0)
		load_missing(l, "%s: %s", path, strerror(-fd));
	return fd;
}

static bool is_same(const struct perfmap *m, const struct stat *st)
{
	return m->inode == st->st_ino && m->device == st->st_dev &&
	       (uint64_t)st->st_size >= m->read_bytes;
}

static bool is_unchanged(const struct perfmap *m, const struct stat *st)
{
	return is_same(m, st) && m->changed.tv_sec == st->st_mtim.tv_sec &&
	       m->changed.tv_nsec == st->st_mtim.tv_nsec;
}

static void read_lines(struct perfmap *m, struct load *l, int fd)
{
	char *chunk = mem_alloc(CHUNK_BYTES);

	while (m->read_bytes < PERFMAP_BYTES_MAX && !load_checkpoint(l)) {
		ssize_t n = pread(fd, chunk, CHUNK_BYTES, (off_t)m->read_bytes);
		size_t used;

		if (n <= 0)
			break;
		used = perfmap_parse(m->builder, chunk, n, &m->skipped);
		if (!used && n < CHUNK_BYTES)
			break; /* the beginning of an unfinished line */
		m->read_bytes += used ? used : (size_t)n;
	}
	free(chunk);
}

struct symtab *perfmap_read(struct perfmap *m, struct load *l)
{
	struct stat st;
	int fd = perfmap_open(l, &st);

	if (fd < 0)
		return NULL;
	if (m->inode && m->owner != st.st_uid) {
		load_missing(l, "%s", _("the perf map has another owner now"));
		close(fd);
		return NULL;
	}
	if (m->inode && is_unchanged(m, &st)) {
		close(fd);
		return NULL;
	}
	if (m->inode && !is_same(m, &st)) {
		symtab_builder_retire(m->builder);
		m->read_bytes = 0;
	}
	m->inode = st.st_ino;
	m->owner = st.st_uid;
	m->device = st.st_dev;
	m->changed = st.st_mtim;
	read_lines(m, l, fd);
	close(fd);
	snprintf(l->source, sizeof(l->source), "%s", _(named_by_word(NAMED_BY_PERF_MAP)));
	if (m->read_bytes >= PERFMAP_BYTES_MAX)
		load_missing(l, _("of the perf map only the first %u MiB are read"),
			     PERFMAP_BYTES_MAX >> 20);
	l->skipped = m->skipped;
	return symtab_builder_make(m->builder);
}
