/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/jitdump.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "symbol/names.h"
#include "symbol/object.h"

bool jitdump_is_path(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	name = name ? name + 1 : path;
	if (strncmp(name, "jit-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	name += 4 + digits;
	return digits && (!strcmp(name, ".dump") || !strcmp(name, ".dump (deleted)"));
}

int jitdump_open(struct load *l)
{
	int fd = object_open_key(l->proc_root, &l->dump, &l->error);
	struct stat st;

	if (fd < 0) {
		load_missing(l, "%s", l->error.text);
		return -1;
	}
	if (fstat(fd, &st) == 0 && load_trusts(l, &st))
		return fd;
	load_missing(l, _("%s belongs to neither root nor the process's user"), l->dump.path);
	close(fd);
	return -1;
}

static void forget_frames(struct jit_parser *p)
{
	free(p->frames);
	p->frames = NULL;
	p->frames_size = 0;
}

/*
 * A record larger than one reading is skipped; a description of a function's frames has some
 * hundred bytes.
 */
static void parse_unwinding(struct jit_parser *p, struct bytes *b, const struct jitreader *at)
{
	uint64_t size = bytes_u64(b), header = bytes_u64(b);
	const void *bytes;

	forget_frames(p);
	bytes_take(b, 8);
	if (size == header)
		return;
	bytes = size > header && size - header <= b->left ? bytes_take(b, size - header) : NULL;
	if (b->failed || !bytes) {
		p->skipped++;
		return;
	}
	p->frames = mem_alloc(size - header);
	memcpy(p->frames, bytes, size - header);
	p->frames_size = size - header;
	p->frames_at = *at;
	p->frames_skipped = p->skipped;
}

/* The rules of E by the description before it, owned by the caller; its size is set in E. */
static void *take_frames(struct jit_parser *p, struct jit_entry *e)
{
	const struct jit_description d = {
		.machine = p->at.machine,
		.start = e->start,
		.address = (e->start + e->size + 7) & ~UINT64_C(7),
		.bytes = p->frames,
		.size = p->frames_size,
	};
	size_t size = 0;
	void *rules = p->frames && p->make ? p->make(&d, &size) : NULL;

	forget_frames(p);
	if (size <= JITFRAME_BYTES_MAX) {
		e->frames_bytes = (uint32_t)size;
		return rules;
	}
	p->skipped++;
	free(rules);
	return NULL;
}

static bool is_code(const struct jit_entry *e)
{
	return e->size && e->size <= UINT64_MAX - e->start;
}

static void parse_load(struct jit_parser *p, struct jitrecord *record)
{
	struct jit_entry e = { .kind = JIT_CODE };
	struct jitload load;
	void *rules;

	if (jitrecord_load(record, &load)) {
		e.start = load.address;
		e.size = load.size;
		e.index = load.index;
		e.name_bytes = (uint32_t)(load.name_size < NAMES_TEXT_MAX ? load.name_size
									  : NAMES_TEXT_MAX);
	}
	if (!is_code(&e)) {
		p->skipped++;
		return;
	}
	rules = take_frames(p, &e);
	jit_entries_add(&p->entries, &e, load.name, rules);
	free(rules);
}

static void parse_move(struct jit_parser *p, struct jitrecord *record)
{
	struct jit_entry e = { .kind = JIT_MOVED };
	struct jitmove move;

	forget_frames(p);
	if (jitrecord_move(record, &move)) {
		e.start = move.to;
		e.size = move.size;
		e.index = move.index;
		e.from = move.from;
	}
	if (is_code(&e))
		jit_entries_add(&p->entries, &e, NULL, NULL);
	else
		p->skipped++;
}

/* AT is where the record begins. */
static void take_record(struct jit_parser *p, struct jitrecord *record, const struct jitreader *at)
{
	if (record->type == JIT_CODE_LOAD)
		parse_load(p, record);
	else if (record->type == JIT_CODE_MOVE)
		parse_move(p, record);
	else if (record->type == JIT_UNWINDING_INFO)
		parse_unwinding(p, &record->body, at);
}

uint64_t jitdump_parse(struct jit_parser *p, const void *bytes, size_t size, uint64_t left)
{
	uint64_t used = 0, step;
	struct jitrecord record;

	while (used < size && !jit_entries_are_full(&p->entries)) {
		const struct jitreader at = p->at;

		step = jitreader_next(&p->at, (const unsigned char *)bytes + used, size - used,
				      left - used, &record);
		if (!step)
			break;
		take_record(p, &record, &at);
		used += step;
	}
	return used;
}
