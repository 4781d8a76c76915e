/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/smaps.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/scanner.h"

#define ROLLUP_BYTES 4096
#define PIECE_BYTES 16384
#define LINE_BYTES 8192 /* numbers, and a path of PATH_MAX with escapes */
#define KIB 1024

const struct smaps_usage smaps_unknown = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };

static const struct {
	const char *key;
	size_t offset;
} fields[] = {
	{ "Rss:", offsetof(struct smaps_usage, resident) },
	{ "Pss:", offsetof(struct smaps_usage, proportional) },
	{ "Swap:", offsetof(struct smaps_usage, swap) },
	{ "SwapPss:", offsetof(struct smaps_usage, swap_proportional) },
	{ "Private_Clean:", offsetof(struct smaps_usage, private_clean) },
	{ "Private_Dirty:", offsetof(struct smaps_usage, private_dirty) },
	{ "Shared_Clean:", offsetof(struct smaps_usage, shared_clean) },
	{ "Shared_Dirty:", offsetof(struct smaps_usage, shared_dirty) },
	{ "Anonymous:", offsetof(struct smaps_usage, anonymous) },
	{ "LazyFree:", offsetof(struct smaps_usage, lazy_free) },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static int64_t *field_of(struct smaps_usage *u, size_t i)
{
	return (int64_t *)((char *)u + fields[i].offset);
}

void smaps_usage_add(struct smaps_usage *sum, const struct smaps_usage *usage)
{
	struct smaps_usage more = *usage;

	for (size_t i = 0; i < FIELDS; i++) {
		int64_t *to = field_of(sum, i), add = *field_of(&more, i);

		if (add < 0)
			continue;
		if (*to < 0)
			*to = 0;
		*to = add > INT64_MAX - *to ? INT64_MAX : *to + add;
	}
}

/* "Rss:                 136 kB": one of the lines above.  Most lines are not. */
static void field_parse(struct scanner line, struct smaps_usage *usage)
{
	for (size_t i = 0; i < FIELDS; i++) {
		uint64_t kib;

		if (!scanner_word(&line, fields[i].key))
			continue;
		if (scanner_u64(&line, &kib) && kib <= INT64_MAX / KIB)
			*field_of(usage, i) = (int64_t)kib * KIB;
		return;
	}
}

int smaps_rollup_parse(const char *text, size_t size, struct smaps_usage *out)
{
	struct scanner s = scanner_of(text, size), line;

	*out = smaps_unknown;
	while (scanner_line(&s, &line))
		field_parse(line, out);
	return out->resident < 0 ? -EBADMSG : 0;
}

static void mapping_tell(struct smaps_parser *p)
{
	if (p->open)
		p->receive(p->context, &p->mapping, &p->usage);
	p->open = false;
}

static void mapping_open(void *context, const struct mapping *m)
{
	struct smaps_parser *p = context;

	buf_clear(&p->path);
	buf_add_str(&p->path, m->path);
	p->mapping = *m;
	p->mapping.path = p->path.bytes;
	p->usage = smaps_unknown;
	p->open = true;
}

/* The first line of a mapping is a line of maps; the others begin with a capital. */
static void line_parse(struct smaps_parser *p, const char *text, size_t size)
{
	if (size && *text >= 'A' && *text <= 'Z') {
		if (p->open)
			field_parse(scanner_of(text, size), &p->usage);
		return;
	}
	mapping_tell(p);
	p->skipped += maps_parse(text, size, true, mapping_open, p);
}

/* The collected line is complete. */
static void line_end(struct smaps_parser *p)
{
	if (p->overlong)
		p->skipped++;
	else if (p->line.size)
		line_parse(p, p->line.bytes, p->line.size);
	buf_clear(&p->line);
	p->overlong = false;
}

static void line_gather(struct smaps_parser *p, const char *text, size_t size)
{
	if (p->overlong || p->line.size + size > LINE_BYTES) {
		mapping_tell(p);
		p->overlong = true;
		return;
	}
	buf_add(&p->line, text, size);
}

void smaps_feed(struct smaps_parser *p, const char *text, size_t size)
{
	const char *at = text, *end = text + size;

	while (at != end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		line_gather(p, at, (size_t)((newline ? newline : end) - at));
		if (!newline)
			return;
		line_end(p);
		at = newline + 1;
	}
}

void smaps_end(struct smaps_parser *p)
{
	line_end(p);
	mapping_tell(p);
	buf_fini(&p->line);
	buf_fini(&p->path);
}

int smaps_rollup_read(const struct procfs *procfs, uint32_t pid, struct smaps_usage *out)
{
	char text[ROLLUP_BYTES];
	ssize_t n = procfs_read_task(procfs, pid, 0, "smaps_rollup", text, sizeof(text));

	*out = smaps_unknown;
	if (n < 0)
		return (int)n;
	return n ? smaps_rollup_parse(text, (size_t)n, out) : -ESRCH;
}

int smaps_read(const struct procfs *procfs, uint32_t pid, struct smaps_parser *p,
	       bool (*goes_on)(void *context))
{
	int fd = procfs_open_task(procfs, pid, 0, "smaps"), result = 0;
	char piece[PIECE_BYTES];
	ssize_t n = 0;

	while (fd >= 0 && !result && (n = procfs_read_more(fd, piece, sizeof(piece))) > 0) {
		smaps_feed(p, piece, (size_t)n);
		result = goes_on(p->context) ? 0 : -ECANCELED;
	}
	smaps_end(p);
	if (fd < 0)
		return fd;
	close(fd);
	return n < 0 ? (int)n : result;
}
