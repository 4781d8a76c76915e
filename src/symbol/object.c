/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/object.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "base/io.h"

/* <linux/magic.h>: file systems whose device in stat(2) differs from that in /proc/PID/maps. */
#define OVERLAYFS_MAGIC 0x794c7630
#define BTRFS_MAGIC 0x9123683e
#define DELETED_SUFFIX " (deleted)"
#define NOTES_MAX 65536u
#define SECTION_COST 256u /* bytes of memory for each section */

int object_open_file(const char *path)
{
	char again[64];
	struct stat st;
	int fd, at;

	/* O_PATH has no side effects, which opening a device or a FIFO may have. */
	at = open(path, O_PATH | O_CLOEXEC);
	if (at < 0)
		return -errno;
	if (fstat(at, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(at);
		return -EINVAL;
	}
	snprintf(again, sizeof(again), "/proc/self/fd/%d", at);
	fd = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	fd = fd < 0 ? -errno : fd;
	close(at);
	return fd;
}

static bool is_on(int fd, uint32_t magic)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (uint32_t)fs.f_type == magic;
}

static bool has_build_id(int fd, const struct dso_key *key)
{
	struct object *o = object_new(dup(fd));
	struct build_id id = object_build_id(o);

	object_free(o);
	return build_id_equal(&id, &key->build_id);
}

enum trust {
	TRUST_PATH, /* a path on this machine: may be another file now */
	TRUST_ROOT, /* a path below the root of the process */
	TRUST_LINK, /* the kernel's link to the file, whatever its path leads to now */
};

/*
 * Is FD the mapped file?  The build id decides if the kernel gave one, else the inode.  The device
 * helps little (see BTRFS_MAGIC); it matters where the mount namespace may differ.  The inode in
 * maps of a file on an overlay may be the lower layer's.
 */
static bool is_mapped_file(int fd, const struct dso_key *key, enum trust trust)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (key->build_id.size)
		return has_build_id(fd, key);
	if (!key->inode)
		return true;
	if (st.st_ino != key->inode)
		return trust == TRUST_LINK && is_on(fd, OVERLAYFS_MAGIC);
	return trust != TRUST_PATH || st.st_dev == makedev(key->major, key->minor) ||
	       is_on(fd, OVERLAYFS_MAGIC) || is_on(fd, BTRFS_MAGIC);
}

/* The ways to a mapped file, the most exact one first. */
struct way {
	enum trust trust;
	bool needs_process;
	void (*path)(char *out, size_t size, const char *proc_root, const struct dso_key *key);
};

static void way_map_files(char *out, size_t size, const char *proc_root, const struct dso_key *key)
{
	snprintf(out, size, "%s/%u/map_files/%" PRIx64 "-%" PRIx64, proc_root, key->pid,
		 key->map_start, key->map_end);
}

static void way_root(char *out, size_t size, const char *proc_root, const struct dso_key *key)
{
	snprintf(out, size, "%s/%u/root%s", proc_root, key->pid, key->path);
}

static void way_exe(char *out, size_t size, const char *proc_root, const struct dso_key *key)
{
	snprintf(out, size, "%s/%u/exe", proc_root, key->pid);
}

static void way_path(char *out, size_t size, const char *proc_root, const struct dso_key *key)
{
	(void)proc_root;
	snprintf(out, size, "%s", key->path);
}

/* A deleted main executable whose process has ended: only a file of that name could help. */
static void way_undeleted(char *out, size_t size, const char *proc_root, const struct dso_key *key)
{
	size_t length = strlen(key->path), suffix = strlen(DELETED_SUFFIX);

	(void)proc_root;
	if (length > suffix && !strcmp(key->path + length - suffix, DELETED_SUFFIX))
		length -= suffix;
	snprintf(out, size, "%.*s", (int)length, key->path);
}

static const struct way ways[] = {
	{ .trust = TRUST_LINK, .needs_process = true, .path = way_map_files },
	{ .trust = TRUST_ROOT, .needs_process = true, .path = way_root },
	{ .trust = TRUST_LINK, .needs_process = true, .path = way_exe },
	{ .trust = TRUST_PATH, .needs_process = false, .path = way_path },
	{ .trust = TRUST_PATH, .needs_process = false, .path = way_undeleted },
};

/* "Permission denied" says more than a later way's "No such file". */
static int worse_error(int before, int now)
{
	return before == -EACCES || before == -EPERM || before == -ESTALE ? before : now;
}

int object_open_key(const char *proc_root, const struct dso_key *key, struct error *err)
{
	int result = -ENOENT;

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char path[PATH_MAX + 64];
		int fd;

		if (ways[i].needs_process && !key->pid)
			continue;
		ways[i].path(path, sizeof(path), proc_root, key);
		fd = path[0] == '/' ? object_open_file(path) : -ENOENT;
		if (fd >= 0 && is_mapped_file(fd, key, ways[i].trust))
			return fd;
		if (fd >= 0)
			close(fd);
		result = worse_error(result, fd >= 0 ? -ESTALE : fd);
	}
	if (result == -ESTALE)
		return error_set(err,
				 _("%s: replaced since it was mapped, and its process has ended"),
				 key->path);
	return error_set(err, "%s: %s", key->path, strerror(-result));
}

bool object_read(const struct object *o, uint64_t offset, void *bytes, size_t size)
{
	if (offset > o->size || size > o->size - offset)
		return false;
	return io_read_at(o->fd, offset, bytes, size) == size;
}

/*
 * libelf allocates a structure for each section of the header before it checks that the file has
 * it.  So absurd numbers are refused first.
 */
static bool sections_are_sane(const struct object *o)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} header = { 0 };
	bool swap, wide;
	uint64_t offset, count;

	if (!object_read(o, 0, &header, o->size < sizeof(header) ? o->size : sizeof(header)))
		return false;
	wide = header.ident[EI_CLASS] == ELFCLASS64;
	swap = header.ident[EI_DATA] !=
	       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	offset = wide ? header.e64.e_shoff : header.e32.e_shoff;
	count = wide ? header.e64.e_shnum : header.e32.e_shnum;
	if (swap) {
		offset = wide ? __builtin_bswap64(offset) : __builtin_bswap32(offset);
		count = __builtin_bswap16(count);
	}
	/*
	 * A count of 0 with a table means "more than 65279, see the first": no executable has so
	 * many.
	 */
	return offset == 0 || (count != 0 && offset < o->size);
}

/*
 * The bytes of the file on its disk.  Some file systems do not tell; an inlined file has no blocks.
 */
static uint64_t real_bytes(const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size, blocks = (uint64_t)st->st_blocks * 512;

	return blocks && blocks < size ? blocks : size;
}

/*
 * libelf reads and even unpacks the sections' names as large as they claim to be, and allocates for
 * each section.  No linker compresses names.
 */
static bool sections_are_paid(const struct object *o)
{
	Elf_Scn *names = elf_getscn(o->elf, o->names_section);
	size_t count = 0;
	GElf_Shdr header;

	if (elf_getshdrnum(o->elf, &count) < 0 ||
	    !allowance_take(o->allowance, count * SECTION_COST))
		return false;
	if (!count || !names || !gelf_getshdr(names, &header))
		return true;
	if (header.sh_flags & SHF_COMPRESSED)
		return allowance_refuse(o->allowance, REFUSED_DAMAGED);
	return header.sh_type == SHT_NOBITS || allowance_take(o->allowance, header.sh_size);
}

static struct object *new_limited(int fd, uint64_t size_max)
{
	struct object *o = mem_alloc(sizeof(*o));
	struct stat st;

	o->fd = fd;
	o->allowance = mem_alloc(sizeof(*o->allowance));
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < EI_NIDENT ||
	    (uint64_t)st.st_size > size_max)
		return o;
	o->size = st.st_size;
	*o->allowance = allowance_of(real_bytes(&st));
	if (elf_version(EV_CURRENT) == EV_NONE || !sections_are_sane(o))
		return o;
	o->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!o->elf)
		return o;
	if (elf_kind(o->elf) != ELF_K_ELF || !gelf_getehdr(o->elf, &o->header) ||
	    elf_getshdrstrndx(o->elf, &o->names_section) < 0 || !sections_are_paid(o)) {
		elf_end(o->elf);
		o->elf = NULL;
	}
	return o;
}

struct object *object_new(int fd)
{
	return new_limited(fd, OBJECT_BYTES_MAX);
}

struct object *object_new_core(int fd)
{
	return new_limited(fd, INT64_MAX);
}

struct object *object_new_elf(int fd)
{
	struct object *o = object_new(fd);

	if (o->elf)
		return o;
	object_free(o);
	return NULL;
}

struct object *object_new_from_memory(const void *bytes, size_t size)
{
	int fd = memfd_create("ptop", MFD_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return NULL;
	while (done < size) {
		ssize_t n = write(fd, (const char *)bytes + done, size - done);

		if (n <= 0) {
			close(fd);
			return NULL;
		}
		done += n;
	}
	return object_new(fd);
}

void object_free(struct object *o)
{
	if (!o)
		return;
	if (o->elf)
		elf_end(o->elf);
	if (o->fd >= 0)
		close(o->fd);
	free(o->allowance);
	free(o);
}

Elf_Scn *object_section_next(const struct object *o, Elf_Scn *section, const char *name,
			     uint32_t type, GElf_Shdr *header)
{
	if (!o->elf)
		return NULL;
	while ((section = elf_nextscn(o->elf, section))) {
		const char *its;

		if (!gelf_getshdr(section, header) || (type && header->sh_type != type))
			continue;
		its = name ? elf_strptr(o->elf, o->names_section, header->sh_name) : NULL;
		if (!name || (its && !strcmp(its, name)))
			return section;
	}
	return NULL;
}

/* A section compressed in the old way begins with "ZLIB" and its size, big-endian. */
static uint64_t zdebug_size(const struct object *o, const GElf_Shdr *header)
{
	unsigned char head[12];
	uint64_t size = 0;

	if (!object_read(o, header->sh_offset, head, sizeof(head)))
		return header->sh_size;
	for (size_t i = 4; i < sizeof(head); i++)
		size = size << 8 | head[i];
	return size;
}

static uint64_t unpacked_size(const struct object *o, Elf_Scn *section, const GElf_Shdr *header,
			      const char *name)
{
	GElf_Chdr compressed;

	if (name[1] == 'z')
		return zdebug_size(o, header);
	return header->sh_flags & SHF_COMPRESSED && gelf_getchdr(section, &compressed)
		       ? compressed.ch_size
		       : header->sh_size;
}

const char *object_refusal_text(unsigned refused)
{
	static const char *const texts[] = {
		[REFUSED_DAMAGED] = N_("damaged: its sections make no sense"),
		[REFUSED_TOO_SLOW] = N_("too slow: reading all of it would take too long"),
		[REFUSED_TOO_LARGE] = N_("too large: it claims more than a file of its size holds"),
	};
	const char *text = refused < sizeof(texts) / sizeof(*texts) ? texts[refused] : NULL;

	return text ? _(text) : NULL;
}

const char *object_refusal(const struct object *o)
{
	return object_refusal_text(o->allowance->refused);
}

uint64_t object_dwarf_bytes(const struct object *o)
{
	Elf_Scn *section = NULL;
	uint64_t bytes = 0;

	while ((section = elf_nextscn(o->elf, section))) {
		GElf_Shdr header;
		const char *name;
		uint64_t size;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(o->elf, o->names_section, header.sh_name);
		if (!name || !strstr(name, "debug"))
			continue;
		size = unpacked_size(o, section, &header, name);
		bytes = size > UINT64_MAX / 2 - bytes ? UINT64_MAX / 2 : bytes + size;
	}
	return bytes;
}

Elf_Scn *object_section(const struct object *o, const char *name, uint32_t type, GElf_Shdr *header)
{
	return object_section_next(o, NULL, name, type, header);
}

Elf_Scn *object_section_of_type(const struct object *o, uint32_t type, GElf_Shdr *header)
{
	return object_section(o, NULL, type, header);
}

void *object_section_bytes(const struct object *o, const GElf_Shdr *header, size_t limit,
			   size_t *size)
{
	char *bytes;

	if (header->sh_type == SHT_NOBITS || (header->sh_flags & SHF_COMPRESSED) ||
	    header->sh_size > limit || header->sh_size > o->size ||
	    !allowance_take(o->allowance, header->sh_size))
		return NULL;
	bytes = malloc(header->sh_size + 1);
	if (!bytes || !object_read(o, header->sh_offset, bytes, header->sh_size)) {
		free(bytes);
		return NULL;
	}
	bytes[header->sh_size] = '\0';
	*size = header->sh_size;
	return bytes;
}

/* The place of notes in the file, in bytes. */
struct notes {
	uint64_t offset, size, align;
};

/* Notes: {name size, descriptor size, type}, name "GNU\0", descriptor; see elf(5). */
static struct build_id notes_build_id(const struct object *o, struct notes where)
{
	struct build_id found = { .size = 0 };
	size_t name_at, at = 0;
	Elf_Data raw, *notes;
	GElf_Nhdr note;

	if (!where.size || where.size > NOTES_MAX || where.offset > o->size)
		return found;
	notes = elf_getdata_rawchunk(o->elf, where.offset, where.size,
				     where.align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	if (!notes)
		return found;
	raw = *notes;
	while (!found.size && at < raw.d_size) {
		size_t descriptor_at;
		size_t next = gelf_getnote(&raw, at, &note, &name_at, &descriptor_at);

		if (next <= at)
			break;
		at = next;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)raw.d_buf + name_at, "GNU", 4))
			continue;
		found = build_id_of((char *)raw.d_buf + descriptor_at, note.n_descsz);
	}
	return found;
}

static size_t object_segments(const struct object *o)
{
	size_t count = 0;

	if (!o->elf || elf_getphdrnum(o->elf, &count) < 0)
		return 0;
	return count < OBJECT_SEGMENTS_MAX ? count : OBJECT_SEGMENTS_MAX;
}

struct build_id object_build_id(const struct object *o)
{
	struct build_id found = { .size = 0 };
	size_t count = object_segments(o);
	GElf_Phdr segment;
	GElf_Shdr header;

	for (size_t i = 0; i < count && !found.size; i++)
		if (gelf_getphdr(o->elf, (int)i, &segment) && segment.p_type == PT_NOTE)
			found = notes_build_id(o,
					       (struct notes){ segment.p_offset, segment.p_filesz,
							       segment.p_align });
	if (!found.size && object_section(o, ".note.gnu.build-id", SHT_NOTE, &header))
		found = notes_build_id(
			o, (struct notes){ header.sh_offset, header.sh_size, header.sh_addralign });
	return found;
}

bool object_load_address(const struct object *o, uint64_t *address)
{
	size_t count = object_segments(o);
	GElf_Phdr segment;

	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		*address = segment.p_vaddr;
		return true;
	}
	return false;
}

/* Finds the next loaded segment, code first: the page at a boundary belongs to two segments. */
static bool next_segment(const struct object *o, size_t *cursor, GElf_Phdr *segment)
{
	size_t count = object_segments(o);

	while (*cursor < 2 * count) {
		size_t at = *cursor % count;
		bool code = *cursor < count;

		++*cursor;
		if (gelf_getphdr(o->elf, (int)at, segment) && segment->p_type == PT_LOAD &&
		    !!(segment->p_flags & PF_X) == code)
			return true;
	}
	return false;
}

void object_add_segments(const struct object *o, struct symtab_builder *b)
{
	size_t cursor = 0;
	GElf_Phdr s;

	while (next_segment(o, &cursor, &s))
		symtab_builder_segment(b, s.p_offset, s.p_filesz, s.p_vaddr);
}

bool object_address_of_offset(const struct object *o, uint64_t offset, uint64_t *address)
{
	size_t cursor = 0;
	GElf_Phdr s;

	while (next_segment(o, &cursor, &s)) {
		if (offset < s.p_offset || offset - s.p_offset >= s.p_filesz)
			continue;
		*address = s.p_vaddr + (offset - s.p_offset);
		return true;
	}
	return false;
}

size_t object_read_code(const struct object *o, uint64_t address, void *bytes, size_t size)
{
	size_t cursor = 0;
	GElf_Phdr s;

	while (next_segment(o, &cursor, &s)) {
		uint64_t at = address - s.p_vaddr;

		if (address < s.p_vaddr || at >= s.p_filesz || s.p_offset > o->size)
			continue;
		size = size < s.p_filesz - at ? size : s.p_filesz - at;
		return object_read(o, s.p_offset + at, bytes, size) ? size : 0;
	}
	return 0;
}
