/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/kernel.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "symbol/object.h"
#include "symbol/scan.h"

#define NOTES_BYTES 4096u
#define NOTE_HEAD_BYTES 12u /* three words */
#define LINES_CHUNK 65536u
#define MODULE_NAME_MAX 64
#define NOTE_BUILD_ID 3u /* NT_GNU_BUILD_ID */

static uint32_t padded(uint32_t size)
{
	return size > UINT32_MAX - 3 ? size : (size + 3) & ~3u;
}

/*
 * Each note: size of name and of content, type, then both, padded to 4 bytes; elf(5).
 */
static struct build_id find_build_id(struct bytes b)
{
	while (b.left >= NOTE_HEAD_BYTES) {
		uint32_t name_size = bytes_u32(&b), size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name = bytes_take(&b, padded(name_size));
		const uint8_t *content = bytes_take(&b, padded(size));

		if (b.failed)
			break;
		if (type == NOTE_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4))
			return build_id_of(content, size);
	}
	return (struct build_id){ .size = 0 };
}

struct build_id kernel_build_id(const char *notes)
{
	unsigned char bytes[NOTES_BYTES];
	int fd = open(notes, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	if (fd >= 0)
		close(fd);
	return find_build_id(bytes_of(bytes, size > 0 ? (size_t)size : 0));
}

static bool has_build_id(const struct kernel_identity *k, const char *notes)
{
	struct build_id id = kernel_build_id(notes);

	return id.size && build_id_equal(&id, &k->build_id);
}

static bool has_name(const struct kernel_identity *k)
{
	struct utsname system;

	return *k->release && *k->hostname && !uname(&system) &&
	       !strcmp(system.release, k->release) && !strcmp(system.nodename, k->hostname);
}

/* Calls VISIT with each line of the file at PATH until it returns true. */
typedef bool line_visitor(void *context, struct scan line);

static bool visit_lines(struct scan *text, line_visitor *visit, void *context)
{
	struct scan line;

	while (scan_line(text, &line))
		if (visit(context, line))
			return true;
	return false;
}

static void each_line(const char *path, line_visitor *visit, void *context)
{
	char *chunk = mem_alloc(LINES_CHUNK);
	int fd = object_open_file(path);
	size_t have = 0;
	ssize_t n;
	bool done = false;

	while (fd >= 0 && !done && have < LINES_CHUNK &&
	       (n = read(fd, chunk + have, LINES_CHUNK - have)) > 0) {
		struct scan text = { chunk, have + (size_t)n };

		done = visit_lines(&text, visit, context);
		have = text.left;
		memmove(chunk, text.at, have);
	}
	if (fd >= 0)
		close(fd);
	free(chunk);
}

static bool text_is(struct scan text, const char *word)
{
	return text.left == strlen(word) && !memcmp(text.at, word, text.left);
}

/* "ffffffff81000000 T _text": its address, when the line is of the symbol NAME. */
static bool line_is(struct scan line, const char *name, uint64_t *address)
{
	uint64_t value;
	char type;

	if (!scan_hex(&line, &value) || !scan_char(&line, ' ') || !scan_any(&line, &type) ||
	    !scan_char(&line, ' ') || !text_is(line, name))
		return false;
	*address = value;
	return true;
}

struct symbol_search {
	const char *name;
	uint64_t address; /* 0: not known or hidden */
};

static bool search_line(void *context, struct scan line)
{
	struct symbol_search *s = context;

	return line_is(line, s->name, &s->address);
}

/* The symbol that a recording refers to is one of the first. */
static uint64_t find_address(const char *kallsyms, const char *name)
{
	struct symbol_search s = { .name = name };

	each_line(kallsyms, search_line, &s);
	return s.address;
}

bool kernel_is_running(const struct kernel_identity *k, const char *kallsyms, const char *notes,
		       uint64_t *moved)
{
	uint64_t address;

	if (!*k->reference || !k->reference_address)
		return false;
	if (k->build_id.size ? !has_build_id(k, notes) : !has_name(k))
		return false;
	address = find_address(kallsyms, k->reference);
	*moved = address - k->reference_address;
	return address && (k->build_id.size || !*moved);
}

/* Finds "_text" or else "_stext", and the end of the code, which comes behind them. */
struct kernel_search {
	uint64_t text, stext, end;
};

static bool search_kernel(void *context, struct scan line)
{
	struct kernel_search *s = context;

	if (!line_is(line, "_text", &s->text) && !line_is(line, "_stext", &s->stext))
		line_is(line, "_etext", &s->end);
	return s->end != 0;
}

bool kernel_find(const char *kallsyms, struct kernel_place *place)
{
	struct kernel_search s = { 0 };

	each_line(kallsyms, search_kernel, &s);
	place->name = s.text ? "_text" : "_stext";
	place->start = s.text ? s.text : s.stext;
	place->end = s.end;
	return place->start && place->end > place->start;
}

struct module_visit {
	void (*add)(void *context, const struct kernel_place *place);
	void *context;
};

static uint64_t scan_size(struct scan text)
{
	uint64_t size = 0;

	for (size_t i = 0; i < text.left && scan_digit(text.at[i]) >= 0 && i < 18; i++)
		size = size * 10 + (unsigned)scan_digit(text.at[i]);
	return size;
}

/* "nf_tables 303104 3 nft_ct,nft_nat, Live 0xffffffffc0a00000 (E)": name, size, …, address. */
static bool visit_module(void *context, struct scan line)
{
	const struct module_visit *v = context;
	struct kernel_place place = { 0 };
	struct scan field[6];
	char name[MODULE_NAME_MAX];

	for (int i = 0; i < 6; i++) {
		field[i] = scan_until(&line, ' ');
		scan_char(&line, ' ');
	}
	if (!field[0].left || field[0].left >= sizeof(name) || !scan_char(&field[5], '0') ||
	    !scan_char(&field[5], 'x') || !scan_hex(&field[5], &place.start) || !place.start)
		return false;
	memcpy(name, field[0].at, field[0].left);
	name[field[0].left] = '\0';
	place.name = name;
	place.end = place.start + scan_size(field[1]);
	if (place.end > place.start)
		v->add(v->context, &place);
	return false;
}

void kernel_each_module(const char *modules,
			void (*add)(void *context, const struct kernel_place *place), void *context)
{
	struct module_visit v = { add, context };

	each_line(modules, visit_module, &v);
}

struct file_search {
	const char *name;
	char *file;
	size_t size;
};

/* "snd_hda_intel" is the module of a file "snd-hda-intel.ko". */
static bool is_module_name(struct scan file, const char *name)
{
	size_t i = 0;

	while (i < file.left && name[i] && name[i] == (file.at[i] == '-' ? '_' : file.at[i]))
		i++;
	return !name[i] && file.left - i >= 3 && !memcmp(file.at + i, ".ko", 3);
}

/* "kernel/sound/pci/hda/snd-hda-intel.ko.xz: kernel/sound/…": a file, and those that it needs. */
static bool search_module_file(void *context, struct scan line)
{
	const struct file_search *s = context;
	struct scan path = scan_until(&line, ':');
	const char *slash = path.left ? memrchr(path.at, '/', path.left) : NULL;
	const char *start = slash ? slash + 1 : path.at;
	struct scan name = { start, path.left - (size_t)(start - path.at) };
	size_t length = (size_t)(start - path.at) + strlen(s->name) + strlen(".ko");

	if (!is_module_name(name, s->name) || length >= s->size || memchr(path.at, '\0', length))
		return false;
	memcpy(s->file, path.at, length);
	s->file[length] = '\0';
	return true;
}

bool kernel_module_file(const char *list, const char *name, char *file, size_t size)
{
	struct file_search s = { name, file, size };

	*file = '\0';
	each_line(list, search_module_file, &s);
	return *file != '\0';
}

/* Without its users, which come and go: name, state and address. */
static bool mark_module(void *context, struct scan line)
{
	uint64_t *mark = context;

	for (int i = 0; i < 6; i++) {
		struct scan field = scan_until(&line, ' ');

		scan_char(&line, ' ');
		if (i == 0 || i > 3)
			*mark = hash_bytes_seeded(*mark, field.at, field.left);
	}
	return false;
}

uint64_t kernel_modules_mark(const char *modules)
{
	uint64_t mark = 0;

	each_line(modules, mark_module, &mark);
	return mark;
}
