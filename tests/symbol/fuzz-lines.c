/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "symbol/kmodule.h"
#include "symbol/object.h"
#include "symbol/srcline.h"

/* The debugging information of a file, which is whatever the input says; of a relocatable one, too. */
const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = "/nonexistent/directory/file" },
			  .proc_root = "/nonexistent",
			  .debug_root = "/nonexistent",
			  .kallsyms = "" };
	struct kmodule_section text = { ".text", 0x40 };
	const struct kmodule module = { .section_count = 1, .sections = &text };
	struct srcline_frame frames[SRCLINE_DEPTH_MAX];
	struct srcline *s;

	l.object = object_new_from_memory(data, size);
	if (!l.object)
		return 0;
	l.module = &module;
	s = srcline_open(&l);
	for (uint64_t address = 0; s && address < 0x2000; address += 61) {
		size_t count = srcline_find(s, address, frames, SRCLINE_DEPTH_MAX);

		if (count > SRCLINE_DEPTH_MAX)
			abort();
		for (size_t i = 0; i + 1 < count; i++)
			if (!frames[i].inlined)
				abort();
	}
	srcline_close(s);
	load_fini(&l);
	return 0;
}
