/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The finished rules of an object say at each address what its call frame information says there, as cfi_find()
 * finds it: in real files, and in sections that lie.  And blocks that are not as they must be.
 */
#include "unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "symbol/fixture.h"
#include "symbol/vdso.h"
#include "unwind/maker.h"
#include "unwind/unwind-file.h"
#include "unwind/unwind-object.h"
#include "unwind/unwind-worker.h"
#include "worker/sealed.h"

#define BYTES_ALL (4u << 20) /* of code: every address of it is looked at, */
#define FUNCTIONS 2000       /* or as many functions of a larger file */

struct compared {
	const struct unwind_source *source;
	const struct unwind_object *object;
	size_t edge;
	uint64_t addresses, bad;
};

static struct rule expected_of_place(const struct unwind_source *s, uint64_t address)
{
	for (size_t i = 0; i < s->place_count; i++)
		if (address - s->places[i].address < s->places[i].size)
			return s->places[i].rule;
	return (struct rule){ .kind = RULE_ABSENT };
}

static bool edge_at(const struct edge_table *t, uint64_t key, struct rule *r)
{
	for (size_t low = 0, high = t->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		*r = t->rules[middle].rule;
		if (t->rules[middle].address == key)
			return true;
		if (t->rules[middle].address < key)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static struct rule expected_at(const struct unwind_source *s, uint64_t address)
{
	struct cfi_row row;
	struct rule r;

	if (edge_at(&s->edges, address - s->cfi.base, &r))
		return r;
	switch (cfi_find(&s->cfi, address, &row)) {
	case CFI_FOUND:
		return rule_of_row(&row, &row.cfa, s->cfi.machine);
	case CFI_MALFORMED:
		return (struct rule){ .kind = RULE_MALFORMED };
	default:
		return expected_of_place(s, address);
	}
}

static void compare_at(struct compared *c, uint64_t address)
{
	const struct rule expected = expected_at(c->source, address);
	const struct rule *r = unwind_object_rule(c->object, address);

	c->addresses++;
	if (memcmp(&expected, r, sizeof(*r)) != 0 && c->bad++ < 5)
		printf("%#" PRIx64 ": kind %d instead of %d, base %d, %d; frame %d, %d\n", address,
		       r->kind, expected.kind, r->cfa_base, expected.cfa_base, r->cfa_offset,
		       expected.cfa_offset);
}

static void compare_function(struct compared *c, size_t i)
{
	const struct cfi *cfi = &c->source->cfi;
	uint64_t start = cfi_start(cfi, i);
	struct cfi_row row;
	uint64_t end = cfi_last(cfi, i, &row) == CFI_FOUND ? row.end : start + 16;

	if (end - start > 65536)
		end = start + 65536;
	for (uint64_t at = start; at < end + 20; at++)
		compare_at(c, at);
}

/* Functions are marked where that is of use. */
static void compare_marks(struct compared *c, size_t i)
{
	const struct cfi *cfi = &c->source->cfi;
	uint64_t start, end, next = i + 1 < cfi->count ? cfi_start(cfi, i + 1) : UINT64_MAX;
	struct cfi_row row;

	if (!unwind_machine_regs[cfi->machine].links || next == cfi_start(cfi, i) ||
	    cfi_middle(cfi, i, &row) != CFI_FOUND || row.end - row.start > 4096)
		return;
	assert_true(unwind_object_function(c->object, row.start + (row.end - row.start) / 2, &start,
					   &end));
	assert_true(start == row.start);
	assert_true(end == (row.end < next ? row.end : next));
}

static void compare_all(struct compared *c, const char *name)
{
	const struct cfi *cfi = &c->source->cfi;
	uint64_t bytes = cfi->count ? cfi_start(cfi, cfi->count - 1) - cfi_start(cfi, 0) : 0;
	size_t step = bytes > BYTES_ALL ? cfi->count / FUNCTIONS + 1 : 1;
	uint32_t kinds[RULE_KINDS] = { 0 };

	for (size_t i = 0; i < cfi->count; i += step) {
		compare_function(c, i);
		compare_marks(c, i);
	}
	for (uint32_t i = 0; i < c->object->head.rows; i++)
		kinds[unwind_object_rule(c->object, c->object->head.base + c->object->starts[i])
			      ->kind]++;
	printf("%s: %zu functions, %zu bytes described; %u rows, %u rules, %zu bytes; %u rows "
	       "beyond rules; %" PRIu64 " addresses, %" PRIu64 " unlike\n",
	       name, cfi->count, cfi->section[0].size + cfi->section[1].size, c->object->head.rows,
	       c->object->head.rules, unwind_object_bytes(c->object), kinds[RULE_COMPLEX],
	       c->addresses, c->bad);
	assert_int_equal(c->bad, 0);
}

static uint64_t compare_object(const struct object *file, const char *name)
{
	struct unwind_source source;
	struct compared c = { .source = &source };

	assert_true(unwind_file_read(&source, file));
	c.object = unwind_source_object(&source);
	assert_non_null(c.object);
	compare_all(&c, name);
	unwind_object_free((struct unwind_object *)c.object);
	unwind_source_fini(&source);
	return c.addresses;
}

UNIT_TEST(rules_are_those_of_the_rows)
{
	static const char *const paths[] = {
		"/proc/self/exe",
		"/lib64/ld-linux-x86-64.so.2",
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/usr/aarch64-linux-gnu/lib/libc.so.6",
		"/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
		"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
	};
	uint64_t addresses = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct object *file;

		if (access(paths[i], R_OK) < 0)
			continue;
		file = object_new(object_open_file(paths[i]));
		addresses += compare_object(file, paths[i]);
		object_free(file);
	}
	assert_true(addresses > 100000);
}

UNIT_TEST(rules_of_the_edges_are_among_them)
{
	const char *sources = getenv("abs_srcdir");
	char path[4096];
	struct object *file;

	snprintf(path, sizeof(path), "%s/tests/corpus/cfi/aarch64-clang14.so",
		 sources ? sources : "..");
	file = object_new(object_open_file(path));
	assert_true(compare_object(file, path) > 100);
	object_free(file);
}

UNIT_TEST(the_kernel_s_page_has_rules)
{
	struct object *file = vdso_open();

	if (!file)
		skip();
	compare_object(file, "[vdso]");
	object_free(file);
}

/* Sections made by hand. */

#define FDE(m, start, range, code) maker_put_fde(m, start, range, code, sizeof(code) - 1)

/* Makes LIES descriptions. */
#define LIES 15

static void lie(struct maker *m)
{
	maker_put_cie(m);
	FDE(m, 0x1000, 0x100, "\x41\x0e\x10\x42\x0e\x20");
	FDE(m, 0x1080, 0x10, "\x0e\x30");         /* within the one before, */
	FDE(m, 0x1080, 0x20, "\x0e\x40");         /* and another of the same code */
	FDE(m, 0x1200, UINT64_MAX, "\x0e\x50");   /* as far as there is code */
	FDE(m, 0x1300, 0x40, "\x44\x0e\x60\x0b"); /* a state that was not remembered */
	FDE(m, 0x1400, 0x40, "\x50\x0e\x10\x01\0\x14\0\0\0\0\0\0\x44\x0e\x18\x60\x0e\x20");
	FDE(m, 0x1500, 0x40, "\x7f\x7f\x7f\x0e\x70"); /* beyond its end */
	/* a PLT's: rsp + 8 + ((rip & 15) >= 11) * 8 */
	FDE(m, 0x1600, 0x80, "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22");
	FDE(m, 0x1700, 0x10, "\x0c\x0a\x10");                 /* r10 + 16 */
	FDE(m, 0x1710, 0x10, "\x0f\x05\x77\x28\x06\x23\x08"); /* *(rsp + 40) + 8 */
	FDE(m, 0x1720, 0x10, "\x0f\x03\x7c\x10\x06");         /* *(r12 + 16) */
	FDE(m, 0x1730, 0x10, "\x0f\x02\x77\x08\x77");         /* cut short */
	FDE(m, 0x1740, 0x10, "\x0f\x03\x77\x08\x2f");         /* it jumps */
	/* longjmp()'s end: CFA rdi + 0; rsp in r8, rbp in r9, rip in rdx; and the same with rbp at CFA + 8 */
	FDE(m, 0x1750, 0x10, "\x0c\x05\0\x09\x07\x08\x09\x06\x09\x09\x10\x01");
	FDE(m, 0x1760, 0x10, "\x0c\x05\0\x09\x07\x08\x11\x06\x7f\x09\x10\x01");
}

UNIT_TEST(sections_may_lie)
{
	struct maker m = { .size = 0 };
	struct unwind_source source = { .cfi = { .machine = UNWIND_X86_64, .base = 0x800 } };
	struct compared c = { .source = &source };

	lie(&m);
	source.cfi.section[0] =
		(struct cfi_section){ .bytes = m.bytes, .size = m.size, .address = 0x100000 };
	source.places[source.place_count++] = (struct unwind_place){ .address = 0x7f0,
								     .size = 0x20,
								     .rule = { .kind = RULE_END } };
	source.places[source.place_count++] = (struct unwind_place){
		.address = 0xff0, .size = 0x400, .rule = rule_of_entry(UNWIND_X86_64)
	};
	cfi_index(&source.cfi);
	assert_int_equal(source.cfi.count, LIES);
	c.object = unwind_source_object(&source);
	assert_non_null(c.object);
	for (uint64_t at = 0; at < 0x2000; at++)
		if (at >= 0x800)
			compare_at(&c, at);
		else
			assert_int_equal(unwind_object_rule(c.object, at)->kind, RULE_ABSENT);
	assert_int_equal(c.bad, 0);
	assert_int_equal(unwind_object_rule(c.object, 0x1705)->cfa_base, RULE_REGISTER);
	assert_int_equal(unwind_object_rule(c.object, 0x1715)->cfa_after, 8);
	assert_int_equal(unwind_object_rule(c.object, 0x1725)->cfa_base, RULE_AT_REGISTER);
	assert_int_equal(unwind_object_rule(c.object, 0x1745)->kind, RULE_COMPLEX);
	assert_int_equal(unwind_object_rule(c.object, 0x1755)->cfa_register, 8);
	assert_int_equal(unwind_object_rule(c.object, 0x1755)->ra_register, 1);
	assert_int_equal(unwind_object_rule(c.object, 0x1755)->fp_base, RULE_REGISTER);
	assert_int_equal(unwind_object_rule(c.object, 0x1755)->fp_offset, 9);
	assert_int_equal(unwind_object_rule(c.object, 0x1765)->kind, RULE_COMPLEX);
	assert_int_equal(unwind_object_rule(c.object, UINT64_C(0x200000000))->kind, RULE_ABSENT);
	unwind_object_free((struct unwind_object *)c.object);
	unwind_source_fini(&source);
}

/* SOURCE gets the descriptions of M, which it borrows. */
static struct unwind_object *object_of(struct unwind_source *source, const struct maker *m)
{
	*source = (struct unwind_source){ .cfi = { .machine = UNWIND_X86_64 } };
	source->cfi.section[0] = (struct cfi_section){ .bytes = m->bytes, .size = m->size };
	cfi_index(&source->cfi);
	return unwind_source_object(source);
}

#define PLT_EXPRESSION "\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"
#define NOPS_11 "\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96"

/* Frames by the code's address are computed one by one, but not for all that a file may claim. */
UNIT_TEST(a_large_plt_is_bounded)
{
	struct maker m = { .size = 0 };
	struct unwind_source source;
	struct unwind_object *o;

	maker_put_cie(&m);
	FDE(&m, 0x1000, 0x40000000, "\x0f\x0b" PLT_EXPRESSION);
	o = object_of(&source, &m);
	assert_int_equal(unwind_object_rule(o, 0x100b)->cfa_offset, 16);
	assert_int_equal(unwind_object_rule(o, 0x100b + 4096)->cfa_offset, 16);
	assert_int_equal(unwind_object_rule(o, 0x3fff0000)->kind, RULE_COMPLEX);
	assert_true(unwind_object_bytes(o) < 16384);
	unwind_object_free(o);
	unwind_source_fini(&source);
}

/* An expression that takes three times as long is computed at a third of the addresses. */
UNIT_TEST(a_long_expression_pays_for_its_length)
{
	struct maker m = { .size = 0 };
	struct unwind_source source;
	struct unwind_object *o;

	maker_put_cie(&m);
	FDE(&m, 0x1000, 0x40000000, "\x0f\x21" NOPS_11 NOPS_11 PLT_EXPRESSION);
	o = object_of(&source, &m);
	assert_int_equal(unwind_object_rule(o, 0x100b)->cfa_offset, 16);
	assert_int_equal(unwind_object_rule(o, 0x140b)->cfa_offset, 16);
	assert_int_equal(unwind_object_rule(o, 0x1000 + 4096)->kind, RULE_COMPLEX);
	unwind_object_free(o);
	unwind_source_fini(&source);
}

/* A description of ROWS rows, each unlike the one before: rbp is saved, and is not. */
static bool makes_rows(size_t rows)
{
	static const uint8_t saved[] = { 0x41, 0x86, 2, 0x41, 0xc6 };
	struct unwind_source source = { .cfi = { .machine = UNWIND_X86_64 } };
	struct unwind_made made;
	struct maker m = { .size = 0 };
	size_t size = rows / 2 * sizeof(saved);
	uint8_t *bytes;
	uint32_t length;
	bool done;

	maker_put_cie(&m);
	maker_put_fde(&m, 0x1000, rows, "", 0);
	bytes = malloc(m.size + size);
	memcpy(bytes, m.bytes, m.size);
	memcpy(&length, bytes + m.size - 25, sizeof(length));
	length += size;
	memcpy(bytes + m.size - 25, &length, sizeof(length));
	for (size_t i = 0; i < size; i++)
		bytes[m.size + i] = saved[i % sizeof(saved)];
	source.cfi.section[0] = (struct cfi_section){ .bytes = bytes, .size = m.size + size };
	cfi_index(&source.cfi);
	assert_int_equal(source.cfi.count, 1);
	done = unwind_made_init(&made, &source);
	if (done)
		unwind_made_fini(&made);
	unwind_source_fini(&source);
	free(bytes);
	return done;
}

UNIT_TEST(rows_are_bounded)
{
	assert_true(makes_rows(UNWIND_ROWS_MAX - 4));
	assert_false(makes_rows(UNWIND_ROWS_MAX + 4));
}

/* A JIT compiler's description of one function may cost little. */
UNIT_TEST(descriptions_of_code_are_bounded)
{
	static uint8_t bytes[UNWIND_CODE_MAX + 1];
	struct jit_description code = { .machine = EM_X86_64, .start = 0x1000, .bytes = bytes };
	struct maker m = { .size = 0 };
	struct unwind_object *o;
	size_t size = 0;
	void *rules;

	maker_put_cie(&m);
	FDE(&m, 0x1000, 0x40, "\x41\x0e\x10");
	memcpy(bytes, m.bytes, m.size);
	code.size = UNWIND_CODE_MAX;
	rules = unwind_code_rules(&code, &size);
	assert_non_null(rules);
	o = unwind_object_of_rules(rules, size);
	assert_non_null(o);
	assert_int_equal(unwind_object_rule(o, 0x1020)->cfa_offset, 16);
	unwind_object_free(o);
	assert_null(unwind_object_of_rules(rules, size - 1));
	free(rules);
	code.size++;
	assert_null(unwind_code_rules(&code, &size));
}

static struct unwind_made made_of_lies(struct maker *m, struct unwind_source *source)
{
	struct unwind_made made;

	lie(m);
	*source = (struct unwind_source){ .cfi = { .machine = UNWIND_X86_64 } };
	source->cfi.section[0] = (struct cfi_section){ .bytes = m->bytes, .size = m->size };
	cfi_index(&source->cfi);
	assert_true(unwind_made_init(&made, source));
	return made;
}

/* Returns true if the block of MADE is believed. */
static bool opens(const struct unwind_made *made, size_t bytes)
{
	char *at = malloc(unwind_made_bytes(made));
	struct unwind_object *o;

	unwind_made_write(at, made);
	o = unwind_object_of_block(at, bytes);
	unwind_object_free(o);
	return o;
}

/* The last row may begin anywhere, however few there are. */
UNIT_TEST(few_rows_may_be_far_apart)
{
	struct unwind_source source = { .cfi = { .machine = UNWIND_X86_64 } };
	struct unwind_object *o;

	source.places[source.place_count++] = (struct unwind_place){ .address = UINT32_MAX,
								     .size = 1,
								     .rule = { .kind = RULE_END } };
	o = unwind_source_object(&source);
	assert_non_null(o);
	assert_int_equal(o->head.rows, 2);
	assert_int_equal(unwind_object_rule(o, 0)->kind, RULE_ABSENT);
	assert_int_equal(unwind_object_rule(o, UINT32_MAX - 1)->kind, RULE_ABSENT);
	assert_int_equal(unwind_object_rule(o, UINT32_MAX)->kind, RULE_END);
	unwind_object_free(o);
}

UNIT_TEST(blocks_are_checked)
{
	struct maker m = { .size = 0 };
	struct unwind_source source;
	struct unwind_made made = made_of_lies(&m, &source), kept = made;
	size_t bytes = unwind_made_bytes(&made);

	assert_true(opens(&made, bytes));
	assert_false(opens(&made, bytes - 1));
	assert_false(opens(&made, 4));
	made.head.magic++;
	assert_false(opens(&made, bytes));
	made.head = kept.head;
	made.head.machine = UNWIND_MACHINES;
	assert_false(opens(&made, bytes));
	made.head = kept.head;
	made.head.fp_percent = 101;
	assert_false(opens(&made, bytes));
	made.head = kept.head;
	made.head.rows--;
	assert_false(opens(&made, bytes));
	made.head = kept.head;
	made.starts[5]++; /* still sorted, or not: nothing believes it blindly */
	opens(&made, bytes);
	made.starts[5] = made.starts[4];
	assert_false(opens(&made, bytes));
	made.starts[5] = UINT32_MAX;
	assert_false(opens(&made, bytes));
	made.starts[5] = made.starts[4] + 1;
	assert_true(opens(&made, bytes));
	made.starts[0] = 1;
	assert_false(opens(&made, bytes));
	made.starts[0] = 0;
	made.numbers[3] = (uint16_t)made.head.rules;
	assert_false(opens(&made, bytes));
	made.numbers[3] = 0;
	made.rules[3].kind = RULE_NONE;
	assert_false(opens(&made, bytes));
	made.rules[3].kind = RULE_STEP;
	made.rules[3].cfa_register = UNWIND_REGISTERS;
	assert_false(opens(&made, bytes));
	unwind_made_fini(&made);
	unwind_source_fini(&source);
}

/* A block that its maker could still change is not believed. */
UNIT_TEST(blocks_are_sealed)
{
	struct maker m = { .size = 0 };
	struct unwind_source source;
	struct unwind_made made = made_of_lies(&m, &source);
	int fd = sealed_write(unwind_made_bytes(&made), unwind_made_write, &made);
	int open = memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct unwind_object *o = unwind_object_open(fd);
	char *at = malloc(unwind_made_bytes(&made));

	assert_non_null(o);
	assert_int_equal(unwind_object_functions(o), LIES);
	unwind_object_free(o);
	unwind_made_write(at, &made);
	assert_true(write(open, at, unwind_made_bytes(&made)) > 0);
	assert_null(unwind_object_open(open));
	free(at);
	close(open);
	close(fd);
	unwind_made_fini(&made);
	unwind_source_fini(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_those_of_the_rows),
		cmocka_unit_test(rules_of_the_edges_are_among_them),
		cmocka_unit_test(the_kernel_s_page_has_rules),
		cmocka_unit_test(sections_may_lie),
		cmocka_unit_test(a_large_plt_is_bounded),
		cmocka_unit_test(a_long_expression_pays_for_its_length),
		cmocka_unit_test(rows_are_bounded),
		cmocka_unit_test(descriptions_of_code_are_bounded),
		cmocka_unit_test(few_rows_may_be_far_apart),
		cmocka_unit_test(blocks_are_checked),
		cmocka_unit_test(blocks_are_sealed),
	};

	return unit_run(tests);
}
