/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attack KIND FOLDER|N: what a hostile program does to a profiler, for as long as stdin is open.
 *
 *   paths FOLDER     maps a file ever again under new names of 3 KiB, and runs in it
 *   names N          writes a perf map of N functions with names of 8 KiB, and runs in each of them, ever again
 *   symbols N        the same with N functions of short names, once
 *   maps N           has N mappings, in sixteen processes that run
 *   processes N      has N processes that wake up now and then
 *   threads N        has N threads that do
 *   forks N          starts and ends processes, N of them at a time
 *   objects FOLDER   runs in ever new copies of itself
 *   stacks N         calls N functions of its own in every order, 48 deep
 *   comms N          has N threads that call themselves otherwise all the time
 *   all FOLDER       all of it at once
 */
#include "loop.h"
#include "workload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PARTS 12
#define PART_BYTES 250
#define FUNCTION_BYTES 64u
#define ROUNDS 100000
#define MAP_BYTES (200 << 20)

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

/* Runs WORK in a child, which ends with this process. */
static pid_t in_child(void (*work)(const char *), const char *argument)
{
	pid_t parent = getpid(), child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		work(argument);
	_exit(0);
}

static void wait_for_end(void)
{
	while (!over())
		usleep(10000);
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

/* COUNT functions, one behind the other. */
static unsigned char *functions_new(unsigned count)
{
	unsigned char *code =
		mmap(NULL, (size_t)count * FUNCTION_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		fail("mmap");
	for (unsigned i = 0; i < count; i++)
		memcpy(code + (size_t)i * FUNCTION_BYTES, loop, sizeof(loop));
	return code;
}

/* They run after each part of the map, so that some of it is read early. */
static void name_and_run(FILE *map, unsigned char *code, unsigned count, unsigned round,
			 const char *name)
{
	for (unsigned i = 0; i < count && ftell(map) < MAP_BYTES; i++) {
		unsigned char *function = code + (size_t)i * FUNCTION_BYTES;

		fprintf(map, "%lx %x %u_%u_%s\n", (unsigned long)(uintptr_t)function,
			FUNCTION_BYTES, round, i, name);
		if (i % 64 == 0)
			fflush(map);
	}
	fflush(map);
	for (unsigned i = 0; i < count && !over(); i++)
		run(code + (size_t)i * FUNCTION_BYTES);
}

/* The map ends with the program; each round has new names. */
static void jit(unsigned count, size_t name_bytes, unsigned rounds)
{
	unsigned char *code = functions_new(count);
	char path[64], name[8192];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	memset(name, 'n', name_bytes);
	name[name_bytes] = '\0';
	for (unsigned round = 0; round < rounds && !over(); round++) {
		map = fopen(path, "a");
		if (!map)
			fail(path);
		name_and_run(map, code, count, round, name);
		fclose(map);
	}
	while (!over())
		for (unsigned i = 0; i < count && !over(); i++)
			run(code + (size_t)i * FUNCTION_BYTES);
	unlink(path);
}

static void long_names(const char *count)
{
	jit((unsigned)atoi(count), 8191, UINT32_MAX);
}

static void many_symbols(const char *count)
{
	jit((unsigned)atoi(count), 16, 1);
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

static void run_now_and_then(const char *pause_us)
{
	while (!over()) {
		burn(100000);
		usleep((useconds_t)atoi(pause_us));
	}
}

static void mapped_processes(const char *count)
{
	many_maps((unsigned)atoi(count));
	for (int i = 0; i < 16; i++)
		in_child(run_now_and_then, "1000");
	wait_for_end();
}

static void many_processes(const char *count)
{
	for (int i = 0; i < atoi(count); i++)
		if (in_child(run_now_and_then, "3000000") < 0)
			break;
	wait_for_end();
}

static void *thread_main(void *rename)
{
	char name[16];

	for (unsigned i = 0; !over(); i++) {
		snprintf(name, sizeof(name), "%x%lx", i, (unsigned long)(uintptr_t)&name >> 12);
		if (rename)
			prctl(PR_SET_NAME, name);
		burn(1000);
		usleep(rename ? 1000 : 3000000);
	}
	return NULL;
}

static void threads(const char *count, void *rename)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < atoi(count); i++)
		if (pthread_create(&thread, &small, thread_main, rename))
			break;
	wait_for_end();
}

static void many_threads(const char *count)
{
	threads(count, NULL);
}

static void many_comms(const char *count)
{
	threads(count, "");
}

static void forks(const char *count)
{
	int running = 0;

	while (!over()) {
		pid_t child = fork();

		if (!child) {
			burn(10000);
			_exit(0);
		}
		running += child > 0;
		while (running >= atoi(count) && waitpid(-1, NULL, 0) > 0)
			running--;
	}
}

/* It needs nothing but registers, so that it runs in any copy of its file. */
HOT static void copied(uint64_t n)
{
	burn(n);
}

/* Where FUNCTION is in our file: "555555555000-555555557000 r-xp 00001000 fe:00 131 /…/attack". */
static size_t file_offset(uintptr_t function)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset;
	char line[8192];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    function >= start && function < end) {
			fclose(maps);
			return function - start + offset;
		}
	fail("/proc/self/maps");
	return 0;
}

static void run_copy(const char *path, const void *bytes, size_t size, size_t offset)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0700);
	unsigned char *code;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		fail(path);
	close(fd);
	fd = open(path, O_RDONLY);
	code = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (code == MAP_FAILED)
		fail("mmap");
	((void (*)(uint64_t))(uintptr_t)(code + offset))(1000000);
	munmap(code, size);
	unlink(path);
}

static void many_objects(const char *folder)
{
	int self = open("/proc/self/exe", O_RDONLY);
	off_t size = lseek(self, 0, SEEK_END);
	void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, self, 0);
	size_t offset = file_offset((uintptr_t)copied);
	char path[4096];

	if (bytes == MAP_FAILED)
		fail("/proc/self/exe");
	for (unsigned i = 0; !over(); i++) {
		snprintf(path, sizeof(path), "%s/object-%d-%u", folder, (int)getpid(), i);
		run_copy(path, bytes, (size_t)size, offset);
	}
}

/* Ways through eight functions: no two stacks are the same. */
typedef void caller(uint64_t way, unsigned depth);
static void call_next(uint64_t way, unsigned depth);

#define CALLER(name)                                       \
	HOT static void name(uint64_t way, unsigned depth) \
	{                                                  \
		call_next(way, depth);                     \
		__asm__ volatile("");                      \
	}
CALLER(call_0)
CALLER(call_1)
CALLER(call_2)
CALLER(call_3)
CALLER(call_4)
CALLER(call_5)
CALLER(call_6)
CALLER(call_7)

HOT static void call_next(uint64_t way, unsigned depth)
{
	static caller *const callers[] = { call_0, call_1, call_2, call_3,
					   call_4, call_5, call_6, call_7 };

	if (depth)
		callers[way >> 61](way * 6364136223846793005u + 1442695040888963407u, depth - 1);
	else
		burn(100000);
	__asm__ volatile("");
}

static void many_stacks(const char *depth)
{
	for (uint64_t i = 0; i % 64 || !over(); i++)
		call_next(i * 0x9e3779b97f4a7c15u, (unsigned)atoi(depth));
}

static void everything(const char *folder);

static const struct attack {
	const char *kind;
	void (*run)(const char *argument);
	const char *usual; /* NULL: the folder */
} attacks[] = {
	{ "paths", new_paths, NULL },
	{ "names", long_names, "4096" },
	{ "symbols", many_symbols, "300000" },
	{ "maps", mapped_processes, "65000" },
	{ "processes", many_processes, "2000" },
	{ "threads", many_threads, "2000" },
	{ "forks", forks, "8" },
	{ "objects", many_objects, NULL },
	{ "stacks", many_stacks, "48" },
	{ "comms", many_comms, "20" },
	{ "all", everything, NULL },
};

#define ATTACKS (sizeof(attacks) / sizeof(attacks[0]))

static void everything(const char *folder)
{
	for (size_t i = 0; i < ATTACKS - 1; i++)
		in_child(attacks[i].run, attacks[i].usual ? attacks[i].usual : folder);
	wait_for_end();
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	for (size_t i = 0; i < ATTACKS; i++) {
		if (strcmp(argv[1], attacks[i].kind))
			continue;
		attacks[i].run(argv[2]);
		return 0;
	}
	return 2;
}
