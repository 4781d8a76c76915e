/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "symbol/kcore.h"
#include "symbol/kernel.h"
#include "symbol/vmlinux.h"

/*
 * Input: one file that is taken for each that tells of a kernel: its core, its notes, its vmlinux, its
 * list of symbols, its list of modules.  A recording brings its own core.
 */
#define KERNEL 0xffffffff81000000u

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

static void read_core(const char *path)
{
	struct error err = { "" };
	struct object *core = kcore_open(path, &err);
	unsigned char code[256];

	if (!core != !!err.text[0])
		abort();
	for (uint64_t at = 0; core && at < 1024; at += 64) {
		if (object_read_code(core, at, code, sizeof(code)) > sizeof(code) ||
		    object_read_code(core, KERNEL + at, code, sizeof(code)) > sizeof(code))
			abort();
	}
	object_free(core);
}

static void take_module(void *context, const struct kernel_place *place)
{
	(void)context;
	if (!place->name || !place->start || place->end < place->start)
		abort();
}

static void read_lists(const char *path)
{
	struct kernel_identity k = { .release = "6.1", .hostname = "host", .reference = "_text" };
	struct kernel_place place;
	uint64_t moved;

	k.build_id = kernel_build_id(path);
	if (k.build_id.size > BUILD_ID_MAX)
		abort();
	kernel_is_running(&k, path, path, &moved);
	if (kernel_find(path, &place) && place.end < place.start)
		abort();
	kernel_each_module(path, take_module, NULL);
	kernel_modules_mark(path);
}

static void read_vmlinux(const char *path, const uint8_t *data, size_t size)
{
	struct load l = { .key = { .kind = DSO_KERNEL, .path = "[kernel]" },
			  .proc_root = "/nonexistent",
			  .debug_root = "/nonexistent",
			  .kallsyms = path };
	struct object *o = object_new_from_memory(data, size);
	struct kernel_place kernel;
	struct vmlinux_place place;

	if (o && kernel_find(path, &kernel))
		vmlinux_find_place(&l, o, &kernel, &place);
	object_free(o);
	load_fini(&l);
}

int fuzz_input(const uint8_t *data, size_t size)
{
	int fd = memfd_create("kernel", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_core(path);
	read_lists(path);
	read_vmlinux(path, data, size);
	close(fd);
	return 0;
}
