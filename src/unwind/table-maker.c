/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/table-maker.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"

#define SAMPLES 256 /* functions whose frame pointers are looked at */
#define SMALL 48    /* bytes of code; a smaller function may be a leaf without a frame */

/*
 * Addresses at which a frame's place is computed one by one, which only a PLT asks for.  There may be 16 384
 * stubs, and ADDRESSES_FACTOR for each byte that describes the object.  Beyond that it is RULE_COMPLEX.  An expression
 * that is longer than that of a linker pays for as many addresses as it could have computed.
 */
#define ADDRESSES_MAX (1u << 18)
#define ADDRESSES_FLOOR 4096u
#define ADDRESSES_FACTOR 16u /* the bytes of a stub */
#define PLT_EXPRESSION 11u   /* bytes */

/* Numbers of rules that always exist. */
enum { NUMBER_ABSENT, NUMBER_MALFORMED, NUMBER_COMPLEX, NUMBERS };

struct maker {
	struct unwind_made *made;
	const struct unwind_source *source;
	size_t rule_capacity, start_capacity, number_capacity;
	struct index by_rule;
	uint64_t seed;
	uint16_t begins;         /* UNWIND_BEGINS until a row has it; or 0 */
	size_t edge;             /* the next one */
	uint64_t done;           /* the rows up to here are made; from the object's base, as */
	uint64_t end;            /* where the next description begins */
	size_t expression_bytes; /* that may still be run for addresses one by one */
	bool full;
};

static void add_row(struct maker *m, uint64_t start, uint16_t number)
{
	struct unwind_made *made = m->made;
	uint32_t rows = made->head.rows;

	if (!m->begins && rows && (made->numbers[rows - 1] & ~UNWIND_BEGINS) == number)
		return;
	if (rows == UNWIND_ROWS_MAX) {
		m->full = true;
		return;
	}
	mem_grow((void **)&made->starts, &m->start_capacity, rows + 1u, sizeof(*made->starts));
	mem_grow((void **)&made->numbers, &m->number_capacity, rows + 1u, sizeof(*made->numbers));
	made->starts[rows] = (uint32_t)start;
	made->numbers[rows] = number | m->begins;
	made->head.rows++;
	m->begins = 0;
}

static uint64_t hash_of(const struct maker *m, const struct rule *r)
{
	uint64_t halves[2];

	memcpy(halves, r, sizeof(halves));
	return hash_u64(hash_u64(halves[0] ^ m->seed) ^ halves[1]);
}

static void grow_index(struct maker *m)
{
	index_reset(&m->by_rule, m->made->head.rules * 2 + 64);
	for (uint32_t i = 0; i < m->made->head.rules; i++)
		index_enter_new(&m->by_rule, hash_of(m, &m->made->rules[i]), i + 1);
}

/* The number of rule R, which is new or not.  Beyond UNWIND_RULES_MAX there is no rule for such code. */
static uint16_t number_of(struct maker *m, const struct rule *r)
{
	struct unwind_made *made = m->made;
	struct index_place at;

	if (index_full(&m->by_rule, made->head.rules))
		grow_index(m);
	at = index_first(&m->by_rule, hash_of(m, r));
	while (at.number && memcmp(&made->rules[at.number - 1], r, sizeof(*r)) != 0)
		index_next(&m->by_rule, &at);
	if (at.number)
		return (uint16_t)(at.number - 1);
	if (made->head.rules == UNWIND_RULES_MAX)
		return NUMBER_COMPLEX;
	mem_grow((void **)&made->rules, &m->rule_capacity, made->head.rules + 1u,
		 sizeof(*made->rules));
	made->rules[made->head.rules] = *r;
	index_enter(&m->by_rule, &at, ++made->head.rules);
	return (uint16_t)(made->head.rules - 1);
}

/* Adds [START, END), with the edges' rules at the instructions that have one. */
static void add_range(struct maker *m, uint64_t start, uint64_t end, uint16_t number)
{
	const struct edge_table *e = &m->source->edges;

	while (m->edge < e->count && e->rules[m->edge].address < start)
		m->edge++;
	for (; m->edge < e->count && e->rules[m->edge].address < end; m->edge++) {
		uint64_t at = e->rules[m->edge].address;

		if (start < at)
			add_row(m, start, number);
		add_row(m, at, number_of(m, &e->rules[m->edge].rule));
		start = at + 1;
	}
	if (start < end)
		add_row(m, start, number);
}

/* The place that has ADDRESS, or NULL.  *END is made the first address that may be different. */
static const struct unwind_place *place_at(const struct unwind_source *s, uint64_t address,
					   uint64_t *end)
{
	for (size_t i = 0; i < s->place_count; i++) {
		const struct unwind_place *p = &s->places[i];
		bool before = address < p->address;
		uint64_t change = before ? p->address : p->address + p->size;

		if (!p->size || (!before && address - p->address >= p->size))
			continue;
		if (change > address && change < *end)
			*end = change;
		if (!before)
			return p;
	}
	return NULL;
}

static uint16_t begin_mark(const struct maker *m)
{
	return unwind_machine_regs[m->made->head.machine].links ? UNWIND_BEGINS : 0;
}

/* Adds all up to END, which nothing describes. */
static void add_absent(struct maker *m, uint64_t end)
{
	uint64_t base = m->source->cfi.base;

	while (m->done < end) {
		uint64_t stop = base + end;
		const struct unwind_place *p = place_at(m->source, base + m->done, &stop);

		m->begins = begin_mark(m);
		stop -= base;
		add_range(m, m->done, stop, p ? number_of(m, &p->rule) : NUMBER_ABSENT);
		m->done = stop;
	}
}

static void add_described(struct maker *m, uint64_t start, uint64_t end, const struct cfi_row *row,
			  const struct cfi_value *cfa)
{
	const struct rule r = rule_of_row(row, cfa, m->made->head.machine);

	add_range(m, start, end, number_of(m, &r));
}

/* Adds [START, END), where the frame's address is another at each address. */
static void add_one_by_one(struct maker *m, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	const struct cfi *c = &m->source->cfi;
	const size_t left = row->by_address.left,
		     each = left > PLT_EXPRESSION ? left : PLT_EXPRESSION;

	for (; start < end && m->expression_bytes >= each; start++, m->expression_bytes -= each) {
		const struct cfi_value cfa = cfi_row_cfa(c, row, c->base + start);

		add_described(m, start, start + 1, row, &cfa);
	}
	if (start < end)
		add_range(m, start, end, NUMBER_COMPLEX);
}

/* A cfi_receive.  The next description may be of a part of this one's code. */
static bool take_row(void *context, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct maker *m = context;
	uint64_t base = m->source->cfi.base;

	start -= base;
	end = end - base < m->end ? end - base : m->end;
	if (!row)
		add_range(m, start, end, NUMBER_MALFORMED);
	else if (row->by_address.left)
		add_one_by_one(m, start, end, row);
	else
		add_described(m, start, end, row, &row->cfa);
	m->done = end;
	return end < m->end && !m->full;
}

static void add_all(struct maker *m)
{
	const struct cfi *c = &m->source->cfi;
	uint64_t left = UINT64_MAX - c->base;
	uint64_t last = left < UINT32_MAX ? left : UINT64_C(1) << 32;

	for (size_t i = 0; i < c->count && !m->full; i++) {
		uint64_t start = cfi_start(c, i) - c->base;

		m->end = i + 1 < c->count ? cfi_start(c, i + 1) - c->base : last;
		if (start >= m->end) /* the next one is of the same code */
			continue;
		add_absent(m, start);
		m->begins = begin_mark(m);
		cfi_run(c, i, take_row, m);
	}
	add_absent(m, last);
}

static size_t addresses_of(const struct cfi *c)
{
	size_t bytes = c->section[0].size + c->section[1].size;

	return bytes < ADDRESSES_MAX / ADDRESSES_FACTOR ? ADDRESSES_FLOOR + bytes * ADDRESSES_FACTOR
							: ADDRESSES_MAX;
}

/* True if the code sets up a frame pointer or, on aarch64, a frame record: x29 below x30. */
static bool row_keeps_fp(const struct cfi_row *row, enum unwind_machine machine)
{
	if (machine == UNWIND_X86_64)
		return row->cfa.base == CFI_FP && !row->cfa.load && row->cfa.offset == 16;
	return row->fp.base == CFI_CFA && row->fp.load && row->ra.base == CFI_CFA && row->ra.load &&
	       row->ra.offset == row->fp.offset + 8;
}

static int percent_of_samples(const struct cfi *c)
{
	size_t step = c->count / SAMPLES + 1, seen = 0, keeps = 0;

	for (size_t i = step / 2; i < c->count; i += step) {
		struct cfi_row row;

		if (cfi_middle(c, i, &row) != CFI_FOUND || row.end - row.start < SMALL ||
		    row.signal)
			continue;
		/* A leaf of aarch64 keeps its caller's frame, so it proves nothing. */
		if (row.ra.base == CFI_RA || row.ra.base == CFI_NOWHERE)
			continue;
		seen++;
		keeps += row_keeps_fp(&row, c->machine);
	}
	return seen ? (int)(keeps * 100 / seen) : -1;
}

bool unwind_made_init(struct unwind_made *made, const struct unwind_source *s)
{
	static const uint8_t kinds[NUMBERS] = { [NUMBER_ABSENT] = RULE_ABSENT,
						[NUMBER_MALFORMED] = RULE_MALFORMED,
						[NUMBER_COMPLEX] = RULE_COMPLEX };
	struct maker m = { .made = made,
			   .source = s,
			   .seed = hash_seed(),
			   .expression_bytes = PLT_EXPRESSION * addresses_of(&s->cfi) };

	*made = (struct unwind_made){ .head = { .magic = UNWIND_BLOCK_MAGIC,
						.base = s->cfi.base,
						.functions = s->cfi.count,
						.machine = s->cfi.machine,
						.fp_percent = percent_of_samples(&s->cfi),
						.segments = (uint32_t)s->segment_count },
				      .segments = s->segments };
	for (unsigned i = 0; i < NUMBERS; i++)
		number_of(&m, &(struct rule){ .kind = kinds[i] & 0xf });
	add_all(&m);
	index_fini(&m.by_rule);
	if (m.full)
		unwind_made_fini(made);
	return !m.full;
}

void unwind_made_fini(struct unwind_made *m)
{
	mem_free(m->rules, m->starts, m->numbers);
	*m = (struct unwind_made){ .starts = NULL };
}

size_t unwind_made_bytes(const struct unwind_made *m)
{
	return unwind_parts_of(&m->head).end;
}

static void put(char *at, const void *from, size_t size)
{
	if (size)
		memcpy(at, from, size);
}

void unwind_made_write(char *at, const void *context)
{
	const struct unwind_made *m = context;
	struct unwind_parts p = unwind_parts_of(&m->head);

	put(at, &m->head, sizeof(m->head));
	put(at + p.segments, m->segments, p.rules - p.segments);
	put(at + p.rules, m->rules, p.starts - p.rules);
	put(at + p.starts, m->starts, p.numbers - p.starts);
	put(at + p.numbers, m->numbers, p.end - p.numbers);
}

struct unwind_object *unwind_source_object(const struct unwind_source *s)
{
	struct unwind_object *o = NULL;
	struct unwind_made m;
	char *at;

	if (!unwind_made_init(&m, s))
		return NULL;
	at = malloc(unwind_made_bytes(&m));
	if (at) {
		unwind_made_write(at, &m);
		o = unwind_object_of_block(at, unwind_made_bytes(&m));
	}
	unwind_made_fini(&m);
	return o;
}

void unwind_source_fini(struct unwind_source *s)
{
	cfi_fini(&s->cfi);
	edge_table_fini(&s->edges);
	mem_free(s->segments, s->owned[0], s->owned[1]);
	*s = (struct unwind_source){ .segments = NULL };
}
