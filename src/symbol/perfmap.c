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
#include "symbol/perfmap-tail.h"

#define CHECK_EVERY 16384u /* symbols */

struct perfmap {
	struct symtab_builder *builder;
	dev_t device;
	ino_t inode;
	uid_t owner;         /* the first one: another one is refused */
	uint64_t read_bytes; /* all whole lines so far */
	struct timespec changed;
	uint64_t skipped; /* invalid lines, and symbols beyond a worker's limit */
	bool refused;     /* its worker was stopped: nothing is read until it is another file */
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

static int open_one(const struct load *l, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct stat st;
	int error = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		error = -EINVAL;
	else if (!load_trusts(l, &st))
		error = -EPERM;
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* Looks in the process's own /tmp under its pid there, then in ours. */
static int perfmap_open(struct load *l)
{
	uint32_t nspid = l->key.nspid ? l->key.nspid : l->key.pid;
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%u/root/tmp/perf-%u.map", l->proc_root, l->key.pid, nspid);
	fd = open_one(l, path);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", l->key.pid);
	fd = open_one(l, path);
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

/* Another file, or one that was written anew: the code of before has gone. */
static void begin_anew(struct perfmap *m, const struct stat *st)
{
	if (m->inode)
		symtab_builder_retire(m->builder);
	m->inode = st->st_ino;
	m->owner = st->st_uid;
	m->device = st->st_dev;
	m->read_bytes = 0;
	m->refused = false;
}

/* Returns false if the checkpoint said so. */
static bool add_symbols(struct perfmap *m, struct load *l, const struct symtab *t)
{
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);
		struct symtab_entry e = {
			.start = s.start,
			.size = s.end - s.start,
			.name = s.name,
			.name_size = strlen(s.name),
		};

		if (i % CHECK_EVERY == CHECK_EVERY - 1 && load_checkpoint(l))
			return false;
		symtab_builder_add(m->builder, &e);
	}
	return true;
}

/* Has the new lines of L's file read, and adds their symbols.  Returns false if there are none. */
static bool read_on(struct perfmap *m, struct load *l, struct reader_pool *readers, bool *refused)
{
	struct perfmap_tail tail;
	enum worker_end end = perfmap_tail_read(&tail, l, readers, m->read_bytes);
	bool whole;

	m->refused = *refused = end != WORKER_DONE && end != WORKER_KILLED;
	if (end != WORKER_DONE)
		return false;
	m->read_bytes += tail.bytes;
	m->skipped += tail.skipped + symtab_dropped(tail.table);
	whole = add_symbols(m, l, tail.table);
	symtab_free(tail.table);
	return whole;
}

/* A file that grows while it is read has changed again afterwards: it is looked at before. */
static struct symtab *make_table(struct perfmap *m, struct load *l, struct reader_pool *readers,
				 bool *refused)
{
	struct stat st;

	if (fstat(l->file, &st) < 0)
		return NULL;
	if (m->inode && m->owner != st.st_uid) {
		load_missing(l, "%s", _("the perf map has another owner now"));
		return NULL;
	}
	if (m->inode && is_unchanged(m, &st))
		return NULL;
	if (!m->inode || !is_same(m, &st))
		begin_anew(m, &st);
	if (m->refused || !read_on(m, l, readers, refused))
		return NULL;
	m->changed = st.st_mtim;
	snprintf(l->source, sizeof(l->source), "%s", _(named_by_word(NAMED_BY_PERF_MAP)));
	if (m->read_bytes >= PERFMAP_BYTES_MAX)
		load_missing(l, _("of the perf map only the first %u MiB are read"),
			     PERFMAP_BYTES_MAX >> 20);
	l->skipped = m->skipped;
	return symtab_builder_make(m->builder);
}

struct symtab *perfmap_read(struct perfmap *m, struct load *l, struct reader_pool *readers,
			    bool *refused)
{
	struct symtab *t;

	*refused = false;
	l->file = perfmap_open(l);
	if (l->file < 0)
		return NULL;
	l->has_file = true;
	t = make_table(m, l, readers, refused);
	close(l->file);
	l->has_file = false;
	return t;
}
