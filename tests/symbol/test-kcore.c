/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's code, of a core that the test makes, and its lines, of a vmlinux. */
#include "unit.h"
#include "fixture.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/jobs.h"
#include "symbol/lines.h"
#include "worker/zygote.h"

#define START 0xffffffff81200000u
#define TEXT 0xffffffff81000000u
#define OFFSET 4096
#define HUGE_SIZE (1ll << 36) /* what it says of itself is as large as an address space */

/* nop, nop, ret: of this machine, so that it can be disassembled. */
#ifdef __aarch64__
#define MACHINE EM_AARCH64
static const uint32_t code[] = { 0xd503201f, 0xd503201f, 0xd65f03c0 };
#else
#define MACHINE EM_X86_64
static const unsigned char code[] = { 0x90, 0x90, 0xc3 };
#endif

/* Its workers read the vmlinux, and disassemble; NULL: this process does. */
static struct zygote *zygote;

static struct fixture *fixture_of(void **state)
{
	return *state;
}

static void write_core(struct fixture *f, const char *name, uint16_t type)
{
	unsigned char bytes[OFFSET + sizeof(code)] = { 0 };
	/* clang-format off */
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = type, .e_machine = MACHINE, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
	};
	/* clang-format on */
	/* clang-format off */
	const Elf64_Phdr segments[] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_offset = 1ull << 35,
		  .p_vaddr = 0xffff888000000000u, .p_filesz = 4096, .p_memsz = 4096 },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_offset = OFFSET,
		  .p_vaddr = START, .p_filesz = sizeof(code), .p_memsz = sizeof(code) },
	};
	/* clang-format on */

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), segments, sizeof(segments));
	memcpy(bytes + OFFSET, code, sizeof(code));
	fixture_write(f, name, bytes, sizeof(bytes));
	if (truncate(fixture_path(f, name), HUGE_SIZE))
		skip(); /* a file system that knows no holes of that size */
}

static struct lines_answer *ask(const struct lines_options *options, enum dso_kind kind,
				uint64_t start, uint64_t size)
{
	struct lines *l = lines_new(options);
	/* clang-format off */
	const struct lines_request r = {
		.key = { .kind = kind, .path = kind == DSO_KERNEL ? "[kernel]" : "[bpf]" },
		.code_start = start, .code_size = size, .instructions = true,
	};
	/* clang-format on */
	struct lines_answer *a;

	lines_ask(l, &r);
	a = lines_take(l);
	lines_free(l);
	assert_non_null(a);
	return a;
}

static void code_is_read_of_a_core(void **state)
{
	struct fixture *f = fixture_of(state);
	const struct lines_options o = { .zygote = zygote,
					 .proc_root = f->directory,
					 .debug_root = "/nonexistent",
					 .synchronous = true };

	write_core(f, "kcore", ET_CORE);
	for (enum dso_kind kind = DSO_KERNEL; kind <= DSO_BPF; kind += DSO_BPF - DSO_KERNEL) {
		struct lines_answer *a = ask(&o, kind, START, sizeof(code));

		assert_int_equal(a->machine, MACHINE);
		assert_int_equal(a->code_size, sizeof(code));
		assert_memory_equal(a->code, code, sizeof(code));
		if (a->instruction_count) {
			assert_int_equal(a->instruction_count, 3);
			assert_int_equal(a->instructions[0].address, START);
			assert_non_null(strstr(a->instructions[2].text, "ret"));
		} else {
			assert_non_null(strstr(a->no_code, "capstone"));
		}
		lines_answer_free(a);
	}
}

/* A function that goes on behind its segment, and one that is nowhere. */
static void what_the_core_lacks_is_said(void **state)
{
	struct fixture *f = fixture_of(state);
	const struct lines_options o = { .zygote = zygote,
					 .proc_root = f->directory,
					 .debug_root = "/nonexistent",
					 .synchronous = true };
	struct lines_answer *a;

	write_core(f, "kcore", ET_CORE);
	a = ask(&o, DSO_KERNEL, START, 4096);
	assert_int_equal(a->code_size, sizeof(code));
	lines_answer_free(a);
	a = ask(&o, DSO_KERNEL, TEXT, 16);
	assert_int_equal(a->code_size, 0);
	assert_int_equal(a->instruction_count, 0);
	assert_string_equal(a->no_code, "[kernel] does not hold its code");
	lines_answer_free(a);
}

static void assert_no_code(const struct lines_options *o, const char *why)
{
	struct lines_answer *a = ask(o, DSO_KERNEL, START, sizeof(code));

	assert_int_equal(a->instruction_count, 0);
	if (!strstr(a->no_code, why))
		fail_msg("'%s' does not say '%s'", a->no_code, why);
	assert_non_null(strstr(a->missing, "no vmlinux"));
	lines_answer_free(a);
}

static void why_there_is_no_code(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines_options o = { .zygote = zygote,
				   .proc_root = f->directory,
				   .debug_root = "/nonexistent",
				   .kallsyms = "/nonexistent",
				   .synchronous = true };
	char path[128];

	assert_no_code(&o, "/kcore: No such file");
	write_core(f, "program", ET_EXEC);
	snprintf(path, sizeof(path), "%s/program", f->directory);
	o.kcore = path;
	assert_no_code(&o, "/program is no ELF core");
	if (!geteuid())
		return; /* whom no mode keeps out */
	assert_int_equal(chmod(path, 0), 0);
	assert_no_code(&o, "/program is for root alone");
}

static const char source[] = "volatile int sink;\n" /* 1 */
			     "__asm__(\".globl _stext\\n.type _stext, @function\\n_stext:\\n.ascii "
			     "\\\"lots of text\\\"\\n\");\n"
			     "__attribute__((noinline)) void outer(int x)\n" /* 3 */
			     "{\n"                                           /* 4 */
			     "	sink = x;\n"                                 /* 5 */
			     "}\n"                                           /* 6 */
			     "int main(void)\n"                              /* 7 */
			     "{\n"                                           /* 8 */
			     "	outer(3);\n"                                 /* 9 */
			     "	return 0;\n"                                 /* 10 */
			     "}\n";

/* The address of NAME, by the symbol table of "vmlinux". */
static uint64_t where(struct fixture *f, const char *name)
{
	struct dso_cache *c =
		dso_cache_new(&(struct dso_cache_options){ .synchronous = true, .kallsyms = "" });
	struct dso_key key = fixture_key(fixture_path(f, "vmlinux"));
	uint32_t dso = dso_cache_get(c, &key);
	uint64_t address;

	dso_request(c, dso);
	assert_non_null(dso_symtab(c, dso));
	address = fixture_address(dso_symtab(c, dso), name);
	dso_cache_free(c);
	return address;
}

static struct build_id vmlinux_build_id(struct fixture *f)
{
	struct object *o = object_new_elf(open(fixture_path(f, "vmlinux"), O_RDONLY | O_CLOEXEC));
	struct build_id id = { .size = 0 };

	if (o)
		id = object_build_id(o);
	object_free(o);
	return id;
}

static void put_vmlinux(struct fixture *f, const struct build_id *id, bool by_build_id)
{
	char hex[BUILD_ID_TEXT];

	build_id_format(id, hex);
	if (by_build_id)
		assert_true(fixture_run(f,
					"rm -r debug; mkdir -p debug/.build-id/%.2s && "
					"cp vmlinux debug/.build-id/%.2s/%s.debug",
					hex, hex, hex + 2));
	else
		assert_true(fixture_run(
			f, "mkdir -p debug/boot && cp vmlinux debug/boot/vmlinux-9.9-test"));
}

/* The number of frames at an address. */
static size_t lines_at(const struct lines_options *options, uint64_t address)
{
	struct lines *l = lines_new(options);
	const struct lines_request r = { .key = { .kind = DSO_KERNEL, .path = "[kernel]" },
					 .addresses = &address,
					 .address_count = 1 };
	struct lines_answer *a;
	size_t count;

	lines_ask(l, &r);
	a = lines_take(l);
	assert_true(a->has_lines);
	count = a->places[0].frame_count;
	lines_answer_free(a);
	lines_free(l);
	return count;
}

/* The kernel runs elsewhere than it was linked for. */
static void lines_are_those_of_the_vmlinux(void **state)
{
	struct fixture *f = fixture_of(state);
	struct vmlinux_identity kernel = { .release = "9.9-test" };
	char kallsyms[128], debug[128], text[128];
	struct lines_options o = { .zygote = zygote,
				   .proc_root = f->directory,
				   .debug_root = debug,
				   .kallsyms = kallsyms,
				   .kernel = &kernel,
				   .synchronous = true };
	uint64_t moved, outer;

	fixture_write(f, "kernel.c", source, sizeof(source) - 1);
	if (!fixture_run(f, "${CC:-cc} -O2 -g -Wl,--build-id -o vmlinux kernel.c"))
		skip();
	kernel.build_id = vmlinux_build_id(f);
	assert_true(kernel.build_id.size > 0);
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", f->directory);
	snprintf(debug, sizeof(debug), "%s/debug", f->directory);
	snprintf(text, sizeof(text), "%llx T _stext\n%llx T _etext\n", (unsigned long long)TEXT,
		 (unsigned long long)START);
	fixture_write(f, "kallsyms", text, strlen(text));
	moved = TEXT - where(f, "_stext");
	outer = where(f, "outer") + moved;
	for (int by_build_id = 0; by_build_id < 2; by_build_id++) {
		struct lines_answer *a;
		bool found = false;

		put_vmlinux(f, &kernel.build_id, by_build_id);
		a = ask(&o, DSO_KERNEL, outer, 8); /* code, too: there is no kcore */
		assert_true(a->has_lines);
		assert_int_equal(a->code_size, 8);
		for (size_t i = 0; i < a->place_count; i++)
			found |= a->places[i].frame_count && a->places[i].frames->line == 5;
		assert_true(found || !a->instruction_count);
		lines_answer_free(a);
	}
	/* Code behind the kernel's end belongs to a module. */
	snprintf(text, sizeof(text), "%llx T _stext\n%llx T _etext\n", (unsigned long long)TEXT,
		 (unsigned long long)outer);
	assert_int_equal(lines_at(&o, outer), 1);
	fixture_write(f, "kallsyms", text, strlen(text));
	assert_int_equal(lines_at(&o, outer), 0);
	kernel.build_id.bytes[0] ^= 1; /* another kernel's */
	assert_no_code(&o, "/kcore: No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(code_is_read_of_a_core),
		FIXTURE_TEST(what_the_core_lacks_is_said),
		FIXTURE_TEST(why_there_is_no_code),
		FIXTURE_TEST(lines_are_those_of_the_vmlinux),
	};

	int result;

	/* Valgrind makes system calls of its own in a worker. */
	zygote = unit_under_valgrind() ? NULL : zygote_start(app_jobs, app_job_count);
	result = zygote ? unit_run(tests) : EXIT_SUCCESS;
	zygote_free(zygote);
	zygote = NULL;
	return result == EXIT_SUCCESS ? unit_run(tests) : result;
}
