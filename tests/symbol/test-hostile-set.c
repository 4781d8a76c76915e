/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hostile set: what generators make of whole files, word by word, and of paths.  Each case is read in a process
 * of its own, which must end by itself, and cost no more than a constant and so much for each byte of the file.
 */
#include "unit.h"
#include "dump.h"
#include "fixture.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "symbol/jitdump.h"
#include "symbol/jitlist.h"
#include "symbol/load.h"
#include "symbol/object.h"
#include "symbol/srcline.h"
#include "unwind/unwind-object.h"
#include "unwind/unwind-worker.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWER 30
#define LARGER 20
#else
#define SLOWER 1
#define LARGER 1
#endif

/* What an input may cost beside what the process has anyway. */
#define CPU_US (SLOWER * 300000ull)
#define CPU_NS_PER_BYTE (SLOWER * 3000ull)
#define MEMORY_KIB (LARGER * 24ull * 1024)
#define MEMORY_PER_BYTE (LARGER * 64ull)
#define DEADLINE_S 60

struct input {
	const char *path; /* or */
	const void *bytes;
	size_t size;
};

typedef void reader(const struct input *in);

static int memory_file(const struct input *in)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	if (write(fd, in->bytes, in->size) != (ssize_t)in->size)
		_exit(1);
	return fd;
}

static struct load load_of(const struct input *in)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = in->path ? in->path : "hostile" },
			  .proc_root = "/nonexistent",
			  .debug_root = "/nonexistent" };

	if (in->path)
		load_open(&l);
	else
		l.object = object_new(memory_file(in));
	return l;
}

static void read_symbols(const struct input *in)
{
	struct load l = load_of(in);

	symtab_free(load_run(&l));
	load_fini(&l);
}

static void read_rules(const struct input *in)
{
	struct load l = load_of(in);

	if (l.object)
		unwind_object_free(unwind_object_new(l.object));
	load_fini(&l);
}

static void read_lines(const struct input *in)
{
	struct load l = load_of(in);
	struct srcline_frame frames[SRCLINE_DEPTH_MAX];
	struct srcline *s = l.object ? srcline_open(&l) : NULL;

	for (uint64_t address = 0x1000; s && address < 0x1400; address += 16)
		srcline_find(s, address, frames, SRCLINE_DEPTH_MAX);
	srcline_close(s);
	load_fini(&l);
}

static void read_dump(const struct input *in)
{
	struct jit_parser p = { .make = unwind_code_rules };
	struct jitlist *j = jitlist_new(JIT_DUMP);
	uint64_t at = 0, used;

	do {
		used = jitdump_parse(&p, (const char *)in->bytes + at, in->size - at,
				     in->size - at);
		at += used;
	} while (used && at < in->size);
	jitlist_take(j, &p.entries);
	jit_entries_fini(&p.entries);
	free(p.frames);
	symtab_free(jitlist_make(j));
	jitlist_free(j);
}

/* What the reader's process begins with: "7312 1043 …", in pages. */
static uint64_t resident_kib(void)
{
	unsigned long size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu %lu", &size, &resident), 2);
	fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

struct cost {
	bool ended;
	uint64_t cpu_us, kib;
};

/* Of COUNT readers, one after the other in one process. */
static struct cost cost_of(reader *const *readers, size_t count, const struct input *in)
{
	struct cost cost = { 0 };
	struct rusage used;
	int status;
	pid_t pid = unit_fork();

	if (!pid) {
		alarm(DEADLINE_S);
		for (size_t i = 0; i < count; i++)
			readers[i](in);
		_exit(0);
	}
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	cost.ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	cost.cpu_us = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
		      (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	cost.kib = (uint64_t)used.ru_maxrss;
	return cost;
}

#define FAULTS 10000 /* what a reader within its memory may make, and some */

/* The CPU time of so many page faults, measured once: some virtual machines take 20 us for one. */
static uint64_t faults_us(void)
{
	static uint64_t us;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t began_ns = clock_thread_cpu_ns();
	char *pages;

	if (us)
		return us;
	pages = mmap(NULL, FAULTS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	assert_true(pages != MAP_FAILED);
	for (size_t i = 0; i < FAULTS; i++)
		*(volatile char *)(pages + i * page) = 1;
	munmap(pages, FAULTS * page);
	us = (clock_thread_cpu_ns() - began_ns) / 1000;
	return us;
}

/* NULL, or what is too much of COST. */
static const char *excess(const struct cost *cost, const struct input *in, uint64_t none_kib)
{
	static char said[160];
	uint64_t kib = cost->kib > none_kib ? cost->kib - none_kib : 0;
	uint64_t cpu_most_us = CPU_US + faults_us() + in->size * CPU_NS_PER_BYTE / 1000;
	uint64_t most_kib = MEMORY_KIB + in->size * MEMORY_PER_BYTE / 1024;

	if (cost->ended && cost->cpu_us <= cpu_most_us && kib <= most_kib)
		return NULL;
	snprintf(said, sizeof(said), "%s, %llu us of %llu, %llu KiB of %llu",
		 cost->ended ? "ended" : "did not end by itself", (unsigned long long)cost->cpu_us,
		 (unsigned long long)cpu_most_us, (unsigned long long)kib,
		 (unsigned long long)most_kib);
	return said;
}

/* Fails if a reader costs more than its input may.  All in one process mostly cost less than that, which saves forks. */
static void assert_cheap(reader *const *readers, size_t count, const struct input *in,
			 const char *what)
{
	const uint64_t none_kib = resident_kib();
	struct cost cost = cost_of(readers, count, in);

	if (!excess(&cost, in, none_kib))
		return;
	for (size_t i = 0; i < count; i++) {
		const char *said;

		cost = cost_of(&readers[i], 1, in);
		said = excess(&cost, in, none_kib);
		if (said)
			fail_msg("reader %zu, %s: %s", i, what, said);
	}
}

/* ---- Words. */

struct field {
	const char *name;
	size_t offset, size;
};

#define FIELD_OF(type, member)                                               \
	{                                                                    \
#member, offsetof(type, member), sizeof(((type *)0)->member) \
	}

static const struct field header_fields[] = {
	FIELD_OF(Elf64_Ehdr, e_type),      FIELD_OF(Elf64_Ehdr, e_machine),
	FIELD_OF(Elf64_Ehdr, e_version),   FIELD_OF(Elf64_Ehdr, e_entry),
	FIELD_OF(Elf64_Ehdr, e_phoff),     FIELD_OF(Elf64_Ehdr, e_shoff),
	FIELD_OF(Elf64_Ehdr, e_flags),     FIELD_OF(Elf64_Ehdr, e_ehsize),
	FIELD_OF(Elf64_Ehdr, e_phentsize), FIELD_OF(Elf64_Ehdr, e_phnum),
	FIELD_OF(Elf64_Ehdr, e_shentsize), FIELD_OF(Elf64_Ehdr, e_shnum),
	FIELD_OF(Elf64_Ehdr, e_shstrndx),
};

static const struct field section_fields[] = {
	FIELD_OF(Elf64_Shdr, sh_name),    FIELD_OF(Elf64_Shdr, sh_type),
	FIELD_OF(Elf64_Shdr, sh_flags),   FIELD_OF(Elf64_Shdr, sh_addr),
	FIELD_OF(Elf64_Shdr, sh_offset),  FIELD_OF(Elf64_Shdr, sh_size),
	FIELD_OF(Elf64_Shdr, sh_link),    FIELD_OF(Elf64_Shdr, sh_info),
	FIELD_OF(Elf64_Shdr, sh_entsize),
};

static const struct field segment_fields[] = {
	FIELD_OF(Elf64_Phdr, p_type),   FIELD_OF(Elf64_Phdr, p_flags),
	FIELD_OF(Elf64_Phdr, p_offset), FIELD_OF(Elf64_Phdr, p_vaddr),
	FIELD_OF(Elf64_Phdr, p_filesz), FIELD_OF(Elf64_Phdr, p_memsz),
};

/* What a word may claim; of smaller fields the low bytes.  ITS_SIZE stands for the file's size. */
#define ITS_SIZE 0x5152535455565758ull
static const uint64_t claims[] = { 0,         1, ITS_SIZE, 0x7fffffff, UINT32_MAX, UINT64_MAX / 2,
				   UINT64_MAX };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct set {
	struct input in;
	reader *const *readers;
	size_t reader_count, cases;
};

static void with_word(struct set *set, size_t offset, size_t size, const char *what)
{
	unsigned char *at = (unsigned char *)set->in.bytes + offset, before[8];
	char name[160];

	memcpy(before, at, size);
	for (size_t i = 0; i < COUNT(claims); i++) {
		uint64_t claim = claims[i] == ITS_SIZE ? set->in.size : claims[i];

		memcpy(at, &claim, size); /* little-endian */
		if (!memcmp(before, at, size))
			continue;
		snprintf(name, sizeof(name), "%s %#llx", what, (unsigned long long)claim);
		assert_cheap(set->readers, set->reader_count, &set->in, name);
		set->cases += set->reader_count;
		memcpy(at, before, size);
	}
}

static void with_entries(struct set *set, uint64_t offset, size_t count, size_t size,
			 const char *of, const struct field *fields, size_t field_count)
{
	char what[100];

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < field_count; j++) {
			snprintf(what, sizeof(what), "%s %zu %s", of, i, fields[j].name);
			with_word(set, offset + i * size + fields[j].offset, fields[j].size, what);
		}
}

/* Each word of the headers of what FLAGS make of the program, after COMMAND. */
static void with_headers(const char *flags, const char *command)
{
	static reader *const readers[] = { read_symbols, read_rules, read_lines };
	struct set set = { .readers = readers, .reader_count = COUNT(readers) };
	struct fixture f;
	Elf64_Ehdr *e;
	char *bytes;

	if (!fixture_init(&f))
		skip();
	if (!fixture_compile(&f, "whole", flags) || !fixture_run(&f, "%s", command)) {
		fixture_fini(&f);
		skip();
	}
	bytes = fixture_read(&f, "whole", &set.in.size);
	set.in.bytes = bytes;
	e = (Elf64_Ehdr *)bytes;
	if (e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_ident[EI_DATA] != ELFDATA2LSB) {
		fixture_fini(&f);
		skip();
	}
	for (size_t i = 0; i < COUNT(header_fields); i++)
		with_word(&set, header_fields[i].offset, header_fields[i].size,
			  header_fields[i].name);
	with_entries(&set, e->e_shoff, e->e_shnum, sizeof(Elf64_Shdr), "section", section_fields,
		     COUNT(section_fields));
	with_entries(&set, e->e_phoff, e->e_phnum, sizeof(Elf64_Phdr), "segment", segment_fields,
		     COUNT(segment_fields));
	print_message("%s: %zu cases\n", flags, set.cases);
	assert_true(set.cases > 1000);
	free(bytes);
	fixture_fini(&f);
}

UNIT_TEST(each_word_of_the_headers_of_a_program)
{
	with_headers("-g", "true");
}

UNIT_TEST(each_word_of_the_headers_of_a_packed_program)
{
	with_headers("-g -gz=zlib", "true");
}

UNIT_TEST(each_word_of_a_jitdump)
{
	static reader *const readers[] = { read_dump };
	struct dump d = { 0 };
	struct set set = { .readers = readers, .reader_count = 1 };
	char what[32];

	dump_put_header(&d);
	for (uint32_t type = 0; type < 6; type++) {
		dump_put_record(&d, type, 96);
		for (size_t i = 0; i < 12; i++)
			dump_put(&d, 0x1000 + i, 8);
	}
	set.in = (struct input){ .bytes = d.bytes.bytes, .size = d.bytes.size };
	for (size_t offset = 0; offset + 8 <= d.bytes.size; offset += 4) {
		snprintf(what, sizeof(what), "word at %zu", offset);
		with_word(&set, offset, offset % 8 ? 4 : 8, what);
	}
	print_message("jitdump: %zu cases\n", set.cases);
	buf_fini(&d.bytes);
}

/* ---- Paths. */

static void make_fifo(struct fixture *f)
{
	assert_true(fixture_run(f, "mkfifo hostile"));
}

static void make_directory(struct fixture *f)
{
	assert_true(fixture_run(f, "mkdir hostile"));
}

static void make_socket(struct fixture *f)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", fixture_path(f, "hostile"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
}

static void make_loop(struct fixture *f)
{
	assert_true(fixture_run(f, "ln -s hostile hostile"));
}

static void make_endless(struct fixture *f)
{
	assert_true(fixture_run(f, "ln -s /dev/zero hostile"));
}

static void make_terminal(struct fixture *f)
{
	assert_true(fixture_run(f, "ln -s /dev/tty hostile"));
}

static void make_hole(struct fixture *f)
{
	assert_true(fixture_run(f, "truncate -s 15G hostile"));
}

/* A program, and then nothing, for as long as a file can be. */
static void make_program_with_hole(struct fixture *f)
{
	assert_true(fixture_run(f, "cp probe hostile && truncate -s 15G hostile"));
}

static void make_empty(struct fixture *f)
{
	assert_true(fixture_run(f, ": >hostile"));
}

static void make_cut(struct fixture *f)
{
	assert_true(fixture_run(f, "head -c 4000 probe >hostile"));
}

static void make_memory(struct fixture *f)
{
	assert_true(fixture_run(f, "ln -s /proc/self/mem hostile"));
}

static void make_messages(struct fixture *f)
{
	assert_true(fixture_run(f, "ln -s /proc/kmsg hostile"));
}

static void make_text(struct fixture *f)
{
	assert_true(fixture_run(f, "yes '7f0000000000 10 name' | head -c 4000000 >hostile"));
}

static void make_backwards(struct fixture *f)
{
	assert_true(fixture_run(f, "seq 200000 -1 1 | sed 's/.*/& ffffffffffffffff a/' >hostile"));
}

static const struct {
	const char *what;
	void (*make)(struct fixture *f);
} paths[] = {
	{ "a FIFO", make_fifo },
	{ "a directory", make_directory },
	{ "a socket", make_socket },
	{ "a link to itself", make_loop },
	{ "a link to an endless file", make_endless },
	{ "a link to the terminal", make_terminal },
	{ "a hole of 15 GiB", make_hole },
	{ "a program with a hole of 15 GiB", make_program_with_hole },
	{ "an empty file", make_empty },
	{ "a program that was cut", make_cut },
	{ "our own memory", make_memory },
	{ "messages of the kernel", make_messages },
	{ "lines of functions at one address", make_text },
	{ "lines of functions that overlap", make_backwards },
};

/* As the perf map of process 77, whose /tmp is the folder. */
static void read_map(const struct input *in)
{
	struct load l = { .key = { .kind = DSO_JIT, .pid = 77 }, .proc_root = in->path };
	const struct jit_reading here = { .pool = NULL };
	struct jitlist *m = jitlist_new(JIT_MAP);
	bool refused;

	symtab_free(jitlist_read(m, &l, &here, &refused));
	jitlist_free(m);
	load_fini(&l);
}

static void read_dump_file(const struct input *in)
{
	struct load l = { .key = { .kind = DSO_JIT, .pid = 77, .path = "//anon" },
			  .dump = { .kind = DSO_FILE, .path = in->path },
			  .proc_root = "/nonexistent" };
	const struct jit_reading here = { .make = unwind_code_rules };
	struct jitlist *j = jitlist_new(JIT_DUMP);
	bool refused;

	symtab_free(jitlist_read(j, &l, &here, &refused));
	jitlist_free(j);
	load_fini(&l);
}

static const struct {
	const char *as;
	reader *read_it;
	bool is_map;
} uses[] = {
	{ "symbols", read_symbols, false }, { "rules", read_rules, false },
	{ "lines", read_lines, false },     { "a jitdump", read_dump_file, false },
	{ "a perf map", read_map, true },
};

/* The map lies where the process would have it. */
static void as_map(struct fixture *f)
{
	assert_true(fixture_run(
		f, "mkdir -p proc/77/root/tmp && cp -a hostile proc/77/root/tmp/perf-77.map || "
		   "mv hostile proc/77/root/tmp/perf-77.map"));
}

UNIT_TEST(each_kind_of_path)
{
	struct fixture f;

	if (!fixture_init(&f))
		skip();
	for (size_t i = 0; i < COUNT(paths); i++) {
		for (size_t j = 0; j < COUNT(uses); j++) {
			struct input in = { 0 };
			struct stat st;
			char path[256], what[128];

			paths[i].make(&f);
			snprintf(path, sizeof(path), "%s",
				 fixture_path(&f, uses[j].is_map ? "proc" : "hostile"));
			in.path = path;
			/* Holes cost nothing to make: what lies on the disk counts. */
			if (!stat(fixture_path(&f, "hostile"), &st) && S_ISREG(st.st_mode))
				in.size = (size_t)st.st_blocks * 512;
			if (uses[j].is_map)
				as_map(&f);
			snprintf(what, sizeof(what), "%s as %s", paths[i].what, uses[j].as);
			assert_cheap(&uses[j].read_it, 1, &in, what);
			assert_true(fixture_run(&f, "rm -rf hostile proc"));
		}
	}
	fixture_fini(&f);
}

/* ---- Files that change while they are read. */

static void grow(const char *path)
{
	static const char block[65536];
	int fd = open(path, O_WRONLY | O_APPEND);

	for (int i = 0; i < 2048; i++)
		if (write(fd, block, sizeof(block)) < 0)
			break;
}

static void cut(const char *path)
{
	for (int i = 0; i < 20000; i++)
		if (truncate(path, i % 2 ? 100 : 20000) < 0)
			break;
}

/* Between a file and what blocks whoever opens it. */
static void swap(const char *path)
{
	char other[300];

	snprintf(other, sizeof(other), "%s.fifo", path);
	mkfifo(other, 0600);
	for (int i = 0; i < 20000; i++)
		if (renameat2(AT_FDCWD, path, AT_FDCWD, other, 1u << 1 /* RENAME_EXCHANGE */) < 0)
			break;
}

static const struct {
	const char *what;
	void (*change)(const char *path);
} changes[] = { { "grows", grow }, { "is cut", cut }, { "is swapped for a FIFO", swap } };

static void read_often(const struct input *in)
{
	for (int i = 0; i < 20; i++)
		for (size_t j = 0; j < COUNT(uses); j++)
			if (!uses[j].is_map)
				uses[j].read_it(in);
}

UNIT_TEST(files_that_change_meanwhile)
{
	for (size_t i = 0; i < COUNT(changes); i++) {
		struct input in = { .size = 1 << 20 };
		struct fixture f;
		char path[256], what[64];
		pid_t pid;

		if (!fixture_init(&f))
			skip();
		assert_true(fixture_run(&f, "cp probe hostile"));
		snprintf(path, sizeof(path), "%s", fixture_path(&f, "hostile"));
		in.path = path;
		pid = unit_fork();
		if (!pid) {
			changes[i].change(path);
			_exit(0);
		}
		snprintf(what, sizeof(what), "a file that %s", changes[i].what);
		assert_cheap((reader *const[]){ read_often }, 1, &in, what);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_of_the_headers_of_a_program),
		cmocka_unit_test(each_word_of_the_headers_of_a_packed_program),
		cmocka_unit_test(each_word_of_a_jitdump),
		cmocka_unit_test(each_kind_of_path),
		cmocka_unit_test(files_that_change_meanwhile),
	};

	return unit_run(tests);
}
