/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "symbol/object.h"
#include "symbol/srcline.h"

#define CODE_END 0x400 /* the seeds' code is in front of it */

/*
 * Units that the compiler left in a file of their own.  The input is both files in one: the
 * program, whose skeletons name x.dwo, and the files beside it.  Its sections of either kind
 * (.debug_info.dwo, .debug_cu_index) are found as x.dwp and as x.dwo.  The files are links to
 * memory.
 */
static struct {
	int fd; /* of the memory */
	char directory[32], path[64];
} program;

static void clean_up(void)
{
	static const char *const suffixes[] = { ".dwo", ".dwp" };
	char path[80];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(path, sizeof(path), "%s%s", program.path, suffixes[i]);
		unlink(path);
	}
	rmdir(program.directory);
}

static void link_suffix(const char *suffix)
{
	char path[80], memory[64];

	snprintf(path, sizeof(path), "%s%s", program.path, suffix);
	snprintf(memory, sizeof(memory), "/proc/%d/fd/%d", (int)getpid(), program.fd);
	if (symlink(memory, path))
		abort();
}

static void set_up(void)
{
	snprintf(program.directory, sizeof(program.directory), "/tmp/fuzz-split-XXXXXX");
	program.fd = memfd_create("split", MFD_CLOEXEC);
	if (program.fd < 0 || !mkdtemp(program.directory))
		abort();
	snprintf(program.path, sizeof(program.path), "%s/x", program.directory);
	atexit(clean_up);
	link_suffix(".dwo");
	link_suffix(".dwp");
}

static void write_input(const uint8_t *data, size_t size)
{
	if (!*program.path)
		set_up();
	if (ftruncate(program.fd, 0) || pwrite(program.fd, data, size, 0) != (ssize_t)size)
		abort();
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = program.path },
			  .proc_root = "/nonexistent",
			  .debug_root = "/nonexistent",
			  .kallsyms = "" };
	struct srcline_frame frames[SRCLINE_DEPTH_MAX];
	struct srcline *s;

	l.object = object_new_from_memory(data, size);
	if (!l.object)
		return 0;
	write_input(data, size);
	s = srcline_open(&l);
	for (uint64_t address = 0; s && address < CODE_END; address += 3) {
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
