/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attack KIND FOLDER: what a hostile program does to a profiler, for as long as stdin is open.
 *
 *   paths    maps a file ever again under new names of 3 KiB, and runs in it
 *   names    writes a perf map of functions with names of 8 KiB, and runs in each of them
 *   maps N   has N mappings, in sixteen processes that run
 */
#include "workload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PARTS 12
#define PART_BYTES 250
#define FUNCTIONS 4096u
#define FUNCTION_BYTES 64u
#define ROUNDS 100000

/* A loop that counts its argument down. */
#if defined(__x86_64__)
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const uint32_t loop[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#else
static const unsigned char loop[1];
#endif

static void run(void *code)
{
	void (*function)(uint64_t) = (void (*)(uint64_t))(uintptr_t)code;

	if (sizeof(loop) > 1)
		function(ROUNDS);
}

static int over(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char byte;

	return poll(&in, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* The folder in which the path is long. */
static void go_deep(const char *folder)
{
	char part[PART_BYTES + 1];

	memset(part, 'd', PART_BYTES);
	part[PART_BYTES] = '\0';
	if (chdir(folder) < 0)
		fail(folder);
	for (int i = 0; i < PARTS; i++) {
		if ((mkdir(part, 0700) < 0 && errno != EEXIST) || chdir(part) < 0)
			fail("a long path");
	}
}

static void new_paths(const char *folder)
{
	char before[32] = "file", after[32];
	int fd;

	go_deep(folder);
	fd = open(before, O_RDWR | O_CREAT, 0700);
	if (fd < 0 || write(fd, loop, sizeof(loop)) < 0 || ftruncate(fd, 4096) < 0)
		fail(before);
	close(fd);
	for (unsigned i = 0; i % 64 || !over(); i++) {
		void *code;

		snprintf(after, sizeof(after), "%u", i);
		if (rename(before, after) < 0 || (fd = open(after, O_RDONLY)) < 0)
			fail(after);
		code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		close(fd);
		if (code == MAP_FAILED)
			fail("mmap");
		if (i % 8 == 0)
			run(code);
		munmap(code, 4096);
		memcpy(before, after, sizeof(before));
	}
	unlink(before);
}

/* The map ends with the program; each round has new names. */
static void long_names(void)
{
	char path[64], name[8192];
	unsigned char *code =
		mmap(NULL, FUNCTIONS * FUNCTION_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map;

	if (code == MAP_FAILED)
		fail("mmap");
	for (unsigned i = 0; i < FUNCTIONS; i++)
		memcpy(code + i * FUNCTION_BYTES, loop, sizeof(loop));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (unsigned round = 0; !over(); round++) {
		map = fopen(path, "a");
		if (!map)
			fail(path);
		for (unsigned i = 0; i < FUNCTIONS && ftell(map) < 200 << 20; i++) {
			fprintf(map, "%lx %x %u_%u_%s\n",
				(unsigned long)(code + i * FUNCTION_BYTES), FUNCTION_BYTES, round,
				i, name);
			if (i % 64 == 0)
				fflush(map);
		}
		fclose(map);
		for (unsigned i = 0; i < FUNCTIONS && !over(); i++)
			run(code + i * FUNCTION_BYTES);
	}
	unlink(path);
}

static void many_maps(unsigned count)
{
	for (unsigned i = 0; i < count; i++) { /* of two kinds, so that they do not merge */
		int flags = MAP_PRIVATE | MAP_ANONYMOUS;

		if (mmap(NULL, 4096, i % 2 ? PROT_READ | PROT_EXEC : PROT_EXEC, flags, -1, 0) ==
		    MAP_FAILED)
			break;
	}
}

static void many_processes(unsigned count)
{
	pid_t children[16];

	many_maps(count);
	for (int i = 0; i < 16; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			burn(1000000);
			usleep(1000);
		}
	}
	while (!over())
		usleep(10000);
	for (int i = 0; i < 16; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	if (!strcmp(kind, "paths"))
		new_paths(argv[2]);
	else if (!strcmp(kind, "names"))
		long_names();
	else if (!strcmp(kind, "maps"))
		many_processes((unsigned)atoi(argv[2]));
	else
		return 2;
	return 0;
}
