/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "unwind/dwarf-expression.h"

/*
 * The limit of one function's instructions, so that looking up an address is bounded.  The largest
 * seen in a distribution is a twelfth of it.
 */
#define INSTRUCTIONS_MAX 32768
#define REMEMBERED_MAX 16 /* compilers nest one deep */
#define CIES_MAX 256      /* that are remembered; a file has a few, or one for each unit */

enum {
	DW_CFA_nop,
	DW_CFA_set_loc,
	DW_CFA_advance_loc1,
	DW_CFA_advance_loc2,
	DW_CFA_advance_loc4,
	DW_CFA_offset_extended,
	DW_CFA_restore_extended,
	DW_CFA_undefined,
	DW_CFA_same_value,
	DW_CFA_register,
	DW_CFA_remember_state,
	DW_CFA_restore_state,
	DW_CFA_def_cfa,
	DW_CFA_def_cfa_register,
	DW_CFA_def_cfa_offset,
	DW_CFA_def_cfa_expression,
	DW_CFA_expression,
	DW_CFA_offset_extended_sf,
	DW_CFA_def_cfa_sf,
	DW_CFA_def_cfa_offset_sf,
	DW_CFA_val_offset,
	DW_CFA_val_offset_sf,
	DW_CFA_val_expression,
	DW_CFA_AARCH64_negate_ra_state = 0x2d,
	DW_CFA_GNU_args_size,
	DW_CFA_GNU_negative_offset_extended,
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
};

struct cfi_entry {
	uint32_t start;               /* from the object's base */
	uint32_t fde : 31, debug : 1; /* offset in its section */
};

/* A section is at most as large as an offset in the index can express. */
#define SECTION_MAX (UINT32_C(1) << 31)

struct cfi_memo {
	struct map cies; /* place to struct known_cie, owned */
	uint64_t work, rows, too_slow;
};

/* A description, and its CIE with the state that the rows begin with. */
struct fde {
	struct cfi_fde entry;
	const struct known_cie *known; /* borrowed */
};

static void index_add(struct cfi *c, size_t *capacity, const struct cfi_fde *f, bool debug)
{
	uint64_t start = f->start - c->base;

	/* The linker leaves descriptions of code that it dropped, with size 0 or address 0. */
	if (!f->size || start > UINT32_MAX || f->start < c->base)
		return;
	mem_grow((void **)&c->index, capacity, c->count + 1, sizeof(*c->index));
	c->index[c->count++] = (struct cfi_entry){
		.start = (uint32_t)start,
		.fde = (uint32_t)f->offset & (SECTION_MAX - 1),
		.debug = debug,
	};
}

static void index_section(struct cfi *c, const struct cfi_section *s, size_t *capacity)
{
	struct cfi_walk w = { .section = s };

	while (cfi_walk_next(&w))
		index_add(c, capacity, &w.fde, s->debug);
	c->malformed += w.malformed;
}

/*
 * If two descriptions have one address, the first section's sorts last, so that a search finds it.
 */
static int entry_compare(const void *a, const void *b)
{
	const struct cfi_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->debug != y->debug)
		return x->debug ? -1 : 1;
	return x->fde < y->fde ? -1 : x->fde > y->fde;
}

static bool is_sorted(const struct cfi *c)
{
	for (size_t i = 1; i < c->count; i++)
		if (entry_compare(&c->index[i - 1], &c->index[i]) > 0)
			return false;
	return true;
}

void cfi_index(struct cfi *c)
{
	size_t capacity = 0;

	c->memo = mem_alloc(sizeof(*c->memo));
	if (c->machine == UNWIND_MACHINE_NONE)
		return;
	for (size_t i = 0; i < sizeof(c->section) / sizeof(*c->section); i++) {
		if (c->section[i].size > SECTION_MAX)
			c->malformed++;
		else if (c->section[i].size)
			index_section(c, &c->section[i], &capacity);
	}
	if (!is_sorted(c))
		qsort(c->index, c->count, sizeof(*c->index), entry_compare);
}

/* The place of a register's value, as an instruction gave it. */
struct column {
	enum {
		COLUMN_SAME,
		COLUMN_UNDEFINED,
		COLUMN_OFFSET,
		COLUMN_VALUE,
		COLUMN_REGISTER,
		COLUMN_EXPRESSION,
		COLUMN_VALUE_EXPRESSION
	} how;
	int64_t offset; /* or the register */
	struct bytes expression;
};

enum { COLUMN_SP, COLUMN_FP, COLUMN_BX, COLUMN_RA, COLUMNS };

struct state {
	uint64_t cfa_register;
	int64_t cfa_offset;
	bool cfa_is_expression;
	struct bytes cfa_expression;
	struct column column[COLUMNS];
};

/* A CIE, and the state that its instructions leave for those of each function. */
struct known_cie {
	struct cfi_cie cie;
	struct state initial;
	bool runs; /* its instructions make sense */
	bool recalls, sets_location;
	uint64_t largest_register;
};

struct interpreter {
	const struct unwind_machine_regs *regs;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	uint64_t location, target;
	struct state now, initial;
	unsigned depth;
	uint64_t *work; /* counts bytes of instructions */
	bool bad;
	bool recalls;              /* a remembered state */
	bool sets_location;        /* by an address, which is valid only at its own place */
	uint64_t largest_register; /* another address is subtracted from it */
	struct state remembered[REMEMBERED_MAX]; /* last: not cleared */
};

/* The column of a register by its number; COLUMNS if no column needs it. */
static unsigned column_of(const struct interpreter *i, uint64_t number)
{
	if (number == i->regs->sp)
		return COLUMN_SP;
	if (number == i->regs->fp)
		return COLUMN_FP;
	if (number == i->regs->bx)
		return COLUMN_BX;
	return number == i->regs->ra ? COLUMN_RA : COLUMNS;
}

static void set_column(struct interpreter *i, uint64_t number, struct column c)
{
	unsigned column = column_of(i, number);

	if (column < COLUMNS)
		i->now.column[column] = c;
}

static void restore_column(struct interpreter *i, uint64_t number)
{
	unsigned column = column_of(i, number);

	if (column < COLUMNS)
		i->now.column[column] = i->initial.column[column];
}

/* Offsets wrap as in the described program; a nonsensical one fails when it is used. */
static int64_t factored(const struct interpreter *i, int64_t offset)
{
	return (int64_t)((uint64_t)offset * (uint64_t)i->cie->data_align);
}

static struct column at_offset(int64_t offset)
{
	return (struct column){ .how = COLUMN_OFFSET, .offset = offset };
}

static void set_cfa(struct interpreter *i, uint64_t number, int64_t offset)
{
	i->now.cfa_is_expression = false;
	i->now.cfa_register = number;
	i->now.cfa_offset = offset;
}

static void remember(struct interpreter *i)
{
	if (i->depth == REMEMBERED_MAX)
		i->bad = true;
	else
		i->remembered[i->depth++] = i->now;
}

static void recall(struct interpreter *i)
{
	if (!i->depth)
		i->bad = true;
	else
		i->now = i->remembered[--i->depth];
	i->recalls = true;
}

static void do_cfa(struct interpreter *i, uint8_t op, struct bytes *b)
{
	uint64_t number = i->now.cfa_register;
	int64_t offset = i->now.cfa_offset;

	if (op == DW_CFA_def_cfa_expression) {
		i->now.cfa_is_expression = true;
		i->now.cfa_expression = cursor_block(b);
		return;
	}
	if (i->now.cfa_is_expression && op != DW_CFA_def_cfa && op != DW_CFA_def_cfa_sf) {
		i->bad = true;
		return;
	}
	if (op == DW_CFA_def_cfa || op == DW_CFA_def_cfa_sf || op == DW_CFA_def_cfa_register)
		number = cursor_uleb(b);
	if (op == DW_CFA_def_cfa || op == DW_CFA_def_cfa_offset)
		offset = (int64_t)cursor_uleb(b);
	if (op == DW_CFA_def_cfa_sf || op == DW_CFA_def_cfa_offset_sf)
		offset = factored(i, cursor_sleb(b));
	set_cfa(i, number, offset);
}

static void do_column(struct interpreter *i, uint8_t op, struct bytes *b)
{
	uint64_t number = cursor_uleb(b);
	struct column c = { .how = COLUMN_SAME };

	switch (op) {
	case DW_CFA_offset_extended:
		c = at_offset(factored(i, (int64_t)cursor_uleb(b)));
		break;
	case DW_CFA_offset_extended_sf:
		c = at_offset(factored(i, cursor_sleb(b)));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		c = at_offset((int64_t) - (uint64_t)factored(i, (int64_t)cursor_uleb(b)));
		break;
	case DW_CFA_val_offset:
		c = (struct column){ COLUMN_VALUE, factored(i, (int64_t)cursor_uleb(b)), { 0 } };
		break;
	case DW_CFA_val_offset_sf:
		c = (struct column){ COLUMN_VALUE, factored(i, cursor_sleb(b)), { 0 } };
		break;
	case DW_CFA_register:
		c = (struct column){ COLUMN_REGISTER, (int64_t)cursor_uleb(b), { 0 } };
		if ((uint64_t)c.offset > i->largest_register)
			i->largest_register = (uint64_t)c.offset;
		break;
	case DW_CFA_undefined:
		c.how = COLUMN_UNDEFINED;
		break;
	case DW_CFA_expression:
		c = (struct column){ COLUMN_EXPRESSION, 0, cursor_block(b) };
		break;
	case DW_CFA_val_expression:
		c = (struct column){ COLUMN_VALUE_EXPRESSION, 0, cursor_block(b) };
		break;
	default: /* DW_CFA_same_value */
		break;
	}
	set_column(i, number, c);
}

static void advance(struct interpreter *i, uint64_t delta)
{
	i->location += delta * i->cie->code_align;
}

static void do_extended(struct interpreter *i, uint8_t op, struct bytes *b)
{
	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_set_loc:
		i->sets_location = true;
		i->location = cfi_pointer_read(b, i->cie->encoding, i->section);
		break;
	case DW_CFA_advance_loc1:
		advance(i, bytes_u8(b));
		break;
	case DW_CFA_advance_loc2:
		advance(i, bytes_u16(b));
		break;
	case DW_CFA_advance_loc4:
		advance(i, bytes_u32(b));
		break;
	case DW_CFA_restore_extended:
		restore_column(i, cursor_uleb(b));
		break;
	case DW_CFA_remember_state:
		remember(i);
		break;
	case DW_CFA_restore_state:
		recall(i);
		break;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		do_cfa(i, op, b);
		break;
	case DW_CFA_offset_extended:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_register:
	case DW_CFA_expression:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_val_expression:
	case DW_CFA_GNU_negative_offset_extended:
		do_column(i, op, b);
		break;
	case DW_CFA_AARCH64_negate_ra_state:
		/* A signed address has its upper bits masked whether this is said or not. */
		i->bad |= !i->regs->links;
		break;
	case DW_CFA_GNU_args_size:
		cursor_uleb(b);
		break;
	default:
		i->bad = true;
	}
}

/* Runs until the row of the target is complete: up to the first advance past it. */
static bool interpret(struct interpreter *i, struct bytes b)
{
	const uint8_t *begin = b.at;

	if (b.left > INSTRUCTIONS_MAX)
		return false;
	while (b.left && !b.failed && !i->bad) {
		uint8_t op = bytes_u8(&b), low = op & 0x3f;

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			advance(i, low);
			break;
		case DW_CFA_offset:
			set_column(i, low, at_offset(factored(i, (int64_t)cursor_uleb(&b))));
			break;
		case DW_CFA_restore:
			restore_column(i, low);
			break;
		default:
			do_extended(i, op, &b);
		}
		if (i->location > i->target)
			break;
	}
	*i->work += (uint64_t)(b.at - begin);
	return !b.failed && !i->bad;
}

static struct cfi_value value_of_register(const struct interpreter *i, uint64_t number,
					  int64_t offset)
{
	enum cfi_base base = CFI_OTHER;

	if (number == i->regs->sp)
		base = CFI_SP;
	else if (number == i->regs->fp)
		base = CFI_FP;
	else if (number == i->regs->bx)
		base = CFI_BX;
	else if (number == i->regs->ra && i->regs->links)
		base = CFI_RA;
	return (struct cfi_value){ .base = base, .offset = offset };
}

static const struct cfi_value other = { .base = CFI_OTHER };

/* The word at V, whose address an expression computed. */
static struct cfi_value word_at(struct cfi_value v)
{
	if (v.load)
		return other;
	v.load = true;
	return v;
}

static struct cfi_value value_of_column(const struct interpreter *i, unsigned column,
					uint8_t number)
{
	const struct column *c = &i->now.column[column];

	switch (c->how) {
	case COLUMN_UNDEFINED:
		return (struct cfi_value){ .base = CFI_NOWHERE };
	case COLUMN_OFFSET:
		return (struct cfi_value){ .base = CFI_CFA, .load = true, .offset = c->offset };
	case COLUMN_VALUE:
		return (struct cfi_value){ .base = CFI_CFA, .offset = c->offset };
	case COLUMN_REGISTER:
		return value_of_register(i, (uint64_t)c->offset, 0);
	case COLUMN_EXPRESSION:
		return word_at(expression_fold(c->expression, i->regs, true));
	case COLUMN_VALUE_EXPRESSION:
		return expression_fold(c->expression, i->regs, true);
	default:
		/* If nothing describes the stack pointer, it is the frame's address. */
		return column == COLUMN_SP ? (struct cfi_value){ .base = CFI_CFA }
					   : value_of_register(i, number, 0);
	}
}

static void row_of_state(const struct interpreter *i, struct cfi_row *row)
{
	if (i->now.cfa_is_expression)
		row->cfa = expression_fold_at(i->now.cfa_expression, i->regs, i->target);
	else
		row->cfa = value_of_register(i, i->now.cfa_register, i->now.cfa_offset);
	row->sp = value_of_column(i, COLUMN_SP, i->regs->sp);
	row->fp = value_of_column(i, COLUMN_FP, i->regs->fp);
	row->bx = value_of_column(i, COLUMN_BX, i->regs->bx);
	row->ra = i->cie->ra_column != i->regs->ra ? other
						   : value_of_column(i, COLUMN_RA, i->regs->ra);
}

static void interpreter_init(struct interpreter *i, const struct cfi *c,
			     const struct cfi_section *s, const struct cfi_cie *cie)
{
	memset(i, 0, offsetof(struct interpreter, remembered));
	i->regs = &unwind_machine_regs[c->machine];
	i->section = s;
	i->cie = cie;
	i->target = UINT64_MAX;
	i->work = &c->memo->work;
}

/* Runs the instructions of a CIE.  A state that it leaves remembered makes no sense. */
static void known_run(struct known_cie *k, const struct cfi *c, const struct cfi_section *s)
{
	struct interpreter i;

	interpreter_init(&i, c, s, &k->cie);
	i.now.cfa_register = UINT64_MAX;
	k->runs = interpret(&i, k->cie.instructions) && !i.depth;
	k->initial = i.now;
	k->recalls = i.recalls;
	k->sets_location = i.sets_location;
	k->largest_register = i.largest_register;
}

static void memo_forget(struct cfi_memo *m)
{
	size_t cursor = 0;
	void *k;

	while ((k = map_next(&m->cies, &cursor)))
		free(k);
	map_fini(&m->cies);
}

/* The CIE at OFFSET of a section, which is read when it is first asked for. */
static const struct known_cie *known_cie(const struct cfi *c, const struct cfi_section *s,
					 size_t offset)
{
	uint64_t key = (uint64_t)offset << 1 | s->debug;
	struct known_cie *k = map_find(&c->memo->cies, key);

	if (k)
		return k;
	if (c->memo->cies.count >= CIES_MAX)
		memo_forget(c->memo);
	k = mem_alloc(sizeof(*k));
	k->cie = cfi_cie_read(s, offset);
	c->memo->work += CFI_CIE_HEAD_MAX;
	if (k->cie.usable)
		known_run(k, c, s);
	map_put(&c->memo->cies, key, k);
	return k;
}

static uint64_t work_allowed(const struct cfi *c)
{
	return CFI_WORK_FLOOR + CFI_WORK_FACTOR * (c->section[0].size + c->section[1].size) +
	       CFI_WORK_ROW * c->memo->rows;
}

/* Counts a row that is asked for.  Returns false if the object has cost too much. */
static bool has_time(const struct cfi *c)
{
	c->memo->rows++;
	if (c->memo->work + INSTRUCTIONS_MAX * 2 + CFI_CIE_HEAD_MAX <= work_allowed(c))
		return true;
	c->memo->too_slow++;
	return false;
}

uint64_t cfi_work(const struct cfi *c)
{
	return c->memo->work;
}

uint64_t cfi_too_slow(const struct cfi *c)
{
	return c->memo->too_slow;
}

void cfi_fini(struct cfi *c)
{
	if (c->memo)
		memo_forget(c->memo);
	free(c->memo);
	c->memo = NULL;
	free(c->index);
	c->index = NULL;
	c->count = 0;
}

/* Runs F up to ADDRESS. */
static bool fde_run(struct interpreter *i, const struct cfi *c, const struct cfi_section *s,
		    const struct fde *f, uint64_t address)
{
	if (!f->known->runs)
		return false;
	interpreter_init(i, c, s, &f->known->cie);
	i->now = i->initial = f->known->initial;
	i->recalls = f->known->recalls;
	i->sets_location = f->known->sets_location;
	i->largest_register = f->known->largest_register;
	i->location = f->entry.start;
	i->target = address;
	return interpret(i, f->entry.instructions);
}

static enum cfi_result fde_row(const struct cfi *c, const struct cfi_section *s,
			       const struct fde *f, uint64_t address, struct cfi_row *row)
{
	struct interpreter i;

	if (!fde_run(&i, c, s, f, address))
		return CFI_MALFORMED;
	*row = (struct cfi_row){ .signal = f->known->cie.signal,
				 .recalls = i.recalls,
				 .start = f->entry.start,
				 .end = f->entry.start + f->entry.size };
	row_of_state(&i, row);
	return CFI_FOUND;
}

static enum cfi_result entry_fde(const struct cfi *c, const struct cfi_entry *entry, struct fde *f)
{
	const struct cfi_section *s = &c->section[entry->debug];
	size_t cie;

	if (!has_time(c) || !cfi_fde_cie(s, entry->fde, &cie))
		return CFI_MALFORMED;
	f->known = known_cie(c, s, cie);
	return cfi_fde_read(s, entry->fde, &f->known->cie, &f->entry) ? CFI_FOUND : CFI_MALFORMED;
}

/* The last entry that begins at or before START, or NULL. */
static const struct cfi_entry *index_find(const struct cfi *c, uint32_t start)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->index[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &c->index[low - 1] : NULL;
}

/* Finds the description of ADDRESS, and its section. */
static enum cfi_result address_fde(const struct cfi *c, uint64_t address, struct fde *f,
				   const struct cfi_section **section)
{
	const struct cfi_entry *entry = NULL;

	if (address >= c->base && address - c->base <= UINT32_MAX)
		entry = index_find(c, (uint32_t)(address - c->base));
	if (!entry)
		return CFI_ABSENT;
	if (entry_fde(c, entry, f) != CFI_FOUND)
		return CFI_MALFORMED;
	*section = &c->section[entry->debug];
	return address - f->entry.start < f->entry.size ? CFI_FOUND : CFI_ABSENT;
}

enum cfi_result cfi_find(const struct cfi *c, uint64_t address, struct cfi_row *row)
{
	const struct cfi_section *section;
	struct fde f = { 0 };
	enum cfi_result result = address_fde(c, address, &f, &section);

	return result == CFI_FOUND ? fde_row(c, section, &f, address, row) : result;
}

bool cfi_describe(const struct cfi *c, uint64_t address, struct cfi_description *d)
{
	const struct cfi_section *section;
	struct interpreter i;
	struct fde f = { 0 };

	if (address_fde(c, address, &f, &section) != CFI_FOUND ||
	    f.known->cie.ra_column != unwind_machine_regs[c->machine].ra ||
	    !fde_run(&i, c, section, &f, address) || i.sets_location)
		return false;
	*d = (struct cfi_description){ .start = f.entry.start,
				       .end = f.entry.start + f.entry.size,
				       .signal = f.known->cie.signal,
				       .code_align = f.known->cie.code_align,
				       .data_align = f.known->cie.data_align,
				       .largest_register = i.largest_register,
				       .initial = f.known->cie.instructions.at,
				       .initial_size = f.known->cie.instructions.left,
				       .instructions = f.entry.instructions.at,
				       .size = f.entry.instructions.left };
	return true;
}

/* Finds the row at the end, or in the middle, of the I-th function's code. */
static enum cfi_result index_row(const struct cfi *c, size_t i, bool last, struct cfi_row *row)
{
	struct fde f = { 0 };

	if (entry_fde(c, &c->index[i], &f) != CFI_FOUND)
		return CFI_MALFORMED;
	return fde_row(c, &c->section[c->index[i].debug], &f,
		       f.entry.start + (last ? f.entry.size - 1 : f.entry.size / 2), row);
}

enum cfi_result cfi_middle(const struct cfi *c, size_t i, struct cfi_row *row)
{
	return index_row(c, i, false, row);
}

enum cfi_result cfi_last(const struct cfi *c, size_t i, struct cfi_row *row)
{
	if (i + 1 < c->count && c->index[i + 1].start == c->index[i].start)
		return CFI_ABSENT;
	return index_row(c, i, true, row);
}
