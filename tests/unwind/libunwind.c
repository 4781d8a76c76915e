/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "libunwind.h"

#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unwind/tables.h"

#define READS_MAX 65536 /* words for one sample; a stack of 127 frames takes some 3000 */

struct oracle {
	unw_addr_space_t space;
	const struct objects_space *where;
	const struct unwind_regs *regs; /* of the leaf */
	const struct unwind_stack *stack;
	const struct objects_text *text; /* of the code that was looked up last, */
	uint64_t bias;                   /* as it is mapped */
	unsigned reads;
	bool found; /* it is described */
	unw_cursor_t cursor;
};

/* The function that perf has look up code, too; a symbol of libunwind's library for this machine. */
#define SEARCH UNW_OBJ(dwarf_search_unwind_table)
extern int SEARCH(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di, unw_proc_info_t *pi,
		  int need_unwind_info, void *arg);

static bool read_word(const void *bytes, size_t size, uint64_t at, unw_word_t *word)
{
	if (size < sizeof(*word) || at > size - sizeof(*word))
		return false;
	memcpy(word, (const char *)bytes + at, sizeof(*word));
	return true;
}

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *word, int write,
		      void *arg)
{
	struct oracle *f = arg;
	const struct unwind_stack *s = f->stack;
	const struct objects_text *t = f->text;

	(void)as;
	if (write || f->reads++ >= READS_MAX)
		return -UNW_EINVAL;
	if (read_word(s->bytes, s->size, address - s->start, word))
		return 0;
	return t && read_word(t->bytes, t->size, address - f->bias - t->address, word)
		       ? 0
		       : -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t number, unw_word_t *value, int write,
		      void *arg)
{
	struct oracle *f = arg;
	const struct unwind_regs *r = f->regs;

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

/*
 * The file's own table of descriptions (LSB Core 5, 10.6.2), as linkers write it: 01 1b 03 3b, the place of
 * .eh_frame, the number of entries, and these, of eight bytes.
 */
static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info, int need,
			  void *arg)
{
	static const uint8_t encodings[] = { 0x01, 0x1b, 0x03, 0x3b };
	struct oracle *f = arg;
	struct unwind_mapping m = { .start = 0 };
	unw_dyn_info_t table;
	const char *head;
	uint32_t count;
	int failed;

	f->found = false;
	f->text = objects_find((void *)f->where, ip, &m) && m.object
			  ? objects_text(f->where->objects, space_find(f->where->space, ip)->path)
			  : NULL;
	if (!f->text)
		return -UNW_ENOINFO;
	f->bias = m.bias;
	head = f->text->bytes + (f->text->header - f->text->address);
	if (memcmp(head, encodings, sizeof(encodings)) != 0)
		return -UNW_ENOINFO;
	memcpy(&count, head + 8, sizeof(count));
	memset(&table, 0, sizeof(table));
	table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	table.start_ip = m.start;
	table.end_ip = m.end;
	table.u.rti.segbase = f->text->header + m.bias;
	table.u.rti.table_data = table.u.rti.segbase + 12;
	table.u.rti.table_len = count;
	failed = SEARCH(as, ip, &table, info, need, arg);
	f->found = !failed;
	return failed;
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

struct oracle *oracle_new(void)
{
	struct oracle *f = mem_alloc(sizeof(*f));
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
	if (!f->space)
		abort();
	/* Its cache is keyed by address alone, and the next sample may be another process's. */
	unw_set_caching_policy(f->space, UNW_CACHE_NONE);
	return f;
}

void oracle_free(struct oracle *f)
{
	if (!f)
		return;
	unw_destroy_addr_space(f->space);
	free(f);
}

static uint64_t cursor_pc(struct oracle *f)
{
	unw_word_t value = 0;

	if (unw_get_reg(&f->cursor, UNW_REG_IP, &value) < 0)
		return 0;
	return value & unwind_machine_regs[f->regs->machine].code_mask;
}

/* The code at FRAME is what a signal's handler returns to, so its caller did not call. */
static bool is_interrupting(const struct oracle *f, uint64_t address)
{
	struct unwind_mapping m;
	const struct rule *r;

	if (!objects_find((void *)f->where, address, &m) || !m.object)
		return false;
	r = unwind_object_rule(m.object, address - m.bias);
	return r->interrupted || r->kind == RULE_UCONTEXT;
}

/* Goes from the frame at ADDRESS to the next caller.  Returns false if there is none; *END then says why. */
static bool next(struct oracle *f, uint64_t address, uint64_t *frame, enum unwind_end *end)
{
	struct unwind_mapping m;
	int moved;

	f->found = false;
	moved = unw_step(&f->cursor);
	*end = moved >= 0 ? UNWIND_COMPLETE : f->found ? UNWIND_BAD_RULE : UNWIND_NO_RULE;
	*frame = moved > 0 ? cursor_pc(f) : 0;
	if (!*frame)
		return false;
	*frame += is_interrupting(f, address);
	*end = UNWIND_NOT_CODE;
	return objects_find((void *)f->where, *frame - 1, &m);
}

size_t oracle_unwind(struct oracle *f, const struct unwind_regs *regs,
		     const struct unwind_stack *stack, const struct objects_space *space,
		     uint64_t *frames, size_t max, enum unwind_end *end)
{
	size_t count = 1;

	f->where = space;
	f->regs = regs;
	f->stack = stack;
	f->text = NULL;
	f->reads = 0;
	frames[0] = regs->pc;
	*end = UNWIND_BAD_RULE;
	if (unw_init_remote(&f->cursor, f->space, f) != 0)
		return count;
	while (count < max) {
		if (!next(f, frames[count - 1] - (count > 1), &frames[count], end))
			return count;
		count++;
	}
	*end = UNWIND_LIMIT;
	return count;
}
