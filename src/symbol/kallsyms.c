/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "symbol/object.h"
#include "symbol/scan.h"

#define CHUNK_BYTES (128 * 1024)
#define MODULE_MAX 64

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* As perf: prefers a symbol that is not weak, then a global one. */
static unsigned type_rank(char type)
{
	if (type == 'w' || type == 'W')
		return 3;
	return type == 'T' ? 0 : 1;
}

static void parse_line(struct symtab_builder *b, struct scan line, bool bpf,
		       struct kallsyms_count *count)
{
	struct symtab_entry e = { 0 };
	char module[MODULE_MAX];
	struct scan tag;
	char type;

	if (!scan_hex(&line, &e.start) || !scan_char(&line, ' ') || !scan_any(&line, &type) ||
	    !scan_char(&line, ' ')) {
		count->skipped++;
		return;
	}
	if (!is_code(type))
		return;
	if (!e.start) {
		count->hidden++;
		return;
	}
	e.name = line.at;
	e.name_size = scan_until(&line, '\t').left;
	e.rank = type_rank(type);
	tag = line;
	if (scan_char(&tag, '\t') && tag.left && tag.left < sizeof(module)) {
		memcpy(module, tag.at, tag.left);
		module[tag.left] = '\0';
		e.module = module;
		if (!bpf && !strcmp(module, "[bpf]"))
			return;
	}
	symtab_builder_add(b, &e);
	count->added++;
}

size_t kallsyms_parse(struct symtab_builder *b, const char *text, size_t size, bool bpf,
		      struct kallsyms_count *count)
{
	struct scan all = { text, size }, line;

	while (scan_line(&all, &line))
		parse_line(b, line, bpf, count);
	return all.at - text;
}

static uint64_t explain(struct load *l, const struct kallsyms_count *count, int error)
{
	if (error)
		load_missing(l, "%s: %s", l->kallsyms, strerror(error));
	else if (count->hidden)
		load_missing(l, "%s",
			     _("kernel.kptr_restrict hides addresses in /proc/kallsyms: run as "
			       "root, or with CAP_SYSLOG, or set it to 0"));
	else
		load_missing(l, _("%s lists no code"), l->kallsyms);
	return 0;
}

uint64_t kallsyms_read(struct load *l)
{
	struct kallsyms_count count = { 0 };
	char *chunk;
	size_t have = 0;
	ssize_t n;
	int fd, error;

	fd = object_open_file(l->kallsyms);
	if (fd < 0)
		return explain(l, &count, -fd);
	chunk = mem_alloc(CHUNK_BYTES);
	while ((n = read(fd, chunk + have, CHUNK_BYTES - have)) > 0 && !load_checkpoint(l)) {
		size_t used;

		have += n;
		used = kallsyms_parse(l->builder, chunk, have, !l->recorded, &count);
		have -= used;
		memmove(chunk, chunk + used, have);
		if (have == CHUNK_BYTES)
			have = 0; /* a line of 128 KiB is none */
	}
	error = n < 0 ? errno : 0;
	free(chunk);
	close(fd);
	if (!count.added)
		return explain(l, &count, error);
	return count.added;
}
