/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions of fixed bytes, for both machines, and of bytes that are none. */
#include "unit.h"

#include <elf.h>
#include <stdlib.h>

#include "symbol/disassembly.h"

/* The expected kinds, in order. */
struct expected {
	const char *text;
	uint8_t size, flow;
	uint64_t target;
};

static struct instruction *make(uint16_t machine, const void *code, size_t size, uint64_t address,
				struct strtab *texts, size_t *count)
{
	const struct disassembly_request r = {
		.machine = machine, .code = code, .size = size, .address = address
	};
	struct error err = { "" };
	struct instruction *all = disassembly_make(&r, texts, count, &err);

	assert_true(*count > 0 || err.text[0]);
	return all;
}

static void check(uint16_t machine, const void *code, size_t size, const struct expected *expected,
		  size_t expected_count)
{
	struct strtab *texts = strtab_new();
	uint64_t at = 0x401000;
	size_t count;
	struct instruction *all = make(machine, code, size, at, texts, &count);

	assert_int_equal(count, expected_count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(all[i].text, expected[i].text);
		assert_int_equal(all[i].address, at);
		assert_int_equal(all[i].size, expected[i].size);
		assert_int_equal(all[i].flow, expected[i].flow);
		assert_int_equal(all[i].target, expected[i].target);
		at += all[i].size;
	}
	free(all);
	strtab_free(texts);
}

UNIT_TEST(test_x86_64)
{
	static const unsigned char code[] = {
		0x55,                         /* push */
		0x48, 0x89, 0xe5,             /* mov */
		0x85, 0xff,                   /* test */
		0x74, 0x05,                   /* je, over the call */
		0xe8, 0x00, 0x01, 0x00, 0x00, /* call */
		0xeb, 0xf1,                   /* jmp, to the beginning */
		0xff, 0xe0,                   /* jmp, to what is in a register */
		0xff, 0xd0,                   /* call, likewise */
		0x5d,                         /* pop */
		0xc3,                         /* ret */
	};
	static const struct expected expected[] = {
		{ "pushq %rbp", 1, FLOW_NEXT, 0 },
		{ "movq %rsp, %rbp", 3, FLOW_NEXT, 0 },
		{ "testl %edi, %edi", 2, FLOW_NEXT, 0 },
		{ "je 0x40100d", 2, FLOW_BRANCH, 0x40100d },
		{ "callq 0x40110d", 5, FLOW_CALL, 0x40110d },
		{ "jmp 0x401000", 2, FLOW_JUMP, 0x401000 },
		{ "jmpq *%rax", 2, FLOW_JUMP, 0 },
		{ "callq *%rax", 2, FLOW_CALL, 0 },
		{ "popq %rbp", 1, FLOW_NEXT, 0 },
		{ "retq", 1, FLOW_RETURN, 0 },
	};

	check(EM_X86_64, code, sizeof(code), expected, sizeof(expected) / sizeof(expected[0]));
}

UNIT_TEST(test_aarch64)
{
	static const uint32_t code[] = {
		0xa9bf7bfd, /* stp */
		0x7100041f, /* cmp w0, #1 */
		0x54000040, /* b.eq, over one */
		0x94000040, /* bl */
		0x34ffff80, /* cbz w0, back to the beginning */
		0x3607ff60, /* tbz w0, #0, likewise */
		0x17fffffa, /* b, likewise */
		0xd61f0200, /* br x16 */
		0xd63f0000, /* blr x0 */
		0xd65f03c0, /* ret */
	};
	static const struct expected expected[] = {
		{ "stp x29, x30, [sp, #-0x10]!", 4, FLOW_NEXT, 0 },
		{ "cmp w0, #1", 4, FLOW_NEXT, 0 },
		{ "b.eq #0x401010", 4, FLOW_BRANCH, 0x401010 },
		{ "bl #0x40110c", 4, FLOW_CALL, 0x40110c },
		{ "cbz w0, #0x401000", 4, FLOW_BRANCH, 0x401000 },
		{ "tbz w0, #0, #0x401000", 4, FLOW_BRANCH, 0x401000 },
		{ "b #0x401000", 4, FLOW_JUMP, 0x401000 },
		{ "br x16", 4, FLOW_JUMP, 0 },
		{ "blr x0", 4, FLOW_CALL, 0 },
		{ "ret", 4, FLOW_RETURN, 0 },
	};

	check(EM_AARCH64, code, sizeof(code), expected, sizeof(expected) / sizeof(expected[0]));
}

/* Every byte is in one instruction, whatever they are. */
static void check_whole(uint16_t machine, const unsigned char *code, size_t size)
{
	struct strtab *texts = strtab_new();
	uint64_t at = UINT64_MAX - 64; /* also where addresses come to their end */
	size_t count;
	struct instruction *all = make(machine, code, size, at, texts, &count);
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(all[i].address, at + bytes);
		assert_true(all[i].size > 0);
		assert_true(*all[i].text != '\0');
		bytes += all[i].size;
	}
	/* Bytes that are too few for an instruction are left out at the end. */
	assert_in_range(bytes, size > 3 ? size - 3 : 0, size);
	free(all);
	strtab_free(texts);
}

UNIT_TEST(test_hostile_bytes)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64 };
	unsigned char *code = malloc(4096);
	unsigned step = unit_under_valgrind() ? 7 : 1;

	for (unsigned seed = 1; seed <= 200; seed += step) {
		size_t size = 4 + seed * 20u;

		srand(seed);
		for (size_t i = 0; i < size; i++)
			code[i] = seed % 4 ? (unsigned char)rand() : (unsigned char)(0xff - seed);
		for (size_t i = 0; i < 3; i++)
			check_whole(machines[i], code, size);
	}
	free(code);
}

UNIT_TEST(test_limits)
{
	size_t size = DISASSEMBLY_MAX + 100, count;
	unsigned char *code = malloc(size);
	struct strtab *texts = strtab_new();
	struct instruction *all;

	memset(code, 0x90, size);
	all = make(EM_X86_64, code, size, 0, texts, &count);
	assert_int_equal(count, DISASSEMBLY_MAX);
	free(all);
	all = make(EM_NONE, code, size, 0, texts, &count);
	assert_int_equal(count, 0);
	assert_null(all);
	strtab_free(texts);
	free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64),
		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_hostile_bytes),
		cmocka_unit_test(test_limits),
	};
	struct disassembly_request nothing = { 0 };
	struct error err = { "" };
	size_t count;

	disassembly_make(&nothing, NULL, &count, &err);
	if (strstr(err.text, "capstone")) {
		puts(err.text);
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
