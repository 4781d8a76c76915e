/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/debugfile.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "symbol/fetch.h"

#define CHUNK_BYTES (1024u * 1024)
#define LINK_BYTES_MAX 4096u
#define ROOTS 2u /* of paths: this machine's, and the process's */

/* The prefix of absolute paths.  ROOT 0 is this machine's root, ROOT 1 that of L's process, if there is one. */
static bool root_of(const struct load *l, uint32_t root, struct debugfile_path *out)
{
	out->text[0] = '\0';
	if (root == 0)
		return true;
	if (!l->key.pid)
		return false;
	snprintf(out->text, sizeof(out->text), "%s/%u/root", l->proc_root, l->key.pid);
	return true;
}

static bool has_build_id(const struct object *o, const struct build_id *id)
{
	struct build_id its = object_build_id(o);

	return build_id_equal(&its, id);
}

static bool same_build_id(const struct object *a, const struct object *b)
{
	struct build_id id = object_build_id(a);

	return id.size && has_build_id(b, &id);
}

/* The directory that has the mapped file; "" if its path has none. */
static void directory_of_key(const struct load *l, struct debugfile_path *out)
{
	const char *slash = strrchr(l->key.path, '/');

	snprintf(out->text, sizeof(out->text), "%.*s", slash ? (int)(slash - l->key.path) : 0,
		 l->key.path);
}

static bool build_id_place(struct load *l, const struct debugfile_request *r, const char *prefix,
			   struct debugfile_path *path)
{
	char hex[BUILD_ID_TEXT];

	if (r->id.size < 2 || r->id.size > BUILD_ID_MAX)
		return false;
	build_id_format(&r->id, hex);
	return snprintf(path->text, sizeof(path->text), "%s%s/.build-id/%.2s/%s.debug", prefix,
			l->debug_root, hex, hex + 2) < (int)sizeof(path->text);
}

/* Beside the file, in .debug/ there, and in the debug root's copy of its directory. */
static bool link_place(struct load *l, const struct debugfile_request *r, const char *prefix,
		       struct debugfile_path *path)
{
	const struct {
		const char *above, *below;
	} places[] = { { "", "" }, { "", "/.debug" }, { l->debug_root, "" } };
	size_t i = r->place % (sizeof(places) / sizeof(*places));
	struct debugfile_path directory;

	directory_of_key(l, &directory);
	/* A name with a directory in it could lead anywhere. */
	if (*l->key.path != '/' || !*r->name || strchr(r->name, '/'))
		return false;
	return snprintf(path->text, sizeof(path->text), "%s%s%s%s/%s", prefix, places[i].above,
			directory.text, places[i].below, r->name) < (int)sizeof(path->text);
}

/* The path of the file that names are relative to, from the kernel's link to it. */
static bool path_of_holder(const struct load *l, struct debugfile_path *out)
{
	char link[64];
	ssize_t n;

	if (!l->holder)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", *l->holder);
	n = readlink(link, out->text, sizeof(out->text) - 1);
	out->text[n > 0 ? n : 0] = '\0';
	return *out->text == '/';
}

/* A name is relative to the file that holds it, or absolute. */
static bool shared_place(struct load *l, const struct debugfile_request *r, const char *prefix,
			 struct debugfile_path *path)
{
	struct debugfile_path holder;

	if (*r->name == '/')
		return snprintf(path->text, sizeof(path->text), "%s%s", prefix, r->name) <
		       (int)sizeof(path->text);
	if (r->place || !*r->name || !path_of_holder(l, &holder))
		return false;
	*strrchr(holder.text, '/') = '\0';
	return snprintf(path->text, sizeof(path->text), "%s/%s", holder.text, r->name) <
	       (int)sizeof(path->text);
}

/* As gdb and lldb look for it: beside the program, or beside its debug file. */
static bool package_place(struct load *l, const struct debugfile_request *r, const char *prefix,
			  struct debugfile_path *path)
{
	struct debugfile_path holder;

	if (r->place % 2 == 0)
		return snprintf(path->text, sizeof(path->text), "%s%s.dwp", prefix, l->key.path) <
		       (int)sizeof(path->text);
	return !*prefix && path_of_holder(l, &holder) &&
	       snprintf(path->text, sizeof(path->text), "%s.dwp", holder.text) <
		       (int)sizeof(path->text);
}

/* A name is absolute, or relative to the compiler's directory, or to where both were moved. */
static bool unit_place(struct load *l, const struct debugfile_request *r, const char *prefix,
		       struct debugfile_path *path)
{
	const bool absolute = *r->name == '/', moved = r->place % 2;
	struct debugfile_path directory;

	directory_of_key(l, &directory);
	if (!*r->name || (moved && (absolute || *l->key.path != '/')))
		return false;
	return snprintf(path->text, sizeof(path->text), "%s%s%s%s", prefix,
			absolute ? ""
			: moved  ? directory.text
				 : r->directory,
			absolute ? "" : "/", r->name) < (int)sizeof(path->text);
}

static bool source_place(struct load *l, const struct debugfile_request *r, const char *prefix,
			 struct debugfile_path *path)
{
	(void)l;
	return *r->name == '/' && snprintf(path->text, sizeof(path->text), "%s%s", prefix,
					   r->name) < (int)sizeof(path->text);
}

/* Where distributions and builds put a file of the kernel: the text before and after the request's name. */
struct named_place {
	bool debug; /* below the debug root */
	const char *before, *behind;
};

static const struct named_place kernel_places[] = {
	{ true, "/boot/vmlinux-", "" },
	{ true, "/lib/modules/", "/vmlinux" },
	{ true, "/boot/vmlinux-", ".debug" },
	{ false, "/boot/vmlinux-", "" },
	{ false, "/lib/modules/", "/build/vmlinux" },
};

static const struct named_place module_places[] = {
	{ true, "/lib/modules/", ".debug" },
	{ true, "/usr/lib/modules/", ".debug" },
	{ true, "/lib/modules/", "" },
	{ false, "/lib/modules/", "" },
};

#define KERNEL_PLACES (sizeof(kernel_places) / sizeof(*kernel_places))
#define MODULE_PLACES (sizeof(module_places) / sizeof(*module_places))

static bool named_place(const struct load *l, const struct named_place *p, const char *name,
			struct debugfile_path *path)
{
	return snprintf(path->text, sizeof(path->text), "%s%s%s%s", p->debug ? l->debug_root : "",
			p->before, name, p->behind) < (int)sizeof(path->text);
}

/* Only of this machine: a process has no kernel of its own. */
static bool kernel_place(struct load *l, const struct debugfile_request *r, const char *prefix,
			 struct debugfile_path *path)
{
	return !*prefix && *r->name && !strchr(r->name, '/') &&
	       named_place(l, &kernel_places[r->place % KERNEL_PLACES], r->name, path);
}

/* It stays below lib/modules. */
static bool module_place(struct load *l, const struct debugfile_request *r, const char *prefix,
			 struct debugfile_path *path)
{
	return !*prefix && *r->name && *r->name != '.' && !strstr(r->name, "/.") &&
	       named_place(l, &module_places[r->place % MODULE_PLACES], r->name, path);
}

/* The ways: how many places each root has, and the path of one. */
static const struct {
	unsigned places;
	bool (*path)(struct load *l, const struct debugfile_request *r, const char *prefix,
		     struct debugfile_path *path);
} ways[] = {
	[DEBUGFILE_BUILD_ID] = { 1, build_id_place },
	[DEBUGFILE_LINK] = { 3, link_place },
	[DEBUGFILE_SHARED] = { 1, shared_place },
	[DEBUGFILE_PACKAGE] = { 2, package_place },
	[DEBUGFILE_UNIT] = { 2, unit_place },
	[DEBUGFILE_SOURCE] = { 1, source_place },
	[DEBUGFILE_KERNEL] = { KERNEL_PLACES, kernel_place },
	[DEBUGFILE_MODULE] = { MODULE_PLACES, module_place },
};

/* Waits for a server; only other requests for lines wait for this. */
static int open_fetched(struct load *l, const struct debugfile_request *r)
{
	const struct fetch_request request = {
		.build_id = r->id,
		.checkpoint = l->checkpoint,
		.context = l->context,
	};

	if (!fetch_is_wanted() || r->id.size < 2 || r->id.size > BUILD_ID_MAX)
		return -ENODATA;
	return r->way == DEBUGFILE_SOURCE ? fetch_source_file(&request, r->name, &l->error)
					  : fetch_debug_file(&request, &l->error);
}

/* Whoever asks may not be trusted with other files than those. */
static bool begins_as_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

/* The last place of all. */
static bool is_on_server(const struct debugfile_request *r)
{
	if (r->way == DEBUGFILE_SERVER)
		return !r->place;
	return r->way == DEBUGFILE_SOURCE && r->place == ROOTS && *r->name == '/';
}

int debugfile_open(struct load *l, const struct debugfile_request *r, struct debugfile_path *path)
{
	const bool is_source = r->way == DEBUGFILE_SOURCE;
	struct debugfile_path prefix;
	uint32_t root;
	int fd;

	path->text[0] = '\0';
	if (!memchr(r->name, '\0', sizeof(r->name)) ||
	    !memchr(r->directory, '\0', sizeof(r->directory)))
		return -ENODATA;
	if (is_on_server(r))
		return open_fetched(l, r);
	if (r->way >= sizeof(ways) / sizeof(*ways) || r->place >= ROOTS * ways[r->way].places)
		return -ENODATA;
	root = r->place / ways[r->way].places;
	if (!root_of(l, is_source ? ROOTS - 1 - root : root, &prefix) ||
	    !ways[r->way].path(l, r, prefix.text, path))
		return -ENOENT;
	fd = object_open_file(path->text);
	if (fd < 0 || is_source || begins_as_elf(fd))
		return fd;
	close(fd);
	return -ENOEXEC;
}

int debugfile_open_next(struct load *l, struct debugfile_request *r, struct debugfile_path *path)
{
	int fd;

	while ((fd = debugfile_open(l, r, path)) != -ENODATA) {
		r->place++;
		if (fd >= 0)
			break;
	}
	return fd;
}

struct object *debugfile_ask(struct load *l, struct debugfile_request *r,
			     struct debugfile_path *path, bool *end)
{
	int fd = l->open ? l->open(l, r, path) : debugfile_open_next(l, r, path);

	*end = fd == -ENODATA;
	return object_new_elf(fd);
}

struct object *debugfile_of_build_id(struct load *l, const struct build_id *id,
				     struct debugfile_path *path)
{
	struct debugfile_request r = { .way = DEBUGFILE_BUILD_ID, .id = *id };
	bool end = id->size < 2;

	while (!end) {
		struct object *o = debugfile_ask(l, &r, path, &end);

		if (o && has_build_id(o, id))
			return o;
		object_free(o);
	}
	return NULL;
}

struct object *debugfile_by_build_id(struct load *l, struct debugfile_path *path)
{
	struct build_id id = object_build_id(l->object);

	return debugfile_of_build_id(l, &id, path);
}

/* CRC-32 of IEEE 802.3, reflected, as zlib and binutils compute it. */
static uint32_t crc_update(uint32_t crc, const unsigned char *bytes, size_t size)
{
	static const uint32_t nibble[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return crc;
}

static bool has_checksum(struct load *l, const struct object *o, uint32_t wanted)
{
	unsigned char *chunk = mem_alloc(CHUNK_BYTES);
	uint32_t crc = ~0u;
	uint64_t at = 0;

	while (at < o->size && !load_checkpoint(l)) {
		size_t n = o->size - at < CHUNK_BYTES ? o->size - at : CHUNK_BYTES;

		if (!object_read(o, at, chunk, n))
			break;
		crc = crc_update(crc, chunk, n);
		at += n;
	}
	free(chunk);
	return at == o->size && ~crc == wanted;
}

/* The section .gnu_debuglink: a name, NUL, padding to 4 bytes, the checksum in the file's byte order. */
static bool link_read(struct debugfile_request *r, uint32_t *checksum, const struct object *o)
{
	GElf_Shdr header;
	size_t size, length;
	char *name;
	bool valid;

	if (!object_section(o, ".gnu_debuglink", SHT_PROGBITS, &header))
		return false;
	name = object_section_bytes(o, &header, LINK_BYTES_MAX, &size);
	length = name ? strlen(name) : 0;
	valid = length && length < sizeof(r->name) && (length + 4) / 4 * 4 + 4 <= size;
	if (valid) {
		memcpy(r->name, name, length + 1);
		memcpy(checksum, name + (length + 4) / 4 * 4, 4);
		*checksum = o->header.e_ident[EI_DATA] == ELFDATA2LSB ? le32toh(*checksum)
								      : be32toh(*checksum);
	}
	free(name);
	return valid;
}

struct object *debugfile_by_link(struct load *l, struct debugfile_path *path)
{
	struct debugfile_request r = { .way = DEBUGFILE_LINK };
	uint32_t checksum;
	bool end;

	if (!link_read(&r, &checksum, l->object))
		return NULL;
	do {
		struct object *o = debugfile_ask(l, &r, path, &end);

		if (o && (same_build_id(o, l->object) || has_checksum(l, o, checksum)))
			return o;
		object_free(o);
	} while (!end);
	return NULL;
}

bool debugfile_name(char *member, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size)
		return false;
	memcpy(member, text, length + 1);
	return true;
}

static struct object *find_shared(struct load *l, const char *name, const struct build_id *id)
{
	struct debugfile_request r = { .way = DEBUGFILE_SHARED };
	struct debugfile_path path;
	bool end = !debugfile_name(r.name, sizeof(r.name), name);

	while (!end) {
		struct object *o = debugfile_ask(l, &r, &path, &end);

		if (o && has_build_id(o, id))
			return o;
		object_free(o);
	}
	return debugfile_of_build_id(l, id, &path);
}

/* The section: a name, NUL, the build id of the file. */
struct object *debugfile_shared(struct load *l, const struct object *o)
{
	GElf_Shdr header;
	struct object *found = NULL;
	struct build_id id = { .size = 0 };
	size_t size, length;
	char *name;

	if (!object_section(o, ".gnu_debugaltlink", SHT_PROGBITS, &header))
		return NULL;
	name = object_section_bytes(o, &header, LINK_BYTES_MAX, &size);
	length = name ? strlen(name) : 0;
	if (length && length + 1 < size)
		id = build_id_of(name + length + 1, size - length - 1);
	l->holder = &o->fd;
	if (id.size)
		found = find_shared(l, name, &id);
	l->holder = NULL;
	free(name);
	return found;
}
