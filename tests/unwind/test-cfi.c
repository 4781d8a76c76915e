/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader of call frame information against libdw's, on every row of real files.  Both say in
 * words of their own where the frame, the caller's registers and the return address are.  So both
 * are evaluated with made-up registers and memory.  And files that lie.
 */
#include "unit.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>

#include "base/hash.h"
#include "symbol/fixture.h"
#include "symbol/object.h"
#include "symbol/vdso.h"
#include "unwind/maker.h"
#include "unwind/unwind-file.h"
#include "unwind/unwind-object.h"

#define STACK_MAX 32

/* The values with which both are evaluated.  The code's address is the row's. */
static const uint64_t sp_value = 0x7ff000001000, fp_value = 0x7ff000002340,
		      bx_value = 0x7ff000003458, lr_value = 0x555500001234;

struct machine {
	const struct unwind_machine_regs *regs;
	uint64_t pc, cfa;
	bool other; /* it needs a register that the reader does not follow */
};

static uint64_t memory(uint64_t address)
{
	return hash_u64(address);
}

static uint64_t value_of(const struct machine *m, const struct cfi_value *v)
{
	uint64_t base = 0;

	switch (v->base) {
	case CFI_CFA:
		base = m->cfa;
		break;
	case CFI_SP:
		base = sp_value;
		break;
	case CFI_FP:
		base = fp_value;
		break;
	case CFI_BX:
		base = bx_value;
		break;
	case CFI_RA:
		base = lr_value;
		break;
	default:
		break;
	}
	base += (uint64_t)v->offset;
	return v->load ? memory(base) : base;
}

static uint64_t register_of(struct machine *m, uint64_t number)
{
	if (number == m->regs->sp)
		return sp_value;
	if (number == m->regs->fp)
		return fp_value;
	if (number == m->regs->bx)
		return bx_value;
	if (number == m->regs->ra)
		return m->regs->links ? lr_value : m->pc;
	m->other = true;
	return 0;
}

/* libdw's operations.  *LOCATION: the result is where the value is in memory. */
static uint64_t evaluate(struct machine *m, const Dwarf_Op *ops, size_t count, bool *location)
{
	uint64_t stack[STACK_MAX] = { 0 }, a;
	size_t n = 0;

	*location = true;
	for (size_t i = 0; i < count && !m->other; i++) {
		const Dwarf_Op *op = &ops[i];

		assert_true(n < STACK_MAX - 1);
		if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
			stack[n++] = op->atom - DW_OP_lit0;
			continue;
		}
		if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
			stack[n++] = register_of(m, op->atom - DW_OP_breg0) + op->number;
			continue;
		}
		if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
			stack[n++] = register_of(m, op->atom - DW_OP_reg0);
			*location = false;
			continue;
		}
		a = n ? stack[n - 1] : 0;
		switch (op->atom) {
		case DW_OP_bregx:
			stack[n++] = register_of(m, op->number) + op->number2;
			break;
		case DW_OP_regx:
			stack[n++] = register_of(m, op->number);
			*location = false;
			break;
		case DW_OP_call_frame_cfa:
			stack[n++] = m->cfa;
			break;
		case DW_OP_stack_value:
			*location = false;
			break;
		case DW_OP_deref:
			stack[n - 1] = memory(a);
			break;
		case DW_OP_plus_uconst:
			stack[n - 1] = a + op->number;
			break;
		case DW_OP_const1u:
		case DW_OP_const2u:
		case DW_OP_const4u:
		case DW_OP_constu:
		case DW_OP_const1s:
		case DW_OP_const2s:
		case DW_OP_consts:
		case DW_OP_const4s:
			stack[n++] = op->number;
			break;
		case DW_OP_and:
			stack[n - 2] &= a;
			n--;
			break;
		case DW_OP_plus:
			stack[n - 2] += a;
			n--;
			break;
		case DW_OP_minus:
			stack[n - 2] -= a;
			n--;
			break;
		case DW_OP_shl:
			stack[n - 2] <<= a;
			n--;
			break;
		case DW_OP_ge:
			stack[n - 2] = (int64_t)stack[n - 2] >= (int64_t)a;
			n--;
			break;
		default:
			m->other = true;
		}
	}
	return n ? stack[n - 1] : 0;
}

struct tally {
	uint64_t rows, other, bad;
	const char *path;
};

static void differs(struct tally *t, const struct machine *m, const char *what)
{
	if (t->bad++ < 5)
		printf("%s: %s at %#" PRIx64 "\n", t->path, what, m->pc);
}

static void compare_column(struct tally *t, struct machine *m, Dwarf_Frame *frame, unsigned number,
			   const struct cfi_value *mine, const char *what)
{
	Dwarf_Op ops_mem[3], *ops;
	uint64_t theirs;
	bool location;
	size_t count;

	if (dwarf_frame_register(frame, (int)number, ops_mem, &ops, &count) < 0) {
		differs(t, m, what);
		return;
	}
	if (!count && ops) {
		/* "Undefined" is also what libdw takes rbx for where nothing is said of it. */
		if (mine->base != CFI_NOWHERE && (number != m->regs->bx || mine->base != CFI_BX))
			differs(t, m, what);
		return;
	}
	m->other = false;
	theirs = count ? evaluate(m, ops, count, &location) : register_of(m, number);
	if (count && location)
		theirs = memory(theirs);
	if (m->other)
		t->other++;
	else if (mine->base == CFI_OTHER || mine->base == CFI_NOWHERE ||
		 value_of(m, mine) != theirs)
		differs(t, m, what);
}

static void compare_row(struct tally *t, const struct cfi *c, Dwarf_CFI *cfi, uint64_t pc)
{
	struct machine m = { .regs = &unwind_machine_regs[c->machine], .pc = pc };
	Dwarf_Frame *frame = NULL;
	struct cfi_row row;
	enum cfi_result mine = cfi_find(c, pc, &row);
	Dwarf_Addr start, end;
	bool location, signal;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_cfi_addrframe(cfi, pc, &frame) != 0) {
		if (mine == CFI_FOUND)
			differs(t, &m, "libdw has no row");
		return;
	}
	t->rows++;
	assert_int_equal(dwarf_frame_cfa(frame, &ops, &count), 0);
	if (mine != CFI_FOUND) {
		differs(t, &m, "no row");
	} else {
		m.cfa = evaluate(&m, ops, count, &location);
		if (m.other)
			t->other++;
		else if (row.cfa.base == CFI_OTHER || value_of(&m, &row.cfa) != m.cfa)
			differs(t, &m, "the frame's address");
		compare_column(t, &m, frame, m.regs->fp, &row.fp, "the frame pointer");
		if (dwarf_frame_info(frame, &start, &end, &signal) == m.regs->ra)
			compare_column(t, &m, frame, m.regs->ra, &row.ra, "the return address");
		else if (row.ra.base != CFI_OTHER)
			differs(t, &m, "a return address in another register");
		if (m.regs->bx != UNWIND_NO_REGISTER)
			compare_column(t, &m, frame, m.regs->bx, &row.bx, "rbx");
		if (signal != row.signal)
			differs(t, &m, "a signal's frame");
	}
	free(frame);
}

/* All rows of a function, by libdw's own ends of rows. */
static void compare_function(struct tally *t, const struct cfi *c, Dwarf_CFI *cfi, size_t i)
{
	Dwarf_Addr start, end;
	Dwarf_Frame *frame;
	struct cfi_row row;
	bool signal;

	assert_int_equal(cfi_middle(c, i, &row), CFI_FOUND);
	for (uint64_t pc = row.start; pc < row.end;) {
		compare_row(t, c, cfi, pc);
		if (dwarf_cfi_addrframe(cfi, pc, &frame) != 0)
			break;
		dwarf_frame_info(frame, &start, &end, &signal);
		free(frame);
		if (end <= pc)
			break;
		compare_row(t, c, cfi, end - 1);
		pc = end;
	}
}

static struct tally compare_object(const char *path, struct object *file, size_t functions)
{
	struct tally t = { .path = path };
	struct unwind_source source;
	const struct cfi *c = &source.cfi;
	Dwarf_CFI *cfi;
	size_t step;

	if (!unwind_file_read(&source, file))
		return t;
	cfi = dwarf_getcfi_elf(file->elf);
	assert_non_null(cfi);
	assert_int_equal(c->malformed, 0);
	step = c->count / functions + 1;
	for (size_t i = 0; i < c->count; i += step)
		compare_function(&t, c, cfi, i);
	printf("%s: %zu functions, %" PRIu64 " rows compared, %" PRIu64 " unlike libdw's, %" PRIu64
	       " values of other registers\n",
	       path, c->count, t.rows, t.bad, t.other);
	dwarf_cfi_end(cfi);
	unwind_source_fini(&source);
	return t;
}

static struct tally compare_file(const char *path)
{
	struct object *file = object_new(object_open_file(path));
	struct tally t = compare_object(path, file, unit_under_valgrind() ? 300 : 3000);

	object_free(file);
	return t;
}

UNIT_TEST(test_libdw_files)
{
	static const char *const paths[] = {
		"/proc/self/exe",
		"/lib64/ld-linux-x86-64.so.2",
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/lib/ld-linux-aarch64.so.1",
		"/usr/aarch64-linux-gnu/lib/libc.so.6",
		"/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0",
		"/usr/bin/git",
		"/usr/bin/bash",
		"/usr/bin/gdb",
		"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
	};
	uint64_t rows = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct tally t;

		if (access(paths[i], R_OK) < 0)
			continue;
		t = compare_file(paths[i]);
		assert_int_equal(t.bad, 0);
		rows += t.rows;
	}
	assert_true(rows > 1000);
}

UNIT_TEST(test_libdw_vdso)
{
	struct object *file = vdso_open();
	struct tally t;

	if (!file)
		skip();
	t = compare_object("[vdso]", file, 1000);
	assert_int_equal(t.bad, 0);
	object_free(file);
}

/* The other machine's code, whatever this one is, of the truth test's program. */
UNIT_TEST(test_libdw_cross)
{
	const char *sources = getenv("abs_srcdir");
	struct fixture f;
	struct tally t;

	assert_true(fixture_init(&f));
	if (!fixture_run(&f,
			 "aarch64-linux-gnu-gcc -O3 -shared -fPIC -g -mbranch-protection=standard "
			 "-o cross.so "
			 "%s/tests/unwind/programs/calls.c",
			 sources ? sources : "..")) {
		fixture_fini(&f);
		printf("no aarch64-linux-gnu-gcc\n");
		skip();
	}
	t = compare_file(fixture_path(&f, "cross.so"));
	assert_int_equal(t.bad, 0);
	assert_true(t.rows > 50);
	fixture_fini(&f);
}

/* Sections made by hand. */

static struct cfi cfi_of(struct maker *m)
{
	struct cfi c = { .machine = UNWIND_X86_64 };

	c.section[0] =
		(struct cfi_section){ .bytes = m->bytes, .size = m->size, .address = 0x100000 };
	cfi_index(&c);
	return c;
}

static enum cfi_result row_of(const char *code, size_t size, struct cfi_row *row)
{
	struct maker m = { .size = 0 };
	enum cfi_result result;
	struct cfi c;

	maker_put_cie(&m);
	maker_put_fde(&m, 0x1000, 0x100, code, size);
	c = cfi_of(&m);
	result = cfi_find(&c, 0x1010, row);
	cfi_fini(&c);
	return result;
}

#define ROW_OF(code, row) row_of(code, sizeof(code) - 1, row)

UNIT_TEST(test_instructions)
{
	struct cfi_row row;

	assert_int_equal(ROW_OF("", &row), CFI_FOUND);
	assert_true(row.cfa.base == CFI_SP && row.cfa.offset == 8 && !row.cfa.load);
	assert_true(row.ra.base == CFI_CFA && row.ra.load && row.ra.offset == -8);
	assert_true(row.fp.base == CFI_FP && !row.fp.load);
	/* push %rbp at 1; what is behind 0x10 is not of the row. */
	assert_int_equal(ROW_OF("\x41\x0e\x10\x86\x02\x50\x0e\x20", &row), CFI_FOUND);
	assert_int_equal(row.cfa.offset, 16);
	assert_true(row.fp.base == CFI_CFA && row.fp.load && row.fp.offset == -16);
	/* remember, change, restore */
	assert_int_equal(ROW_OF("\x0a\x0e\x40\x0b", &row), CFI_FOUND);
	assert_int_equal(row.cfa.offset, 8);
	/* the end of the stack */
	assert_int_equal(ROW_OF("\x07\x10", &row), CFI_FOUND);
	assert_int_equal(row.ra.base, CFI_NOWHERE);
	/* a realigned stack: *(rbp - 8) */
	assert_int_equal(ROW_OF("\x0f\x03\x76\x78\x06", &row), CFI_FOUND);
	assert_true(row.cfa.base == CFI_FP && row.cfa.load && row.cfa.offset == -8);
	/* a PLT's: rsp + 8 + ((rip & 15) >= 11) * 8, at 0x1010 */
	assert_int_equal(ROW_OF("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", &row),
			 CFI_FOUND);
	assert_true(row.cfa.base == CFI_SP && row.cfa.offset == 8);
}

UNIT_TEST(test_lies)
{
	static const char nested[] =
		"\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a";
	struct cfi_row row;

	/* A register number for which libdw asks for gigabytes. */
	assert_int_equal(ROW_OF("\x07\xff\xff\xff\x3f", &row), CFI_FOUND);
	assert_int_equal(ROW_OF("\x0b", &row), CFI_MALFORMED);
	assert_int_equal(ROW_OF(nested, &row), CFI_MALFORMED);
	assert_int_equal(ROW_OF("\x3f", &row), CFI_MALFORMED);
	assert_int_equal(ROW_OF("\x05\x80\x80\x80", &row), CFI_MALFORMED);
	assert_int_equal(ROW_OF("\x0f\xff\x7f", &row), CFI_MALFORMED);
	/* Expressions: without operands, that jump, too deep, or that leave nothing. */
	assert_int_equal(ROW_OF("\x0f\x01\x22", &row), CFI_FOUND);
	assert_int_equal(row.cfa.base, CFI_OTHER);
	assert_int_equal(ROW_OF("\x0f\x03\x2f\xfd\xff", &row), CFI_FOUND);
	assert_int_equal(row.cfa.base, CFI_OTHER);
	assert_int_equal(ROW_OF("\x0f\x00", &row), CFI_FOUND);
	assert_int_equal(row.cfa.base, CFI_OTHER);
}

UNIT_TEST(test_lying_sections)
{
	struct maker m = { .size = 0 };
	struct cfi_row row;
	struct cfi c;

	maker_put_cie(&m);
	maker_put_fde(&m, 0x3000, 0x100, "", 0);
	maker_put_fde(&m, 0x1000, UINT64_MAX, "", 0);    /* wraps around, overlaps all */
	maker_put_fde(&m, 0x2000, 0, "", 0);             /* empty */
	maker_put_fde(&m, UINT64_MAX - 4, 0x100, "", 0); /* beyond what an index holds */
	maker_put_u32(&m, 0x7fffffff);                   /* longer than the section */
	c = cfi_of(&m);
	assert_int_equal(c.count, 2);
	assert_int_equal(c.malformed, 1);
	assert_int_equal(cfi_find(&c, 0xfff, &row), CFI_ABSENT);
	assert_int_equal(cfi_find(&c, 0x1000, &row), CFI_FOUND);
	assert_int_equal(cfi_find(&c, 0x3010, &row), CFI_FOUND);
	assert_int_equal(cfi_find(&c, 0x3100, &row), CFI_ABSENT);
	assert_int_equal(cfi_find(&c, UINT64_MAX, &row), CFI_ABSENT);
	cfi_fini(&c);
	/* A description whose CIE is itself. */
	m.size = 0;
	maker_put_u32(&m, 20);
	maker_put_u32(&m, 4);
	maker_put(&m, "any bytes there", 16);
	c = cfi_of(&m);
	assert_int_equal(c.count, 0);
	assert_true(c.malformed);
	cfi_fini(&c);
}

/*
 * Code at a file's entry is start-up code, be it described or not; what comes behind a described one
 * is not: crtstuff.c's functions, without a description, are behind _start.
 */
static enum rule_kind rule_behind_entry(struct fixture *f, const char *name, const char *flags)
{
	struct object *file;
	struct unwind_object *o;
	enum rule_kind kind;

	if (!fixture_run(f, "cc -nostdlib -static -o %s %s start.S", name, flags)) {
		fixture_fini(f);
		skip();
	}
	file = object_new(object_open_file(fixture_path(f, name)));
	o = unwind_object_new(file);
	assert_non_null(o);
	kind = unwind_object_rule(o, file->header.e_entry + 40)->kind;
	object_free(file);
	unwind_object_free(o);
	return kind;
}

UNIT_TEST(test_entry)
{
	static const char code[] = ".globl _start\n.text\n_start:\n"
				   "#ifdef DESCRIBED\n.cfi_startproc\n#endif\n.fill 8, 4, 0\n"
				   "#ifdef DESCRIBED\n.cfi_endproc\n#endif\n.fill 16, 4, 0\n";
	struct fixture f;

	if (!fixture_init(&f))
		skip();
	fixture_write(&f, "start.S", code, sizeof(code) - 1);
	assert_int_equal(rule_behind_entry(&f, "plain", ""), RULE_END);
	assert_int_equal(rule_behind_entry(&f, "described", "-DDESCRIBED"), RULE_ABSENT);
	fixture_fini(&f);
}

/*
 * Files that make us work: COUNT functions of 16 bytes from 0x1000 on, whose descriptions take turns
 * with CIES copies of a CIE.  The CIE has LETTERS letters without data and INITIAL bytes of
 * instructions; each function has CODE bytes of them, "no operation" all.
 */
struct heavy {
	size_t count, cies, letters, initial, code;
	uint8_t *bytes;
	size_t size;
};

static void heavy_put(struct heavy *h, const void *bytes, size_t size)
{
	memcpy(h->bytes + h->size, bytes, size);
	h->size += size;
}

static void heavy_u32(struct heavy *h, size_t value)
{
	uint32_t word = (uint32_t)value;

	heavy_put(h, &word, sizeof(word));
}

static void heavy_cie(struct heavy *h)
{
	static const uint8_t behind[] = { 0, 1, 0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x90, 1 };

	heavy_u32(h, 4 + 3 + h->letters + sizeof(behind) + h->initial);
	heavy_u32(h, 0);
	heavy_put(h, "\1zR", 3);
	memset(h->bytes + h->size, 'S', h->letters);
	h->size += h->letters;
	heavy_put(h, behind, sizeof(behind));
	h->size += h->initial;
}

static void heavy_fde(struct heavy *h, size_t cie, uint64_t start)
{
	static const uint64_t range = 16;

	heavy_u32(h, 4 + 16 + 1 + h->code);
	heavy_u32(h, h->size - cie);
	heavy_put(h, &start, 8);
	heavy_put(h, &range, 8);
	h->size += 1 + h->code;
}

static struct cfi heavy_make(struct heavy *h)
{
	struct cfi c = { .machine = UNWIND_X86_64 };
	size_t *cies = calloc(h->cies, sizeof(*cies));

	h->bytes = calloc(1, h->cies * (64 + h->letters + h->initial) + h->count * (64 + h->code));
	for (size_t i = 0; i < h->cies; i++) {
		cies[i] = h->size;
		heavy_cie(h);
	}
	for (size_t i = 0; i < h->count; i++)
		heavy_fde(h, cies[i % h->cies], 0x1000 + i * 16);
	c.section[0] =
		(struct cfi_section){ .bytes = h->bytes, .size = h->size, .address = 0x100000 };
	cfi_index(&c);
	free(cies);
	return c;
}

/* The number of functions that have a row. */
static size_t heavy_rows(struct heavy h)
{
	struct cfi c = heavy_make(&h);
	size_t found = 0;

	for (size_t i = 0; i < h.count; i++) {
		struct cfi_row row;

		found += cfi_find(&c, 0x1000 + i * 16, &row) == CFI_FOUND;
	}
	cfi_fini(&c);
	free(h.bytes);
	return found;
}

/* Whatever many functions have in common is read for each of them, if they take turns with it. */
UNIT_TEST(test_what_is_in_common_is_short)
{
	struct heavy letters = { .count = 4, .cies = 1, .letters = 8 << 20 };
	struct heavy initial = { .count = 4, .cies = 1, .initial = CFI_INITIAL_MAX - 5 };

	assert_int_equal(heavy_rows(letters), 0);
	letters.letters = 8;
	assert_int_equal(heavy_rows(letters), 4);
	assert_int_equal(heavy_rows(initial), 4);
	initial.initial++;
	assert_int_equal(heavy_rows(initial), 0);
	assert_int_equal(heavy_rows((struct heavy){ .count = 2000, .cies = 1000, .code = 100 }),
			 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libdw_files),
		cmocka_unit_test(test_libdw_vdso),
		cmocka_unit_test(test_libdw_cross),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_lying_sections),
		cmocka_unit_test(test_entry),
		cmocka_unit_test(test_what_is_in_common_is_short),
	};

	return unit_run(tests);
}
