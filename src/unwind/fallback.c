/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/fallback.h"

#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/*
 * The number of words that libunwind may read for one sample; a stack of 127 frames takes some
 * 3000.
 */
#define READS_MAX 65536

/* The largest description that libunwind gets: bytes of instructions. */
#define INSTRUCTIONS_MAX 8192

/*
 * libunwind trusts what it interprets: a register number in an instruction is an index for it.  So
 * it never sees the object's bytes.  It gets a description written here, of parts that ptop's own
 * reader has gone through.
 *
 * libunwind looks for it in a table of {start, description}, both relative to one address (LSB Core
 * 5, 10.6.3); the table has this one entry.  Table and description are near the code, within reach
 * of 32-bit offsets, at an address that is no stack.
 */
struct fallback_text {
	int32_t start, description;
	uint8_t bytes[INSTRUCTIONS_MAX + 256];
};

#define TEXT_DISTANCE (UINT64_C(1) << 30)

struct fallback {
	unw_addr_space_t space;
	struct walk *walk;
	struct fallback_text text;
	uint64_t text_address; /* 0: nothing there */
	size_t text_size;      /* bytes */
	unsigned reads;
	bool found;       /* the last look-up found a description, */
	bool interrupted; /* which is a signal frame's */
	unw_cursor_t cursor;
};

/*
 * The function that libunwind calls to look up code; a symbol of its library for this machine (as
 * in perf).
 */
#define SEARCH UNW_OBJ(dwarf_search_unwind_table)
extern int SEARCH(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di, unw_proc_info_t *pi,
		  int need_unwind_info, void *arg);

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *word, int write,
		      void *arg)
{
	struct fallback *f = arg;
	uint64_t at = address - f->text_address, value = 0;
	bool known;

	(void)as;
	if (write || f->reads++ >= READS_MAX)
		return -UNW_EINVAL;
	known = f->text_address && at < f->text_size;
	if (known) /* words around the needed ones; there is room behind the last */
		memcpy(&value, (const char *)&f->text + at, sizeof(value));
	else
		known = stack_word(f->walk->stack, address, &value);
	*word = value;
	return known ? 0 : -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t number, unw_word_t *value, int write,
		      void *arg)
{
	struct fallback *f = arg;
	const struct unwind_regs *r = f->walk->regs;

	(void)as;
	if (write)
		return -UNW_EREADONLYREG;
	if (number == UNW_REG_IP) {
		*value = r->pc;
		return 0;
	}
	if (number < 0 || number >= UNWIND_REGISTERS || !(r->known >> number & 1))
		return -UNW_EBADREG;
	*value = r->value[number];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t number, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as;
	(void)number;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

static uint8_t *put_leb(uint8_t *at, int64_t value, bool is_signed)
{
	for (unsigned i = 0; i < 10; i++) {
		uint8_t byte = value & 0x7f;

		value = is_signed ? value >> 7 : (int64_t)((uint64_t)value >> 7);
		if (is_signed ? value == (byte & 0x40 ? -1 : 0) : value == 0) {
			*at++ = byte;
			break;
		}
		*at++ = byte | 0x80;
	}
	return at;
}

/*
 * Pads an entry to whole words with instructions that do nothing, and writes its length in front.
 */
static uint8_t *end_entry(uint8_t *start, uint8_t *at)
{
	uint32_t size;

	while ((at - start) % 8)
		*at++ = 0;
	size = (uint32_t)(at - start) - sizeof(size);
	memcpy(start, &size, sizeof(size));
	return at;
}

/*
 * Writes a CIE and a description of code at START, with absolute addresses.  Returns where the
 * description begins.
 */
static size_t write_text(struct fallback *f, const struct cfi_description *d, uint64_t start,
			 uint8_t ra)
{
	uint8_t *cie = f->text.bytes, *fde, *at = cie + 4;
	uint32_t distance;
	uint64_t size = d->end - d->start;

	at = put_bytes(at, "\0\0\0\0\1zRS", d->signal ? 8 : 7);
	*at++ = 0;
	at = put_leb(at, (int64_t)d->code_align, false);
	at = put_leb(at, d->data_align, true);
	*at++ = ra;
	at = put_bytes(at, "\1\0", 2); /* one byte: addresses are eight plain bytes */
	at = fde = end_entry(cie, put_bytes(at, d->initial, d->initial_size));
	distance = (uint32_t)(fde + 4 - cie);
	at = put_bytes(at + 4, &distance, sizeof(distance));
	at = put_bytes(at, &start, sizeof(start));
	at = put_bytes(at, &size, sizeof(size));
	*at++ = 0;
	at = end_entry(fde, put_bytes(at, d->instructions, d->size));
	memset(at, 0, 16); /* the end of the section, and of a word read there */
	f->text_size = (size_t)(at + 8 - (uint8_t *)&f->text);
	return (size_t)(fde - (uint8_t *)&f->text);
}

/* Chooses an address near START that is outside the stack's copy. */
static uint64_t place_text(const struct fallback *f, uint64_t start)
{
	const struct unwind_stack *s = f->walk->stack;
	uint64_t at = (start & ~UINT64_C(4095)) + TEXT_DISTANCE;

	return at < s->start + s->size && s->start < at + sizeof(f->text) ? at - TEXT_DISTANCE / 2
									  : at;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info, int need,
			  void *arg)
{
	struct fallback *f = arg;
	struct walk *w = f->walk;
	const struct unwind_object *o;
	struct cfi_description d;
	unw_dyn_info_t table;
	uint64_t start;

	f->found = false;
	f->text_address = 0;
	if (!walk_map(w, ip) || !w->mapping.object ||
	    w->mapping.object->cfi.machine != w->regs->machine)
		return -UNW_ENOINFO;
	o = w->mapping.object;
	if (!cfi_describe(&o->cfi, ip - w->mapping.bias, &d) ||
	    d.largest_register > w->machine->ra || d.initial_size + d.size > INSTRUCTIONS_MAX)
		return -UNW_ENOINFO;
	start = d.start + w->mapping.bias;
	f->text_address = place_text(f, start);
	f->text.start = 0;
	f->text.description =
		(int32_t)(f->text_address - start + write_text(f, &d, start, w->machine->ra));
	memset(&table, 0, sizeof(table));
	table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	table.start_ip = start;
	table.end_ip = d.end + w->mapping.bias;
	table.u.rti.segbase = start;
	table.u.rti.table_data = f->text_address;
	table.u.rti.table_len = 1;
	f->found = true;
	f->interrupted = d.signal;
	return SEARCH(as, ip, &table, info, need, arg);
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *info, void *arg)
{
	(void)as;
	(void)info;
	(void)arg;
}

static int no_dyn_list(unw_addr_space_t as, unw_word_t *list, void *arg)
{
	(void)as;
	(void)list;
	(void)arg;
	return -UNW_ENOINFO;
}

static int no_resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t as, unw_word_t ip, char *name, size_t size, unw_word_t *offset,
		   void *arg)
{
	(void)as;
	(void)ip;
	(void)name;
	(void)size;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

struct fallback *fallback_new(void)
{
	struct fallback *f = mem_alloc(sizeof(*f));
	unw_accessors_t calls = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = no_dyn_list,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = no_resume,
		.get_proc_name = no_name,
	};

	f->space = unw_create_addr_space(&calls, 0);
	if (!f->space) {
		free(f);
		return NULL;
	}
	/* Its cache is keyed by address alone, and the next sample may be another process's. */
	unw_set_caching_policy(f->space, UNW_CACHE_NONE);
	return f;
}

void fallback_free(struct fallback *f)
{
	if (!f)
		return;
	unw_destroy_addr_space(f->space);
	free(f);
}

bool fallback_knows(enum unwind_machine machine)
{
	return machine != UNWIND_MACHINE_NONE && machine == unwind_machine_here();
}

bool fallback_start(struct fallback *f, struct walk *w)
{
	f->walk = w;
	f->text_address = 0;
	f->reads = 0;
	return unw_init_remote(&f->cursor, f->space, f) == 0;
}

static uint64_t cursor_register(struct fallback *f, unw_regnum_t number)
{
	unw_word_t value = 0;

	return unw_get_reg(&f->cursor, number, &value) < 0 ? 0 : value;
}

bool fallback_next(struct fallback *f, struct walk_place *p, enum unwind_end *end)
{
	const struct unwind_machine_regs *m = f->walk->machine;
	int moved;

	f->found = f->interrupted = false;
	moved = unw_step(&f->cursor);
	*end = moved >= 0 ? UNWIND_COMPLETE : f->found ? UNWIND_BAD_RULE : UNWIND_NO_RULE;
	if (moved <= 0)
		return false;
	p->pc = cursor_register(f, UNW_REG_IP) & m->code_mask;
	p->sp = cursor_register(f, UNW_REG_SP);
	p->fp = cursor_register(f, m->fp);
	p->lr = m->links ? cursor_register(f, m->ra) & m->code_mask : 0;
	p->exact = f->interrupted;
	p->knows_bx = false;
	if (m->bx != UNWIND_NO_REGISTER) {
		unw_word_t bx = 0;

		p->knows_bx = unw_get_reg(&f->cursor, m->bx, &bx) == 0;
		p->bx = bx;
	}
	return true;
}
