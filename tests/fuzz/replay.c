/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * main() of a fuzz target that is not linked with libFuzzer.  It runs every file of the directories
 * that are its arguments, or of its own corpus: whole, cut at every byte, and with each byte
 * damaged.  A file that takes long is cut and damaged at fewer places.
 */
#define INPUT_MAX 65536
#define HANG_S 300     /* an input that ends no more */
#define STEPS_MAX 1024 /* cuts and damages of one file */
#define VARIANTS_S 10  /* about the CPU time of them all */

/* A copy of just that size, so that a sanitizer sees what is read behind it. */
static void run(const unsigned char *data, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	alarm(HANG_S);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

static void run_variants(unsigned char *data, size_t size)
{
	static const unsigned char damage[] = { 0x01, 0x80, 0xff };
	size_t steps, step;
	clock_t before;

	run(data, size); /* the first run of a program takes longer */
	before = clock();
	run(data, size);
	steps = VARIANTS_S * (size_t)CLOCKS_PER_SEC / (1 + sizeof(damage)) /
		((size_t)(clock() - before) + 1);
	step = size / (steps < STEPS_MAX ? steps + 1 : STEPS_MAX) + 1;
	for (size_t i = 0; i < size; i += step) {
		run(data, i);
		for (size_t j = 0; j < sizeof(damage); j++) {
			data[i] ^= damage[j];
			run(data, size);
			data[i] ^= damage[j];
		}
	}
}

static bool run_file(const char *path)
{
	static unsigned char data[INPUT_MAX];
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f)
		return false;
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	run_variants(data, size);
	return true;
}

/* The number of files that were run; -1 when the directory cannot be read. */
static int run_directory(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[4096];
	int count = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			count += run_file(file);
	}
	closedir(dir);
	return count;
}

static int replay(const char *path)
{
	int count = run_directory(path);

	if (count > 0)
		printf("%s: %d inputs\n", path, count);
	else
		fprintf(stderr, "%s: no inputs\n", path);
	return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	const char *source = getenv("abs_srcdir");
	char path[4096];

	if (argc < 2) {
		snprintf(path, sizeof(path), "%s/tests/corpus/" FUZZ_CORPUS, source ? source : ".");
		return replay(path);
	}
	for (int i = 1; i < argc; i++) {
		if (replay(argv[i]) != EXIT_SUCCESS)
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
