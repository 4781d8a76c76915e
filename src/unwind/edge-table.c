/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/edge-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unwind/edge.h"

#define WINDOW_BYTES 16384
#define READ_MAX (UINT64_C(128) << 20) /* bytes; as many as a browser's code */
#define INSTRUCTION 4

struct scan {
	struct edge_table *table;
	const struct cfi *cfi;
	const struct edge_text *text;
	uint64_t address; /* of the window */
	size_t count;     /* words in it */
	uint64_t read;    /* bytes so far */
	uint32_t words[WINDOW_BYTES / INSTRUCTION];
};

/* The words from ADDRESS to END, as many as fit the window.  *COUNT 0: none. */
static const uint32_t *code_at(struct scan *s, uint64_t address, uint64_t end, size_t *count)
{
	size_t at = (size_t)(address - s->address) / INSTRUCTION;
	size_t wanted = (size_t)(end - address) / INSTRUCTION;

	if (address < s->address || at >= s->count || (wanted > s->count - at && at > 0)) {
		s->address = address;
		s->count = at = 0;
		if (s->read < READ_MAX)
			s->count = s->text->read(s->text->context, address, s->words,
						 sizeof(s->words)) /
				   INSTRUCTION;
		s->read += sizeof(s->words);
	}
	*count = wanted < s->count - at ? wanted : s->count - at;
	return s->words + at;
}

static bool rule_of_edge(const struct edge *e, struct rule *r)
{
	*r = (struct rule){ .kind = RULE_STEP,
			    .cfa_base = RULE_SP,
			    .cfa_offset = (int32_t)e->size,
			    .bx_offset = RULE_BX_SAME };
	if (e->ra != EDGE_KEPT) {
		r->ra_base = RULE_SP;
		r->ra_offset = (int16_t)(e->ra / 8);
	}
	if (e->fp != EDGE_KEPT) {
		r->fp_base = RULE_SP;
		r->fp_offset = (int16_t)(e->fp / 8);
	}
	return (e->ra == EDGE_KEPT || r->ra_offset * 8 == e->ra) &&
	       (e->fp == EDGE_KEPT || r->fp_offset * 8 == e->fp);
}

/* ROW describes the frame in the same way, so what it says of the registers is also true. */
static bool is_told(const struct edge *e, const struct cfi_row *row)
{
	if (row->cfa.load)
		return false;
	return row->cfa.base == CFI_SP ? row->cfa.offset == (int64_t)e->size
				       : row->cfa.base == CFI_FP && e->fp != EDGE_KEPT;
}

static void add(struct scan *s, uint64_t address, const struct edge *e, const struct cfi_row *row)
{
	struct edge_table *t = s->table;
	struct edge_rule r = { .address = (uint32_t)(address - s->cfi->base) };

	if (is_told(e, row) || t->count >= EDGE_RULES_MAX || !rule_of_edge(e, &r.rule))
		return;
	mem_grow((void **)&t->rules, &t->capacity, t->count + 1, sizeof(*t->rules));
	t->rules[t->count++] = r;
}

/* Adds rules for the prologue up to where the description has the frame; from there it is right. */
static void add_prologue(struct scan *s, uint64_t start, const uint32_t *words, size_t count)
{
	struct edge found[EDGE_MAX];
	size_t n = edge_prologue(words, count, found);

	for (size_t i = 0; i < n; i++) {
		uint64_t address = start + i * INSTRUCTION;
		struct cfi_row row;

		if (cfi_find(s->cfi, address, &row) != CFI_FOUND)
			return;
		if (found[i].size && is_told(&found[i], &row))
			return;
		add(s, address, &found[i], &row);
	}
}

static void add_epilogues(struct scan *s, uint64_t start, const uint32_t *words, size_t count,
			  const struct cfi_row *row)
{
	struct edge found[EDGE_MAX];

	for (size_t last = 0; last < count; last++)
		for (size_t i = edge_epilogue(words, last, found); i-- > 0;)
			add(s, start + (last - i) * INSTRUCTION, &found[i], row);
}

static void add_function(struct scan *s, const struct cfi_row *row)
{
	uint64_t at = row->start;
	size_t count;

	while (row->end - at >= INSTRUCTION) {
		const uint32_t *words = code_at(s, at, row->end, &count);

		if (!count)
			return;
		if (at == row->start)
			add_prologue(s, at, words, count);
		add_epilogues(s, at, words, count, row);
		at += count * INSTRUCTION;
	}
}

/* The description ends with a frame.  A leaf's frame may have room for variables only. */
static bool tells_no_epilogue(const struct cfi_row *row)
{
	bool framed = row->cfa.base == CFI_FP || (row->cfa.base == CFI_SP && row->cfa.offset);
	bool saved = row->ra.base == CFI_CFA && row->ra.load;
	bool kept = row->ra.base == CFI_RA && !row->ra.load;

	return framed && (saved || kept) && !row->cfa.load && !row->recalls && !row->signal &&
	       row->start % INSTRUCTION == 0 && row->end > row->start;
}

/* The rest of RULE decides among several at one address, so that the order of a sort does not. */
static int compare(const void *a, const void *b)
{
	const struct edge_rule *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return memcmp(&x->rule, &y->rule, sizeof(x->rule));
}

/* Functions may overlap, and so may the edges of one. */
static void sort(struct edge_table *t)
{
	size_t count = 0;

	qsort(t->rules, t->count, sizeof(*t->rules), compare);
	for (size_t i = 0; i < t->count; i++)
		if (!count || t->rules[count - 1].address != t->rules[i].address)
			t->rules[count++] = t->rules[i];
	t->count = count;
}

void edge_table_read(struct edge_table *t, const struct cfi *c, const struct edge_text *text)
{
	struct scan *s = mem_alloc(sizeof(*s));

	s->table = t;
	s->cfi = c;
	s->text = text;
	for (size_t i = 0; i < c->count; i++) {
		struct cfi_row row;

		if (cfi_last(c, i, &row) == CFI_FOUND && tells_no_epilogue(&row))
			add_function(s, &row);
	}
	free(s);
	if (t->count)
		sort(t);
}

void edge_table_fini(struct edge_table *t)
{
	free(t->rules);
	*t = (struct edge_table){ .rules = NULL };
}
