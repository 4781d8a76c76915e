/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prologues and epilogues of aarch64: instructions by hand, the call frame information of real
 * files that describes them all, and the rules of an object that describes none.
 */
#include "unit.h"

#include <inttypes.h>

#include "symbol/object.h"
#include "unwind/edge.h"
#include "unwind/unwind-file.h"
#include "unwind/unwind-object.h"

#define SHOWN_MAX 10

struct tally {
	const char *path;
	uint64_t prologue, epilogue, bad;
};

static void differs(struct tally *t, uint64_t address, const char *what, const struct edge *e)
{
	if (t->bad++ < SHOWN_MAX)
		printf("%s %#" PRIx64 ": %s: size %u, x30 %d, x29 %d\n", t->path, address, what,
		       e->size, e->ra, e->fp);
}

/* The register's place, as both say it; in the register as long as it is, whatever is saved. */
static bool same_place(int32_t at, const struct cfi_value *v, const struct edge *e)
{
	return at == EDGE_KEPT ||
	       (v->load && v->base == CFI_CFA && v->offset + (int64_t)e->size == at);
}

static void compare(struct tally *t, const struct cfi *c, uint64_t address, const struct edge *e)
{
	struct cfi_row row;

	if (cfi_find(c, address, &row) != CFI_FOUND || row.cfa.load || row.cfa.base == CFI_OTHER)
		return;
	if (row.cfa.base == CFI_SP && row.cfa.offset != (int64_t)e->size)
		differs(t, address, "another frame", e);
	else if (row.cfa.base == CFI_FP && e->fp == EDGE_KEPT)
		differs(t, address, "x29 is the caller's", e);
	else if (row.cfa.base == CFI_SP &&
		 (!same_place(e->ra, &row.ra, e) || !same_place(e->fp, &row.fp, e)))
		differs(t, address, "another place", e);
}

static void compare_function(struct tally *t, const struct object *file, const struct cfi *c,
			     size_t i)
{
	static uint32_t words[16384];
	struct edge found[EDGE_MAX];
	struct cfi_row row;
	size_t count, n;

	if (cfi_last(c, i, &row) != CFI_FOUND || row.signal || row.end - row.start > sizeof(words))
		return;
	count = object_read_code(file, row.start, words, row.end - row.start) / 4;
	n = edge_prologue(words, count, found);
	for (size_t k = 0; k < n; k++, t->prologue++)
		compare(t, c, row.start + k * 4, &found[k]);
	for (size_t last = 0; last < count; last++) {
		n = edge_epilogue(words, last, found);
		for (size_t k = 0; k < n; k++, t->epilogue++)
			compare(t, c, row.start + (last - k) * 4, &found[k]);
	}
}

static struct tally compare_file(const char *path)
{
	struct object *file = object_new(object_open_file(path));
	struct tally t = { .path = path };
	struct unwind_source o;

	assert_true(unwind_file_read(&o, file));
	for (size_t i = 0; i < o.cfi.count; i++)
		compare_function(&t, file, &o.cfi, i);
	printf("%s: %zu functions, %" PRIu64 " instructions of prologues, %" PRIu64
	       " of epilogues, %" PRIu64 " unlike what is described; %zu rules\n",
	       path, o.cfi.count, t.prologue, t.epilogue, t.bad, o.edges.count);
	unwind_source_fini(&o);
	object_free(file);
	return t;
}

static const char *corpus(const char *name)
{
	static char path[4096];
	const char *sources = getenv("abs_srcdir");

	snprintf(path, sizeof(path), "%s/tests/corpus/cfi/%s", sources ? sources : "..", name);
	return path;
}

/* All but the dynamic linker's, whose resolver is described wrongly: it leaves out what the PLT has
 * pushed. */
UNIT_TEST(test_described)
{
	static const char *const paths[] = {
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/lib/aarch64-linux-gnu/libstdc++.so.6",
		"/usr/aarch64-linux-gnu/lib/libc.so.6",
		"/usr/aarch64-linux-gnu/lib/libstdc++.so.6",
	};

	assert_int_equal(compare_file(corpus("aarch64.so")).bad, 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct tally t;

		if (access(paths[i], R_OK) < 0)
			continue;
		t = compare_file(paths[i]);
		assert_int_equal(t.bad, 0);
		assert_true(t.prologue > 10000 && t.epilogue > 10000);
	}
}

static void is_edge(const struct edge *e, uint32_t size, int32_t ra, int32_t fp)
{
	assert_int_equal(e->size, size);
	assert_int_equal(e->ra, ra);
	assert_int_equal(e->fp, fp);
}

#define EDGE_OF(name, words, found) edge_##name(words, sizeof(words) / sizeof(*(words)), found)
#define LAST(words) (sizeof(words) / sizeof(*(words)) - 1)

UNIT_TEST(test_prologue)
{
	static const uint32_t frame[] = {
		0xd503233f, /* paciasp */
		0xd103c3ff, /* sub sp, sp, #240 */
		0xa90d7bfd, /* stp x29, x30, [sp, #208] */
		0x910343fd, /* add x29, sp, #208 */
		0xf90073f3, /* str x19, [sp, #224] */
		0x94000000, /* bl */
		0xd503201f,
	};
	static const uint32_t no_place[] = { 0x910003fd /* mov x29, sp */, 0xd503201f };
	static const uint32_t by_register[] = { 0xd14063ff /* sub sp, sp, #24, lsl #12 */,
						0xcb2163ff /* sub sp, sp, x1 */, 0xd503201f };
	struct edge found[EDGE_MAX];
	uint32_t nops[EDGE_MAX + 1];

	assert_int_equal(EDGE_OF(prologue, frame, found), 6);
	is_edge(&found[1], 0, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[2], 240, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[3], 240, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[5], 240, EDGE_KEPT, 208);
	assert_int_equal(EDGE_OF(prologue, no_place, found), 1);
	assert_int_equal(EDGE_OF(prologue, by_register, found), 2);
	is_edge(&found[1], 24 << 12, EDGE_KEPT, EDGE_KEPT);
	for (size_t i = 0; i < EDGE_MAX + 1; i++)
		nops[i] = 0xd503201f;
	assert_int_equal(EDGE_OF(prologue, nops, found), EDGE_MAX);
	assert_int_equal(edge_prologue(nops, 0, found), 0);
}

UNIT_TEST(test_epilogue)
{
	static const uint32_t doubles[] = {
		0x94000000, /* bl */
		0xa9417bfd, /* ldp x29, x30, [sp, #16] */
		0x1e680920, /* fmul d0, d9, d8 */
		0x6cc223e9, /* ldp d9, d8, [sp], #32 */
		0xd50323bf, /* autiasp */
		0xd65f03c0, /* ret */
	};
	static const uint32_t pushed_twice[] = {
		0x910003bf, /* mov sp, x29 */
		0xf84107f3, /* ldr x19, [sp], #16 */
		0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
		0x910043ff, /* add sp, sp, #16 */
		0xd65f0bff, /* retaa */
	};
	static const uint32_t widths[] = {
		0xacc127e8, /* ldp q8, q9, [sp], #32 */
		0x6cc127e8, /* ldp d8, d9, [sp], #16 */
		0x2cc127e8, /* ldp s8, s9, [sp], #8 */
		0x28c107e0, /* ldp w0, w1, [sp], #8 */
		0xd65f0fff, /* retab */
	};
	struct edge found[EDGE_MAX];

	assert_int_equal(edge_epilogue(widths, LAST(widths), found), 5);
	is_edge(&found[1], 8, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[3], 32, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[4], 64, EDGE_KEPT, EDGE_KEPT);
	assert_int_equal(edge_epilogue(doubles, LAST(doubles), found), 5);
	is_edge(&found[0], 0, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[1], 0, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[2], 32, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[4], 32, 24, 16);
	assert_int_equal(edge_epilogue(pushed_twice, LAST(pushed_twice), found), 4);
	is_edge(&found[1], 16, EDGE_KEPT, EDGE_KEPT);
	is_edge(&found[2], 32, 8, 0);
	is_edge(&found[3], 48, 24, 16);
}

/* Instructions that may stand in the middle of a function end none. */
UNIT_TEST(test_jumps)
{
	static const uint32_t tail[] = { 0xf9401bfe /* ldr x30, [sp, #48] */,
					 0x910103ff /* add sp, sp, #64 */, 0x14000010 /* b */ };
	static const uint32_t by_register[] = { 0xa8c27bfd /* ldp x29, x30, [sp], #32 */,
						0xd61f0200 /* br x16 */ };
	static const uint32_t inside[] = { 0x910103ff /* add sp, sp, #64 */, 0x14000010 };
	static const uint32_t table[] = { 0xf9401bfe /* ldr x30, [sp, #48] */, 0xd61f0200 };
	static const uint32_t other[] = { 0xd503201f, 0xd65f0020 /* ret x1 */ };
	struct edge found[EDGE_MAX];

	assert_int_equal(edge_epilogue(tail, LAST(tail), found), 3);
	is_edge(&found[2], 64, 48, EDGE_KEPT);
	assert_int_equal(edge_epilogue(by_register, LAST(by_register), found), 2);
	assert_int_equal(edge_epilogue(inside, LAST(inside), found), 0);
	assert_int_equal(edge_epilogue(table, LAST(table), found), 0);
	assert_int_equal(edge_epilogue(other, LAST(other), found), 0);
}

/* Each leads elsewhere, or does what is not followed. */
UNIT_TEST(test_limits)
{
	static const uint32_t words[] = {
		0x94000000, /* bl */
		0xd63f0020, /* blr x1 */
		0x54000041, /* b.ne */
		0xb4000040, /* cbz x0 */
		0xd4000001, /* svc */
		0x910003bf, /* mov sp, x29 */
		0x910003fd, /* mov x29, sp */
		0xaa0003fe, /* mov x30, x0 */
		0xf940001e, /* ldr x30, [x0] */
		0xb94003fe, /* ldr w30, [sp] */
		0xf8626bfe, /* ldr x30, [sp, x2] */
		0xf85f83fe, /* ldur x30, [sp, #-8] */
		0xf8410ffe, /* ldr x30, [sp, #16]! */
		0xf85f07fe, /* ldr x30, [sp], #-16 */
		0xa9ff7bfd, /* ldp x29, x30, [sp, #-16]! */
		0xa9c17bfd, /* ldp x29, x30, [sp, #16]! */
		0xf90003fe, /* str x30, [sp] */
		0xf81f0fe0, /* str x0, [sp, #-16]! */
		0xf80107e0, /* str x0, [sp], #16 */
		0xf84087bd, /* ldr x29, [x29], #8 */
		0xc85f7c1e, /* ldxr x30, [x0] */
		0xf8a0801e, /* swp of x0, x30 */
		0x5800001e, /* ldr x30, a literal */
		0xd5033fdf, /* isb */
		0x00000000, 0xffffffff,
	};
	static const uint32_t harmless[] = {
		0xd2800020, /* mov x0, #1 */
		0xf8408420, /* ldr x0, [x1], #8 */
		0x3d8003e0, /* str q0, [sp] */
		0xf8626be0, /* ldr x0, [sp, x2] */
		0xf900001e, /* str x30, [x0] */
		0xfa400000, /* ccmp */
	};
	struct edge found[EDGE_MAX];

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const uint32_t code[] = { words[i], 0xd65f03c0 };

		if (edge_epilogue(code, 1, found) != 1)
			printf("%08x is no end\n", words[i]);
		assert_int_equal(edge_epilogue(code, 1, found), 1);
	}
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		const uint32_t code[] = { harmless[i], 0xd65f03c0 };

		assert_int_equal(edge_epilogue(code, 1, found), 2);
		is_edge(&found[1], 0, EDGE_KEPT, EDGE_KEPT);
	}
}

/* Any words at all: nothing is read outside of them, and what is found is inside of a frame. */
UNIT_TEST(test_all_words)
{
	uint32_t code[3], seed = 1;
	struct edge found[EDGE_MAX];

	for (unsigned round = 0; round < 2000000; round++) {
		size_t n;

		for (size_t i = 0; i < 3; i++)
			code[i] = seed = seed * 1664525 + 1013904223;
		code[2] = 0xd65f03c0;
		n = edge_epilogue(code, 2, found);
		assert_true(n >= 1 && n <= 3);
		assert_true(edge_prologue(code, 3, found) <= 3);
	}
}

/* An object whose description is true at calls alone. */
static const struct at {
	uint64_t address;
	int32_t size;
	uint8_t ra_base;
	int16_t ra;
	uint8_t fp_base;
	int16_t fp;
} ats[] = {
	{ 0x400, 0, RULE_SAME, 0, RULE_SAME, 0 },     /* str x30, [sp, #-32]! */
	{ 0x404, 32, RULE_SAME, 0, RULE_SAME, 0 },    /* stp x20, x19, [sp, #16] */
	{ 0x408, 32, RULE_CFA, -4, RULE_SAME, 0 },    /* described */
	{ 0x428, 32, RULE_CFA, -4, RULE_SAME, 0 },    /* described: ldr x30, [sp], #32 */
	{ 0x42c, 0, RULE_SAME, 0, RULE_SAME, 0 },     /* ret */
	{ 0x44c, 0, RULE_SAME, 0, RULE_SAME, 0 },     /* b g */
	{ 0x4ec, 0, RULE_SAME, 0, RULE_SAME, 0 },     /* br x1 */
	{ 0x4f8, 98320, RULE_SAME, 0, RULE_SAME, 0 }, /* sub sp, sp, #1696 */
	{ 0x518, 1712, RULE_SP, 213, RULE_SP, 212 },  /* add sp, sp, #1696 */
	{ 0x5a4, 240, RULE_SAME, 0, RULE_SP, 26 },    /* behind add x29, sp, #208 */
	{ 0x5dc, 240, RULE_SAME, 0, RULE_SAME, 0 },   /* ldr x19, [sp, #224] */
	{ 0x6bc, 160, RULE_SAME, 0, RULE_SAME, 0 },   /* described: a leaf's add sp, sp, #160 */
	{ 0x6c0, 0, RULE_SAME, 0, RULE_SAME, 0 },     /* its ret */
};

UNIT_TEST(test_undescribed)
{
	struct object *file = object_new(object_open_file(corpus("aarch64-clang14.so")));
	struct unwind_object *o = unwind_object_new(file);

	assert_non_null(o);
	object_free(file);
	for (size_t i = 0; i < sizeof(ats) / sizeof(*ats); i++) {
		const struct rule *r = unwind_object_rule(o, ats[i].address);

		assert_int_equal(r->kind, RULE_STEP);
		assert_int_equal(r->cfa_base, RULE_SP);
		assert_int_equal(r->cfa_offset, ats[i].size);
		assert_int_equal(r->ra_base, ats[i].ra_base);
		assert_int_equal(r->ra_offset, ats[i].ra);
		assert_int_equal(r->fp_base, ats[i].fp_base);
		assert_int_equal(r->fp_offset, ats[i].fp);
	}
	assert_int_equal(unwind_object_rule(o, 0x5a8)->cfa_base, RULE_FP);
	unwind_object_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prologue),    cmocka_unit_test(test_epilogue),
		cmocka_unit_test(test_jumps),       cmocka_unit_test(test_limits),
		cmocka_unit_test(test_all_words),   cmocka_unit_test(test_described),
		cmocka_unit_test(test_undescribed),
	};

	return unit_run(tests);
}
