/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "symbol/names.h"
#include "symbol/scan.h"

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
int perfmap_open(struct load *l)
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
	return fd < 0 ? -1 : fd;
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

static bool parse_line(struct jit_parser *p, struct scan line)
{
	struct jit_entry e = { .kind = JIT_CODE };

	if (!scan_number(&line, &e.start) || !scan_char(&line, ' ') ||
	    !scan_number(&line, &e.size) || !scan_char(&line, ' ') || !line.left)
		return false;
	if (e.size > UINT64_MAX - e.start)
		e.size = UINT64_MAX - e.start;
	e.name_bytes = (uint32_t)(line.left < NAMES_TEXT_MAX ? line.left : NAMES_TEXT_MAX);
	if (!e.size)
		return false;
	jit_entries_add(&p->entries, &e, line.at, NULL);
	return true;
}

uint64_t perfmap_parse(struct jit_parser *p, const void *text, size_t size, uint64_t left)
{
	struct scan all = { text, size }, line;
	uint64_t used;

	while (!jit_entries_are_full(&p->entries) && scan_line(&all, &line))
		if (!parse_line(p, line))
			p->skipped++;
	used = (uint64_t)(all.at - (const char *)text);
	if (!used && size < left)
		used = size;
	p->at.offset += used;
	return used;
}
