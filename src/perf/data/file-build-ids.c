/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-build-ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define HAS_SIZE (1u << 15) /* PERF_RECORD_MISC_BUILD_ID_SIZE */
#define IDS_MAX (1024u * 1024)

struct named_id {
	struct named_id *same_hash;
	struct build_id id;
	char path[];
};

static uint64_t path_key(const char *path)
{
	return hash_bytes(path, strlen(path));
}

const struct build_id *file_build_ids_find(const struct file_build_ids *ids, const char *path)
{
	const struct named_id *n =
		ids->by_hash.count ? map_find(&ids->by_hash, path_key(path)) : NULL;

	while (n && strcmp(n->path, path))
		n = n->same_hash;
	return n ? &n->id : NULL;
}

void file_build_ids_fini(struct file_build_ids *ids)
{
	struct named_id *n, *next;

	for (size_t i = 0; (n = map_next(&ids->by_hash, &i));)
		for (; n; n = next) {
			next = n->same_hash;
			free(n);
		}
	map_fini(&ids->by_hash);
}

static void add(struct file_build_ids *ids, const char *path, struct build_id id)
{
	size_t length = strlen(path);
	struct named_id *n;

	if (ids->by_hash.count >= IDS_MAX || file_build_ids_find(ids, path))
		return;
	n = mem_alloc(sizeof(*n) + length + 1);
	memcpy(n->path, path, length + 1);
	n->id = id;
	n->same_hash = map_find(&ids->by_hash, path_key(path));
	map_put(&ids->by_hash, path_key(path), n);
}

/* Older perfs write no size: it was that of SHA-1, unless zeros fill it up from 16. */
static uint8_t size_of(const uint8_t bytes[24], uint16_t misc)
{
	static const uint8_t none[4];

	if (misc & HAS_SIZE)
		return bytes[20] <= BUILD_ID_MAX ? bytes[20] : BUILD_ID_MAX;
	return memcmp(bytes + 16, none, sizeof(none)) ? 20 : 16;
}

void file_build_ids_add(struct file_build_ids *ids, struct bytes *b)
{
	const uint8_t *bytes;
	const char *path;
	uint16_t misc;

	bytes_u32(b); /* type */
	misc = bytes_u16(b);
	bytes_u16(b); /* size */
	bytes_u32(b); /* pid: of a guest's kernel */
	bytes = bytes_take(b, 24);
	path = bytes_text(b, b->left);
	if (!b->failed)
		add(ids, path, build_id_of(bytes, size_of(bytes, misc)));
}

void file_build_ids_add_all(struct file_build_ids *ids, struct bytes *b)
{
	while (b->left) {
		struct bytes header = *b, one = *b;
		uint16_t size;

		bytes_u32(&header);
		bytes_u16(&header);
		size = bytes_u16(&header);
		if (header.failed || size < 8 || size > b->left) {
			b->failed = true;
			return;
		}
		bytes_take(b, size);
		one.left = size;
		file_build_ids_add(ids, &one);
	}
}
