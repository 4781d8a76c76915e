/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "python-memory.h"

#define TID 41 /* that of the seeds */
#define READS_MAX 10000u

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

static void read_code(const struct python_runtime *r, const struct python_memory *m, uint64_t at)
{
	struct python_code code;
	char text[PYTHON_TEXT + 1];

	if (!python_code_read(r, m, at, &code))
		return;
	if (code.end <= code.start)
		abort();
	if (python_text_read(r, m, code.name, text) && strlen(text) > PYTHON_TEXT)
		abort();
}

/* The input is all memory of a process. */
int fuzz_input(const uint8_t *data, size_t size)
{
	static struct memory memory;
	static struct python_stack stack;
	const struct python_memory m = { memory_read, &memory };
	struct python_evaluator e;
	struct python_runtime r;

	memory.size = size < MEMORY_BYTES ? size : MEMORY_BYTES;
	memory.reads = 0;
	if (memory.size)
		memcpy(memory.bytes, data, memory.size);
	if (python_evaluator_find(&e, &m, MEMORY_BASE) && e.part.end <= e.part.start)
		abort();
	if (python_find(&r, &m, MEMORY_BASE) != PYTHON_OK)
		return 0;
	python_stack_read(&r, &m, python_thread(&r, &m, TID), TID, &stack);
	for (size_t i = 0; i < stack.frame_count; i++)
		read_code(&r, &m, stack.frames[i].code);
	if (memory.reads > READS_MAX)
		abort();
	return 0;
}
