/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * turnover libraries|map SECONDS FOLDER: code that comes and goes.
 *
 *   libraries   loads FOLDER/plugin-a.so, runs plugin_a in it, unloads it; then the same with plugin-b.so, for a third of
 *               the time.  Both mostly come to lie at the same address.
 *   map         runs jit_hot, and jit_warm for a third of the time, which are in no file.  Its perf map has both, and
 *               2000 others that are elsewhere in each edition.  It is written anew all the time.
 *
 * Both say "done turns=N".
 */
#include "loop.h"
#include "workload.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <sys/mman.h>

#define ROUNDS 500000u
#define OTHERS 2000
#define EDITION_TURNS 16
#define PAGE 4096

typedef void function(uint64_t n);

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void run_library(const char *folder, const char *file, const char *name, uint64_t n)
{
	char path[4096];
	void *library;
	function *f;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	f = library ? (function *)(uintptr_t)dlsym(library, name) : NULL;
	if (!f) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	f(n);
	dlclose(library);
}

static void library_turn(const char *folder, unsigned turn)
{
	(void)turn;
	run_library(folder, "plugin-a.so", "plugin_a", 3 * ROUNDS);
	run_library(folder, "plugin-b.so", "plugin_b", ROUNDS);
}

/* "7f0000000000 6 jit_hot".  In each edition the two are elsewhere among the others. */
static void write_map(const char *code, unsigned edition)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		fail(path);
	for (unsigned i = 0; i < OTHERS; i++) {
		if (i == edition * 7 % OTHERS)
			fprintf(f, "%lx %zx jit_hot\n", (unsigned long)code, sizeof(loop));
		if (i == edition * 13 % OTHERS)
			fprintf(f, "%lx %zx jit_warm\n", (unsigned long)code + PAGE, sizeof(loop));
		fprintf(f, "%lx 40 gone_%u_%u\n",
			(unsigned long)code + (2 + edition % 8) * PAGE * 64ul + i * 64ul, edition,
			i);
	}
	fclose(f);
}

static char *code_new(void)
{
	char *code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		fail("mmap");
	memcpy(code, loop, sizeof(loop));
	memcpy(code + PAGE, loop, sizeof(loop));
	__builtin___clear_cache(code, code + 2 * PAGE);
	return code;
}

static void map_turn(const char *code, unsigned turn)
{
	if (turn % EDITION_TURNS == 0)
		write_map(code, turn / EDITION_TURNS);
	((function *)(uintptr_t)code)(3 * ROUNDS);
	((function *)(uintptr_t)(code + PAGE))(ROUNDS);
}

int main(int argc, char **argv)
{
	const bool libraries = argc > 3 && !strcmp(argv[1], "libraries");
	const char *with = libraries ? argv[3] : sizeof(loop) > 1 ? code_new() : NULL;
	double end_s = number_argument(argc, argv, 2, 10);
	unsigned turns = 0;

	if (!with) {
		fprintf(stderr, "usage: turnover libraries|map SECONDS FOLDER\n");
		return 2;
	}
	wait_go();
	for (end_s += clock_s(CLOCK_MONOTONIC); clock_s(CLOCK_MONOTONIC) < end_s; turns++)
		(libraries ? library_turn : map_turn)(with, turns);
	printf("done turns=%u\n", turns);
	wait_end();
	return 0;
}
