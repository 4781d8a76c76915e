/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "unwind/dwarf-expression.h"

#define REMEMBERED_MAX 16 /* compilers nest one deep */
#define CIES 64           /* that are kept; a file has a few, or one for each unit in turn */

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

/* The registers' values in the caller. */
enum { COLUMN_SP, COLUMN_FP, COLUMN_BX, COLUMN_RA, COLUMNS };

struct state {
	uint64_t cfa_register;
	int64_t cfa_offset;
	bool cfa_is_expression;
	struct cfi_value cfa;    /* what either comes to, */
	struct bytes by_address; /* or an expression that comes to something else at each address */
	struct cfi_value column[COLUMNS];
};

/* A CIE, and the state that its instructions leave for those of each function. */
struct known_cie {
	size_t mark; /* its offset times two, and one more in .debug_frame; plus one: 0 is none */
	struct cfi_cie cie;
	struct state initial;
	bool runs; /* its instructions make sense */
	bool recalls;
};

/* A description, and its CIE. */
struct fde {
	struct cfi_fde entry;
	const struct cfi_section *section; /* borrowed, */
	const struct known_cie *known;     /* until the next is read */
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

	c->known = mem_array(CIES, sizeof(*c->known));
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

void cfi_fini(struct cfi *c)
{
	free(c->known);
	c->known = NULL;
	free(c->index);
	c->index = NULL;
	c->count = 0;
}

uint64_t cfi_start(const struct cfi *c, size_t i)
{
	return c->base + c->index[i].start;
}

struct interpreter {
	const struct unwind_machine_regs *regs;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	uint64_t location;
	struct state now, initial;
	unsigned depth;
	bool bad;
	/* The row that is being completed begins at DONE; all before END are wanted. */
	uint64_t done, end;
	struct cfi_row row;
	cfi_receive *receive; /* NULL: none are */
	void *context;
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

static void set_column(struct interpreter *i, uint64_t number, struct cfi_value v)
{
	unsigned column = column_of(i, number);

	if (column < COLUMNS)
		i->now.column[column] = v;
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

/* The word at OFFSET from the frame's address. */
static struct cfi_value at_offset(int64_t offset)
{
	return (struct cfi_value){ .base = CFI_CFA, .load = true, .offset = offset };
}

static struct cfi_value value_of_register(const struct unwind_machine_regs *regs, uint64_t number,
					  int64_t offset)
{
	struct cfi_value v = { .base = CFI_OTHER, .offset = offset };

	if (number == regs->sp)
		v.base = CFI_SP;
	else if (number == regs->fp)
		v.base = CFI_FP;
	else if (number == regs->bx)
		v.base = CFI_BX;
	else if (number == regs->ra)
		v.base = regs->links ? CFI_RA : CFI_OTHER;
	else if (number < UNWIND_REGISTERS)
		v = (struct cfi_value){ .base = CFI_REGISTER,
					.number = (uint8_t)number,
					.offset = offset };
	return v;
}

/* The register's value before the step.  If nothing tells the stack pointer, it is the frame's address. */
static struct cfi_value same_value(const struct unwind_machine_regs *regs, uint64_t number)
{
	return number == regs->sp ? (struct cfi_value){ .base = CFI_CFA }
				  : value_of_register(regs, number, 0);
}

/* The word at V, whose address an expression computed. */
static struct cfi_value word_at(struct cfi_value v)
{
	if (v.load)
		return (struct cfi_value){ .base = CFI_OTHER };
	v.load = true;
	return v;
}

static void set_cfa(struct interpreter *i, uint64_t number, int64_t offset)
{
	i->now.cfa_is_expression = false;
	i->now.cfa_register = number;
	i->now.cfa_offset = offset;
	i->now.cfa = value_of_register(i->regs, number, offset);
	i->now.by_address.left = 0;
}

static void set_cfa_expression(struct interpreter *i, struct bytes b)
{
	bool asks_pc;

	i->now.cfa_is_expression = true;
	i->now.cfa = expression_fold_cfa(b, i->regs, &asks_pc);
	i->now.by_address = asks_pc && b.left <= CFI_BY_ADDRESS_MAX ? b : bytes_of(b.at, 0);
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
	i->row.recalls = true;
}

static void do_cfa(struct interpreter *i, uint8_t op, struct bytes *b)
{
	uint64_t number = i->now.cfa_register;
	int64_t offset = i->now.cfa_offset;

	if (op == DW_CFA_def_cfa_expression) {
		set_cfa_expression(i, cursor_block(b));
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
	struct cfi_value v = same_value(i->regs, number);

	switch (op) {
	case DW_CFA_offset_extended:
		v = at_offset(factored(i, (int64_t)cursor_uleb(b)));
		break;
	case DW_CFA_offset_extended_sf:
		v = at_offset(factored(i, cursor_sleb(b)));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		v = at_offset((int64_t) - (uint64_t)factored(i, (int64_t)cursor_uleb(b)));
		break;
	case DW_CFA_val_offset:
		v = at_offset(factored(i, (int64_t)cursor_uleb(b)));
		v.load = false;
		break;
	case DW_CFA_val_offset_sf:
		v = at_offset(factored(i, cursor_sleb(b)));
		v.load = false;
		break;
	case DW_CFA_register:
		v = value_of_register(i->regs, cursor_uleb(b), 0);
		break;
	case DW_CFA_undefined:
		v.base = CFI_NOWHERE;
		break;
	case DW_CFA_expression:
		v = word_at(expression_fold(cursor_block(b), i->regs));
		break;
	case DW_CFA_val_expression:
		v = expression_fold(cursor_block(b), i->regs);
		break;
	default: /* DW_CFA_same_value */
		break;
	}
	set_column(i, number, v);
}

/* The rows up to TO, which is beyond them, are what is known NOW. */
static void complete_row(struct interpreter *i, uint64_t to)
{
	const struct state *s = &i->now;

	to = to < i->end ? to : i->end;
	if (!i->receive || to <= i->done)
		return;
	i->row.cfa = s->cfa;
	i->row.by_address = s->by_address;
	i->row.sp = s->column[COLUMN_SP];
	i->row.fp = s->column[COLUMN_FP];
	i->row.bx = s->column[COLUMN_BX];
	i->row.ra = i->cie->ra_column == i->regs->ra ? s->column[COLUMN_RA]
						     : (struct cfi_value){ .base = CFI_OTHER };
	if (!i->receive(i->context, i->done, to, &i->row))
		i->end = to;
	i->done = to;
}

static void go_to(struct interpreter *i, uint64_t location)
{
	i->location = location;
	complete_row(i, location);
}

static void advance(struct interpreter *i, uint64_t delta)
{
	go_to(i, i->location + delta * i->cie->code_align);
}

static void do_extended(struct interpreter *i, uint8_t op, struct bytes *b)
{
	uint64_t location;

	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_set_loc:
		location = cfi_pointer_read(b, i->cie->encoding, i->section);
		if (!b->failed)
			go_to(i, location);
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

/* Runs the instructions until all rows that are wanted are complete. */
static bool interpret(struct interpreter *i, struct bytes b)
{
	while (b.left && !b.failed && !i->bad && (!i->receive || i->done < i->end)) {
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
	}
	return !b.failed && !i->bad;
}

static void interpreter_init(struct interpreter *i, const struct cfi *c,
			     const struct cfi_section *s, const struct cfi_cie *cie)
{
	memset(i, 0, offsetof(struct interpreter, remembered));
	i->regs = &unwind_machine_regs[c->machine];
	i->section = s;
	i->cie = cie;
}

/* Runs the instructions of a CIE.  A state that it leaves remembered makes no sense. */
static void known_run(struct known_cie *k, const struct cfi *c, const struct cfi_section *s)
{
	const struct unwind_machine_regs *regs = &unwind_machine_regs[c->machine];
	struct interpreter i;

	if (k->cie.instructions.left > CFI_INITIAL_MAX)
		return;
	interpreter_init(&i, c, s, &k->cie);
	i.now.cfa.base = CFI_OTHER;
	i.now.cfa_register = UINT64_MAX;
	i.now.column[COLUMN_SP] = same_value(regs, regs->sp);
	i.now.column[COLUMN_FP] = same_value(regs, regs->fp);
	i.now.column[COLUMN_BX] = same_value(regs, regs->bx);
	i.now.column[COLUMN_RA] = same_value(regs, regs->ra);
	i.initial = i.now;
	k->runs = interpret(&i, k->cie.instructions) && !i.depth;
	k->initial = i.now;
	k->recalls = i.row.recalls;
}

/* The CIE at OFFSET of a section, which is read unless it was lately. */
static const struct known_cie *known_cie(const struct cfi *c, const struct cfi_section *s,
					 size_t offset)
{
	size_t mark = (offset << 1 | s->debug) + 1;
	struct known_cie *k = &c->known[offset / 8 % CIES];

	if (k->mark == mark)
		return k;
	*k = (struct known_cie){ .mark = mark, .cie = cfi_cie_read(s, offset) };
	if (k->cie.usable)
		known_run(k, c, s);
	return k;
}

static bool read_fde(const struct cfi *c, const struct cfi_entry *entry, struct fde *f)
{
	const struct cfi_section *s = &c->section[entry->debug];
	size_t cie;

	if (!cfi_fde_cie(s, entry->fde, &cie))
		return false;
	f->section = s;
	f->known = known_cie(c, s, cie);
	return cfi_fde_read(s, entry->fde, &f->known->cie, &f->entry);
}

static void run_fde(const struct cfi *c, const struct fde *f, cfi_receive *receive, void *context)
{
	struct interpreter i;

	interpreter_init(&i, c, f->section, &f->known->cie);
	i.now = i.initial = f->known->initial;
	i.location = i.done = f->entry.start;
	i.end = f->entry.size <= UINT64_MAX - i.done ? i.done + f->entry.size : UINT64_MAX;
	i.row = (struct cfi_row){ .signal = f->known->cie.signal,
				  .recalls = f->known->recalls,
				  .start = i.done,
				  .end = i.end };
	i.receive = receive;
	i.context = context;
	if (f->known->runs && interpret(&i, f->entry.instructions))
		complete_row(&i, UINT64_MAX);
	else if (i.done < i.end)
		receive(context, i.done, i.end, NULL);
}

void cfi_run(const struct cfi *c, size_t i, cfi_receive *receive, void *context)
{
	struct fde f;

	if (read_fde(c, &c->index[i], &f))
		run_fde(c, &f, receive, context);
	else
		receive(context, cfi_start(c, i), UINT64_MAX, NULL);
}

struct cfi_value cfi_row_cfa(const struct cfi *c, const struct cfi_row *row, uint64_t address)
{
	return row->by_address.left ? expression_fold_at(row->by_address,
							 &unwind_machine_regs[c->machine], address)
				    : row->cfa;
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

/* A look-up of one row. */
struct wanted {
	uint64_t address;
	struct cfi_row *row;
	enum cfi_result result;
};

static bool take_wanted(void *context, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct wanted *w = context;

	(void)start;
	if (w->address >= end)
		return true;
	w->result = row ? CFI_FOUND : CFI_MALFORMED;
	if (row)
		*w->row = *row;
	return false;
}

/* Finds the row of F that is valid at ADDRESS. */
static enum cfi_result find_row(const struct cfi *c, const struct fde *f, uint64_t address,
				struct cfi_row *row)
{
	struct wanted w = { .address = address, .row = row, .result = CFI_ABSENT };

	if (address - f->entry.start < f->entry.size)
		run_fde(c, f, take_wanted, &w);
	if (w.result == CFI_FOUND)
		row->cfa = cfi_row_cfa(c, row, address);
	return w.result;
}

enum cfi_result cfi_find(const struct cfi *c, uint64_t address, struct cfi_row *row)
{
	const struct cfi_entry *entry = NULL;
	struct fde f;

	if (address >= c->base && address - c->base <= UINT32_MAX)
		entry = index_find(c, (uint32_t)(address - c->base));
	if (!entry)
		return CFI_ABSENT;
	return read_fde(c, entry, &f) ? find_row(c, &f, address, row) : CFI_MALFORMED;
}

/* Finds the row at the end, or in the middle, of the I-th function's code. */
static enum cfi_result index_row(const struct cfi *c, size_t i, bool last, struct cfi_row *row)
{
	struct fde f;

	if (!read_fde(c, &c->index[i], &f))
		return CFI_MALFORMED;
	return find_row(c, &f, f.entry.start + (last ? f.entry.size - 1 : f.entry.size / 2), row);
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
