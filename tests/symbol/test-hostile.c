/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that claim much with few bytes: they are refused, that is said, and what reading them takes is
 * bounded.
 */
#include "unit.h"
#include "fixture.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/jitlist.h"
#include "symbol/load.h"
#include "symbol/object.h"
#include "symbol/pclntab.h"
#include "symbol/srcline.h"

#define GIB (1ull << 30)
#define MEMORY_MAX (300ull << 20)

/* Sections: none, a symbol table, its names, the sections' names. */
struct small_elf {
	Elf64_Ehdr header;
	Elf64_Shdr sections[4];
	char names[16];
};

static struct small_elf small_elf(void)
{
	/* clang-format off */
	struct small_elf e = {
		.header = { .e_ident = ELFMAG, .e_type = ET_EXEC, .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_shoff = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 4, .e_shstrndx = 3 },
		.sections = { [1] = { .sh_type = SHT_SYMTAB, .sh_offset = 4096, .sh_link = 2,
				      .sh_size = 4096, .sh_entsize = 24 },
			      [2] = { .sh_type = SHT_STRTAB, .sh_offset = 4096, .sh_size = 16 },
			      [3] = { .sh_type = SHT_STRTAB, .sh_size = 16,
				      .sh_offset = offsetof(struct small_elf, names) } },
	};
	/* clang-format on */

	e.header.e_ident[EI_CLASS] = ELFCLASS64;
	e.header.e_ident[EI_VERSION] = EV_CURRENT;
	e.header.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	return e;
}

/* A file of SIZE bytes that begins with E; the rest is a hole. */
static int hole_file(const struct small_elf *e, uint64_t size)
{
	FILE *f = tmpfile();
	int fd = dup(fileno(f));

	assert_int_equal(write(fd, e, sizeof(*e)), sizeof(*e));
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	fclose(f);
	return fd;
}

/* Runs READ on FD in a process that may allocate MEMORY_MAX at most. */
static void within_memory(void (*read_it)(int fd), int fd)
{
	const struct rlimit limit = { 4 * MEMORY_MAX, 4 * MEMORY_MAX };
	struct rusage used;
	int status;
	pid_t pid = unit_fork();

	if (!pid) {
#ifndef __SANITIZE_ADDRESS__
#ifndef __SANITIZE_THREAD__
		setrlimit(RLIMIT_AS, &limit);
#endif
#endif
		read_it(fd);
		_exit(0);
	}
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	(void)limit;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true((uint64_t)used.ru_maxrss * 1024 < MEMORY_MAX);
	close(fd);
}

/* Loads the symbols of FD and expects this of what is missing; also what that took. */
static void load_refused(int fd, const char *why)
{
	struct load load = { .key = { .kind = DSO_FILE, .path = "hostile" },
			     .proc_root = "/proc",
			     .debug_root = "/nonexistent" };
	struct symtab *t;

	load.object = object_new(dup(fd));
	t = load_run(&load);
	if (strncmp(load.missing, why, strlen(why)))
		_exit(2);
	symtab_free(t);
	load_fini(&load);
}

static void load_too_large(int fd)
{
	load_refused(fd, "too large");
}

static void load_too_slow(int fd)
{
	load_refused(fd, "too slow");
}

static void load_damaged(int fd)
{
	load_refused(fd, "damaged");
}

UNIT_TEST(names_in_a_hole_are_too_large)
{
	struct small_elf e = small_elf();

	e.sections[2].sh_size = GIB - 8192;
	within_memory(load_too_large, hole_file(&e, GIB));
}

UNIT_TEST(symbols_in_a_hole_are_too_slow)
{
	struct small_elf e = small_elf();

	e.sections[1].sh_size = GIB - 8192;
	within_memory(load_too_slow, hole_file(&e, GIB));
}

UNIT_TEST(names_of_sections_in_a_hole_are_too_large)
{
	struct small_elf e = small_elf();

	e.sections[3].sh_size = GIB - 8192;
	within_memory(load_too_large, hole_file(&e, GIB));
}

UNIT_TEST(packed_names_of_sections_are_damaged)
{
	struct small_elf e = small_elf();

	e.sections[3].sh_flags = SHF_COMPRESSED;
	within_memory(load_damaged, hole_file(&e, 8192));
}

/* Opens the lines and looks up an address of the unit. */
static void lines_refused(int fd)
{
	struct load load = { .key = { .kind = DSO_FILE, .path = "hostile" },
			     .proc_root = "/proc",
			     .debug_root = "/nonexistent" };
	struct srcline_frame frames[SRCLINE_DEPTH_MAX];
	struct error missing;
	struct srcline *s;

	load.object = object_new(dup(fd));
	s = srcline_open(&load);
	if (!s && strncmp(load.missing, "too large", 9))
		_exit(2);
	if (s) {
		srcline_find(s, 0x10, frames, SRCLINE_DEPTH_MAX);
		srcline_missing(s, &missing);
		if (strncmp(missing.text, "too large", 9))
			_exit(3);
		srcline_close(s);
	}
	load_fini(&load);
}

/* A unit whose line number program is ROWS opcodes that make a row each. */
static const char unit_with_rows[] =
	".text\n.skip 4096\n"
	".section .debug_abbrev,\"\",@progbits\n"
	".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0\n"
	".section .debug_info,\"\",@progbits\n"
	".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	".byte 1\n.quad 0\n.quad 4096\n.long 0\n2:\n"
	".section .debug_line,\"\",@progbits\n"
	".long 6f - 3f\n3: .short 4\n.long 5f - 4f\n"
	"4: .byte 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n"
	".byte 0\n.asciz \"a.c\"\n.byte 0, 0, 0, 0\n"
	"5: .fill ROWS, 1, 32\n.byte 0, 1, 1\n6:\n";

static void lines_of(const char *rows, bool packed, void (*read_it)(int fd))
{
	struct fixture f;
	int fd;

	if (!fixture_init(&f))
		skip();
	fixture_write(&f, "unit.S", unit_with_rows, sizeof(unit_with_rows) - 1);
	assert_true(fixture_run(&f, "${CC:-cc} -DROWS=%s -c -o unit unit.S", rows));
	if (packed && !fixture_run(&f, "objcopy --compress-debug-sections=zlib unit")) {
		fixture_fini(&f);
		skip();
	}
	fd = open(fixture_path(&f, "unit"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	within_memory(read_it, fd);
	fixture_fini(&f);
}

UNIT_TEST(rows_without_end_are_too_large)
{
	lines_of("6000000", true, lines_refused); /* unpacking them is paid for, the rows are not */
	lines_of("40000000", true, lines_refused);
}

static void lines_found(int fd)
{
	struct load load = { .key = { .kind = DSO_FILE, .path = "unit" },
			     .proc_root = "/proc",
			     .debug_root = "/nonexistent" };
	struct srcline_frame frames[SRCLINE_DEPTH_MAX];
	struct srcline *lines;

	load.object = object_new(dup(fd));
	lines = srcline_open(&load);
	if (srcline_find(lines, 0x10, frames, SRCLINE_DEPTH_MAX) != 1 ||
	    strcmp(frames[0].file + strlen(frames[0].file) - 3, "a.c"))
		_exit(2);
	srcline_close(lines);
}

UNIT_TEST(as_many_rows_as_a_program_has_are_read)
{
	lines_of("5000", false, lines_found);
	lines_of("5000", true, lines_found);
}

/* A table whose functions all claim the rest of one text as their name. */
UNIT_TEST(overlapping_names_are_paid_for)
{
	enum { COUNT = 200000, TEXT = 4 << 20 };
	const size_t descriptions = 8 + 8 + 16 * COUNT + 8, texts = descriptions + 16 * COUNT,
		     size = texts + TEXT;
	const uint64_t budget = 64 << 20;
	struct allowance allowance = { .bytes = budget, .steps = budget };
	unsigned char *bytes = malloc(size);
	struct symtab_builder *b = symtab_builder_new();
	struct pclntab_bytes table = { .bytes = bytes, .size = size, .allowance = &allowance };
	const uint32_t magic = 0xfffffffb;
	uint64_t count = COUNT;

	memset(bytes, 1, size);
	bytes[size - 1] = 0;
	memcpy(bytes, &magic, 4);
	memcpy(bytes + 4, "\0\0\1\10", 4);
	memcpy(bytes + 8, &count, 8);
	for (uint64_t i = 0; i <= COUNT; i++) {
		/* Each description is 16 bytes further, each name one byte. */
		uint64_t entry[2] = { 0x1000 + i, descriptions + 16 * i };
		uint32_t name = (uint32_t)(texts + i);

		memcpy(bytes + 16 + 16 * i, entry, i < COUNT ? 16 : 8);
		if (i < COUNT)
			memcpy(bytes + entry[1] + 8, &name, 4);
	}
	assert_true(pclntab_parse(b, &table) > 0);
	assert_int_equal(allowance.refused != REFUSED_NOTHING, true);
	assert_true(symtab_builder_bytes(b) < 2 * budget);
	symtab_builder_free(b);
	free(bytes);
}

/* Perf maps of root and of the process's own user may be read. */
UNIT_TEST(maps_of_others_are_refused)
{
	struct jitlist *m = jitlist_new(JIT_MAP);
	const struct jit_reading here = { .pool = NULL };
	struct fixture f;
	struct load load = { .key = { .kind = DSO_JIT, .pid = 77 } };
	char root[128];
	struct symtab *t;
	bool refused;

	if (geteuid() != 0 || !fixture_init(&f)) {
		jitlist_free(m);
		skip();
	}
	snprintf(root, sizeof(root), "%s", fixture_path(&f, "proc"));
	load.proc_root = root;
	assert_true(fixture_run(&f, "mkdir -p proc/77/root/tmp && chown 12 proc/77 && "
				    "echo '10 10 f' >proc/77/root/tmp/perf-77.map && "
				    "chown 12 proc/77/root/tmp/perf-77.map"));
	t = jitlist_read(m, &load, &here, &refused);
	assert_non_null(t);
	symtab_free(t);
	/* The same file, given to another user, and grown. */
	assert_true(fixture_run(&f, "echo '20 10 g' >>proc/77/root/tmp/perf-77.map && "
				    "chown 0 proc/77/root/tmp/perf-77.map"));
	assert_null(jitlist_read(m, &load, &here, &refused));
	assert_non_null(strstr(load.missing, "another owner"));
	assert_true(fixture_run(&f, "chown 13 proc/77/root/tmp/perf-77.map"));
	jitlist_free(m);
	m = jitlist_new(JIT_MAP);
	assert_null(jitlist_read(m, &load, &here, &refused));
	jitlist_free(m);
	fixture_fini(&f);
}

/* Another user's process, and a file of ptop's own effective user: as with file capabilities. */
UNIT_TEST(own_maps_of_others_processes_are_refused)
{
	struct load load = { .proc_root = "/proc", .key = { .pid = 1 } };
	struct stat mine = { .st_uid = 12 };
	pid_t pid;
	int status;

	if (geteuid() != 0)
		skip();
	pid = unit_fork();
	if (!pid)
		_exit(setresuid(12, 12, 12) || load_trusts(&load, &mine));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_in_a_hole_are_too_large),
		cmocka_unit_test(symbols_in_a_hole_are_too_slow),
		cmocka_unit_test(names_of_sections_in_a_hole_are_too_large),
		cmocka_unit_test(packed_names_of_sections_are_damaged),
		cmocka_unit_test(rows_without_end_are_too_large),
		cmocka_unit_test(as_many_rows_as_a_program_has_are_read),
		cmocka_unit_test(overlapping_names_are_paid_for),
		cmocka_unit_test(maps_of_others_are_refused),
		cmocka_unit_test(own_maps_of_others_processes_are_refused),
	};

	return unit_run(tests);
}
