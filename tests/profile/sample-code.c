/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sample-code.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NO_LINE 255u

static const struct {
	uint32_t line;
	const char *text;
} lines[] = {
	{ 11, "int hot_a(const struct row *r, size_t count)" },
	{ 13, "int sum = 0;" },
	{ 15, "for (size_t i = 0; i < count; i++) {" },
	{ 16, "for (int at = r[i].first; at; at = next[at])" },
	{ 17, "sum += value[at] * r[i].weight;\t/* \033[31m */" },
	{ 18, "if (sum > LIMIT)" },
	{ 19, "r[i].name = malloc(sum);" },
	{ 21, NULL },
	{ 22, "}" },
};

static const struct {
	uint8_t size, flow, line;
	uint8_t share; /* of 128 */
	uint32_t target;
	const char *text;
} instructions[] = {
	{ 1, CODE_NEXT, 0, 0, 0, "pushq %rbp" },
	{ 3, CODE_NEXT, 0, 0, 0, "movq %rsp, %rbp" },
	{ 2, CODE_NEXT, 1, 1, 0, "xorl %eax, %eax" },
	{ 3, CODE_NEXT, 2, 0, 0, "testq %rsi, %rsi" },
	{ 2, CODE_BRANCH, 2, 0, 0x401145, "je 0x401145" },
	{ 3, CODE_NEXT, 2, 0, 0, "xorl %ecx, %ecx" },
	{ 3, CODE_NEXT, 3, 2, 0, "movl (%rdi, %rcx, 8), %edx" },
	{ 2, CODE_NEXT, 3, 1, 0, "testl %edx, %edx" },
	{ 2, CODE_BRANCH, 3, 3, 0x40112b, "je 0x40112b" },
	{ 3, CODE_NEXT, 3, 2, 0, "nop" },
	{ 3, CODE_NEXT, 4, 12, 0, "movl value(, %rdx, 4), %r8d" }, /* SAMPLE_CODE_LOOP */
	{ 3, CODE_NEXT, 4, 3, 0, "imull 4(%rdi, %rcx, 8), %r8d" },
	{ 3, CODE_NEXT, 4, 9, 0, "addl %r8d, %eax" },
	{ 5, CODE_NEXT, 3, 61, 0, "movl next(, %rdx, 4), %edx" }, /* SAMPLE_CODE_HOT */
	{ 2, CODE_NEXT, 3, 12, 0, "testl %edx, %edx" },
	{ 2, CODE_BRANCH, 3, 9, 0x401118, "jne 0x401118" }, /* SAMPLE_CODE_JUMP */
	{ 1, CODE_NEXT, NO_LINE, 0, 0, ".byte 0x06" },
	{ 5, CODE_NEXT, 5, 3, 0, "cmpl $0x1000, %eax" },
	{ 1, CODE_NEXT, 5, 0, 0, "nop" },
	{ 5, CODE_CALL, 6, 1, 0x401040, "callq 0x401040 <mal\033[2Jloc>" }, /* SAMPLE_CODE_CALL */
	{ 4, CODE_NEXT, 6, 0, 0, "movq %rax, (%rdi)" },
	{ 3, CODE_NEXT, 2, 5, 0, "addq $1, %rcx" },
	{ 3, CODE_NEXT, 2, 1, 0, "cmpq %rcx, %rsi" },
	{ 5, CODE_BRANCH, 2, 2, 0x40110e, "jne 0x40110e" },
	{ 1, CODE_NEXT, 7, 1, 0, "popq %rbp" },
	{ 1, CODE_RETURN, 8, 0, 0, "retq" },
};

static uint32_t frame_called(const struct snapshot *s, const char *name)
{
	for (uint32_t i = FRAME_REST + 1; i < frame_table_count(s->frames); i++) {
		if (!strcmp(frame_raw_symbol(s->frames, i), name))
			return i;
	}
	return FRAME_NONE;
}

static struct code *make_code(const struct snapshot *s)
{
	struct code *c = code_new();
	uint64_t at = SAMPLE_CODE_START;

	c->start = at;
	c->line_count = COUNT(lines);
	c->lines = mem_array(COUNT(lines), sizeof(*c->lines));
	for (size_t i = 0; i < COUNT(lines); i++) {
		char label[32];

		snprintf(label, sizeof(label), "load.c:%u", lines[i].line);
		c->lines[i] = (struct code_line){ "/tmp/load.c", lines[i].line,
						  strtab_add(c->texts, label), lines[i].text };
	}
	c->instruction_count = COUNT(instructions);
	c->instructions = mem_array(COUNT(instructions), sizeof(*c->instructions));
	for (size_t i = 0; i < COUNT(instructions); i++) {
		uint8_t line = instructions[i].line;

		c->instructions[i] = (struct code_instruction){
			.address = at,
			.target = instructions[i].target,
			.text = instructions[i].text,
			.size = instructions[i].size,
			.flow = instructions[i].flow,
			.line = line == NO_LINE ? CODE_NO_LINE : line,
			.callee = instructions[i].flow == CODE_CALL ? frame_called(s, "malloc") : 0,
		};
		at += instructions[i].size;
	}
	c->size = at - c->start;
	return c;
}

/* The share of each instruction, of one cell of the function; counters that differ by line. */
static void add_cell(struct snapshot *s, const struct snapshot_cell *c)
{
	struct snapshot_function *f = &s->function;
	uint64_t at = SAMPLE_CODE_START;

	for (size_t i = 0; i < COUNT(instructions); at += instructions[i++].size) {
		struct snapshot_address *a = &f->addresses[f->address_count];
		double *values = f->values + f->address_count * s->event_count;

		if (!instructions[i].share)
			continue;
		*a = (struct snapshot_address){ *c, at };
		a->cell.samples = c->samples * instructions[i].share / 128;
		a->cell.period = c->period * instructions[i].share / 128;
		a->cell.counters = values;
		for (size_t e = 0; e < s->event_count; e++)
			values[e] = (double)(1 + e + i % 4) * instructions[i].share;
		f->address_count++;
	}
}

void sample_code(struct snapshot *s, bool code)
{
	struct snapshot_function *f = &s->function;
	size_t most = s->cell_count * COUNT(instructions);

	f->frame = frame_called(s, "hot_a");
	f->start = SAMPLE_CODE_START;
	f->end = SAMPLE_CODE_START + 0x47;
	f->addresses = mem_array(most, sizeof(*f->addresses));
	f->values = mem_array(most * s->event_count, sizeof(*f->values));
	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].frame == f->frame)
			add_cell(s, &s->cells[i]);
	}
	if (code)
		f->code = make_code(s);
	else
		f->missing = "made while it ran, and in no file: addresses alone";
}
