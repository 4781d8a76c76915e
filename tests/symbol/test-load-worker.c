/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects that workers read: the same symbols as without, files that are refused, workers that are
 * killed.
 */
#include "unit.h"
#include "fixture.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "app/jobs.h"
#include "symbol/load-worker.h"
#include "symbol/perfmap.h"
#include "symbol/perfmap-tail.h"
#include "symbol/symtab-block.h"
#include "symbol/object.h"
#include "worker/channel.h"

#define DEADLINE_MS 60000

/* Started by main() while there is one thread. */
static struct zygote *zygote;

static void wait_for(struct dso_cache *c, uint32_t dso)
{
	struct pollfd fd = { .fd = dso_cache_fd(c), .events = POLLIN };

	dso_request(c, dso);
	while (dso_state(c, dso) == DSO_LOADING) {
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
		while (dso_cache_loaded(c))
			;
	}
}

/* Reads PATH with and without workers, and expects the same. */
static void expect_same(const char *path)
{
	struct dso_cache *caches[2];
	struct dso_key key = fixture_key(path);
	uint32_t dso = 0;

	for (int i = 0; i < 2; i++) {
		caches[i] = dso_cache_new(
			&(struct dso_cache_options){ .zygote = i ? zygote : NULL, .kallsyms = "" });
		dso = dso_cache_get(caches[i], &key);
		wait_for(caches[i], dso);
		assert_int_equal(dso_state(caches[i], dso), DSO_READY);
	}
	assert_string_equal(dso_symbol_source(caches[0], dso), dso_symbol_source(caches[1], dso));
	assert_string_equal(dso_missing(caches[0], dso), dso_missing(caches[1], dso));
	assert_true(build_id_equal(dso_build_id(caches[0], dso), dso_build_id(caches[1], dso)));
	assert_true(symtab_fingerprint(dso_symtab(caches[0], dso)) ==
		    symtab_fingerprint(dso_symtab(caches[1], dso)));
	dso_cache_free(caches[0]);
	dso_cache_free(caches[1]);
}

UNIT_TEST(workers_find_the_same_symbols)
{
	static const char *const paths[] = { "/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6",
					     "/bin/ls", "/usr/lib/go/bin/go" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char *path = realpath(paths[i], NULL);

		if (path)
			expect_same(path);
		free(path);
	}
}

UNIT_TEST(a_debug_file_is_opened_for_the_worker)
{
	struct fixture f;
	char *path;

	assert_true(fixture_init(&f));
	if (!fixture_compile(&f, "program", "-g") ||
	    !fixture_run(&f, "objcopy --only-keep-debug program program.debug") ||
	    !fixture_run(&f, "objcopy --strip-all --add-gnu-debuglink=program.debug program")) {
		fixture_fini(&f);
		skip();
	}
	path = strdup(fixture_path(&f, "program"));
	expect_same(path);
	free(path);
	fixture_fini(&f);
}

UNIT_TEST(what_is_no_program_is_told)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){
		.zygote = zygote, .synchronous = true, .kallsyms = "" });
	struct dso_key missing = { .kind = DSO_FILE, .path = "/nonexistent/file" };
	struct dso_key text = fixture_key("/etc/passwd");
	uint32_t a = dso_cache_get(c, &missing), b = dso_cache_get(c, &text);

	dso_request(c, a);
	assert_int_equal(dso_state(c, a), DSO_FAILED);
	assert_string_equal(dso_missing(c, a),
			    "cannot open /nonexistent/file: No such file or directory");
	dso_request(c, b);
	assert_int_equal(dso_state(c, b), DSO_FAILED);
	assert_string_equal(dso_missing(c, b), "/etc/passwd is no ELF file");
	dso_cache_free(c);
}

/* A zygote whose workers do something else instead of reading. */
static void loop_job(int socket)
{
	for (volatile unsigned i = 0;; i++)
		(void)socket;
}

static void large_job(int socket)
{
	char order[64];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	/* One page of each: to fill them all may take more CPU time than a worker has. */
	for (size_t i = 0; i < 1024; i++)
		*(volatile char *)mem_alloc(64u << 20) = 1;
}

static void fault_job(int socket)
{
	*(volatile int *)(intptr_t)(socket + 8) = 1;
}

static void silent_job(int socket)
{
	(void)socket;
}

static void nonsense_job(int socket)
{
	channel_send(socket, "nonsense", 8, NULL);
}

/* Loads PATH with workers that run JOB; returns what is missing, owned by the caller. */
static char *load_with(worker_main *job, const char *path)
{
	worker_main *const jobs[] = { job };
	struct zygote *other = zygote_start(jobs, 1);
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){
		.zygote = other, .synchronous = true, .kallsyms = "" });
	struct dso_key key = fixture_key(path);
	uint32_t dso = dso_cache_get(c, &key);
	char *missing;

	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_FAILED);
	missing = strdup(dso_missing(c, dso));
	key.pid = 1; /* another process maps it, too */
	assert_int_equal(dso_cache_get(c, &key), dso);
	assert_int_equal(dso_state(c, dso), DSO_FAILED);
	dso_cache_free(c);
	zygote_free(other);
	return missing;
}

UNIT_TEST(a_stopped_worker_is_a_refusal)
{
	/* clang-format off */
	static const struct { worker_main *job; const char *missing; } ends[] = {
		{ loop_job, "refused: too slow" },
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
		{ large_job, "refused: too large" },
		{ fault_job, "refused: damaged" },
#endif
		{ silent_job, "refused: damaged" },
		{ nonsense_job, "refused: damaged" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		char *missing = load_with(ends[i].job, "/bin/ls");

		assert_string_equal(missing, ends[i].missing);
		free(missing);
	}
	(void)large_job;
	(void)fault_job;
}

/* Reads PATH with W, and expects its symbols; returns how many workers were started for it. */
static unsigned read_with(struct reader_pool *w, const char *path)
{
	struct load l = { .key = fixture_key(path),
			  .proc_root = "/proc",
			  .debug_root = "/nonexistent",
			  .kallsyms = "" };
	unsigned before = reader_pool_started(w);
	struct symtab *t;
	bool refused;

	t = load_run_in_worker(&l, w, &refused);
	assert_non_null(t);
	assert_true(fixture_address(t, "main") != 0);
	assert_false(refused);
	symtab_free(t);
	load_fini(&l);
	return reader_pool_started(w) - before;
}

/* Makes a small program of MODE; returns its path, or NULL without a compiler. */
static const char *small_program(struct fixture *f, unsigned mode)
{
	if (!fixture_init(f))
		return NULL;
	if (fixture_compile(f, "small", "") && fixture_run(f, "chmod %o small", mode))
		return fixture_path(f, "small");
	fixture_fini(f);
	return NULL;
}

/* On a machine that stands still for a second a worker goes before its next file comes. */
UNIT_TEST(a_worker_reads_more_than_one_file_of_an_owner)
{
	struct reader_pool *w = reader_pool_new(zygote, READER_LOAD);
	struct fixture f;
	const char *path = small_program(&f, 0755);
	unsigned started = 0;

	for (int i = 0; path && i < 200; i++)
		started += read_with(w, path);
	reader_pool_free(w);
	if (!path)
		skip();
	fixture_fini(&f);
	assert_in_range(started, 200 / 64 + 1, 199); /* none reads more than 64 */
}

/* Anybody may have written it: its worker reads nothing of the owner. */
UNIT_TEST(a_file_that_others_may_write_has_a_worker_of_its_own)
{
	struct reader_pool *w = reader_pool_new(zygote, READER_LOAD);
	struct fixture f;
	const char *path = small_program(&f, 0775);

	for (int i = 0; path && i < 3; i++)
		assert_int_equal(read_with(w, path), 1);
	for (int i = 0; path && i < 3; i++) {
		assert_true(fixture_run(&f, "chmod 757 small"));
		assert_int_equal(read_with(w, fixture_path(&f, "small")), 1);
	}
	reader_pool_free(w);
	if (!path)
		skip();
	fixture_fini(&f);
}

UNIT_TEST(no_worker_reads_files_of_two_owners)
{
	struct reader_pool *w;
	struct fixture f;
	char *mine, *other;

	if (geteuid() || !fixture_init(&f))
		skip();
	if (!fixture_compile(&f, "mine", "") || !fixture_run(&f, "cp mine other") ||
	    !fixture_run(&f, "chown 65533 other")) {
		fixture_fini(&f);
		skip();
	}
	w = reader_pool_new(zygote, READER_LOAD);
	mine = strdup(fixture_path(&f, "mine"));
	other = strdup(fixture_path(&f, "other"));
	for (int i = 0; i < 5; i++) {
		assert_int_equal(read_with(w, mine), 1);
		assert_int_equal(read_with(w, other), 1);
	}
	reader_pool_free(w);
	free(mine);
	free(other);
	fixture_fini(&f);
}

UNIT_TEST(a_large_file_has_a_worker_of_its_own)
{
	struct reader_pool *w = reader_pool_new(zygote, READER_LOAD);
	struct fixture f;
	char *path;

	assert_true(fixture_init(&f));
	if (!fixture_compile(&f, "large", "") ||
	    !fixture_run(&f,
			 "dd if=/dev/urandom of=large bs=1M count=5 oflag=append conv=notrunc")) {
		reader_pool_free(w);
		fixture_fini(&f);
		skip();
	}
	path = strdup(fixture_path(&f, "large"));
	for (int i = 0; i < 3; i++)
		assert_int_equal(read_with(w, path), 1);
	reader_pool_free(w);
	free(path);
	fixture_fini(&f);
}

static unsigned open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

/* Sends SIGNAL to a worker that the zygote has at this moment. */
static bool kill_worker(int zygote_process, int signal)
{
	char path[64], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", zygote_process, zygote_process);
	f = fopen(path, "r");
	if (!f)
		return false;
	(void)!fgets(text, sizeof(text), f);
	fclose(f);
	return atoi(text) > 0 && !kill(atoi(text), signal);
}

/* A worker that waits for its next file fails; a worker of its own then reads that file. */
UNIT_TEST(a_failure_of_a_worker_that_waited_is_not_believed)
{
	struct reader_pool *w = reader_pool_new(zygote, READER_LOAD);
	struct fixture f;
	const char *path = small_program(&f, 0755);
	unsigned started = 0;

	/* The first signal may meet a worker of an earlier test. */
	for (int i = 0; path && i < 10; i++) {
		started += read_with(w, path);
		kill_worker(zygote_pid(zygote), SIGSEGV);
	}
	reader_pool_free(w);
	if (!path)
		skip();
	fixture_fini(&f);
	assert_true(started > 1);
}

/* A process that kills a worker ten times a second. */
static pid_t start_killer(void)
{
	int process = zygote_pid(zygote);
	pid_t pid = unit_fork();

	if (pid)
		return pid;
	for (;;) {
		kill_worker(process, SIGKILL);
		poll(NULL, 0, 100);
	}
}

UNIT_TEST(names_arrive_although_workers_are_killed)
{
	char *path = realpath("/proc/self/exe", NULL);
	struct dso_key key = fixture_key(path);
	unsigned before, ready = 0;
	pid_t killer = start_killer();

	before = open_files();
	for (int i = 0; i < 50; i++) {
		struct dso_cache *c = dso_cache_new(
			&(struct dso_cache_options){ .zygote = zygote, .kallsyms = "" });
		uint32_t dso = dso_cache_get(c, &key);

		wait_for(c, dso);
		ready += dso_state(c, dso) == DSO_READY &&
			 fixture_address(dso_symtab(c, dso), "main") != 0;
		dso_cache_free(c);
	}
	kill(killer, SIGKILL);
	waitpid(killer, NULL, 0);
	assert_int_equal(ready, 50);
	assert_int_equal(open_files(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* the zygote alone: no zombie */
	free(path);
}

/* A /proc of process 77, whose perf map is read by READERS, or here. */
struct map_case {
	struct fixture f;
	struct load load;
	struct perfmap *map;
	struct reader_pool *readers;
	bool refused;
};

static void map_case_init(struct map_case *m, struct zygote *z)
{
	assert_true(fixture_init(&m->f));
	assert_true(fixture_run(&m->f, "mkdir -p 77/root/tmp"));
	m->load = (struct load){ .key = { .kind = DSO_JIT, .pid = 77 } };
	m->load.proc_root = strdup(fixture_path(&m->f, ""));
	m->map = perfmap_new();
	m->readers = z ? reader_pool_new(z, READER_MAPS) : NULL;
}

static void map_case_fini(struct map_case *m)
{
	perfmap_free(m->map);
	reader_pool_free(m->readers);
	free((char *)m->load.proc_root);
	fixture_fini(&m->f);
}

/* Changes the map by COMMAND, and reads it. */
static struct symtab *read_map(struct map_case *m, const char *command)
{
	assert_true(fixture_run(&m->f, "%s", command));
	m->load.missing[0] = '\0';
	return perfmap_read(m->map, &m->load, m->readers, &m->refused);
}

#define MAP "77/root/tmp/perf-77.map"

/* What a JIT compiler does to its map, step by step. */
static const char *const map_steps[] = {
	"printf '3000 10 third\\n1000 10 first\\n1000 20 again\\nnonsense\\n2000 10 cu' >" MAP,
	"printf 't\\n1008 4 inner\\n' >>" MAP,
	"seq 1000000 16 1200000 | sed 's/.*/& 10 f&/' >>" MAP,
	"printf '1000 20 again\\n4000 8 new\\n' >" MAP,
};

UNIT_TEST(a_worker_reads_the_same_map)
{
	struct map_case here, there;

	map_case_init(&here, NULL);
	map_case_init(&there, zygote);
	for (size_t i = 0; i < sizeof(map_steps) / sizeof(*map_steps); i++) {
		struct symtab *a = read_map(&here, map_steps[i]);
		struct symtab *b = read_map(&there, map_steps[i]);

		assert_non_null(a);
		assert_non_null(b);
		assert_int_equal(symtab_count(a), symtab_count(b));
		for (uint32_t n = 0; n < symtab_count(a); n++) {
			struct symbol x = symtab_at(a, n), y = symtab_at(b, n);

			assert_string_equal(x.name, y.name);
			assert_true(x.start == y.start && x.end == y.end);
			assert_int_equal(x.named_by, y.named_by);
		}
		assert_int_equal(here.load.skipped, there.load.skipped);
		assert_int_equal(there.load.skipped, 1);
		/* The last line at an address counts. */
		assert_string_equal(symtab_at(b, symtab_find(b, 0x1001)).name, "again");
		assert_string_equal(here.load.source, there.load.source);
		symtab_free(a);
		symtab_free(b);
	}
	assert_true(reader_pool_started(there.readers) >= 1);
	map_case_fini(&here);
	map_case_fini(&there);
}

/* A large map that grows costs no process for each line. */
UNIT_TEST(only_what_is_new_of_a_large_map_counts)
{
	struct map_case m;
	unsigned started;

	map_case_init(&m, zygote);
	symtab_free(read_map(&m, "seq 1000000 1400000 | sed 's/.*/& 10 function_&/' >" MAP));
	started = reader_pool_started(m.readers);
	assert_int_equal(started, 1);
	for (int i = 0; i < 20; i++) {
		struct symtab *t = read_map(&m, "echo '10 10 new' >>" MAP);

		assert_non_null(t);
		assert_true(symtab_find(t, 0x10) != SYMBOL_NONE);
		symtab_free(t);
	}
	/* On a machine that stands still for a second a worker goes before the next line comes. */
	assert_in_range(reader_pool_started(m.readers), 2, 20);
	map_case_fini(&m);
}

/* Says that it read one line, and sends two symbols. */
static void lying_job(int socket)
{
	struct symtab_builder *b = symtab_builder_new_growing();
	/* As in perfmap-tail.c: a tag, the bytes that were read, invalid lines. */
	const uint64_t found[] = { 2, 8, 0 };
	struct channel_fds fds = { .count = 1 };
	struct symtab *t;
	char order[64];
	uint64_t skipped = 0;

	channel_receive(socket, order, sizeof(order), NULL, 0);
	perfmap_parse(b, "10 10 f\n20 10 g\n", 16, &skipped);
	t = symtab_builder_finish(b);
	fds.fds[0] = symtab_block_write(t);
	channel_send(socket, found, sizeof(found), &fds);
	channel_close_fds(&fds);
	symtab_free(t);
}

UNIT_TEST(a_map_has_no_more_symbols_than_lines)
{
	worker_main *const jobs[READER_JOBS] = { [READER_MAPS] = lying_job };
	struct zygote *other = zygote_start(jobs, READER_JOBS);
	struct map_case m;

	map_case_init(&m, other);
	assert_null(read_map(&m, "echo '10 10 f' >" MAP));
	assert_true(m.refused);
	assert_string_equal(m.load.missing, "refused: damaged");
	map_case_fini(&m);
	zygote_free(other);
}

UNIT_TEST(a_refused_map_is_left_alone)
{
	worker_main *const jobs[READER_JOBS] = { [READER_MAPS] = silent_job };
	struct zygote *other = zygote_start(jobs, READER_JOBS);
	struct map_case m;
	unsigned started;

	map_case_init(&m, other);
	assert_null(read_map(&m, "echo '10 10 f' >" MAP));
	assert_true(m.refused);
	assert_string_equal(m.load.missing, "refused: damaged");
	started = reader_pool_started(m.readers);
	assert_null(read_map(&m, "echo '20 10 g' >>" MAP));
	assert_false(m.refused);
	assert_int_equal(reader_pool_started(m.readers), started);
	assert_null(read_map(&m, "mv " MAP " old && echo '20 10 g' >" MAP));
	assert_true(m.refused); /* another file */
	map_case_fini(&m);
	zygote_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_reads_the_same_map),
		cmocka_unit_test(only_what_is_new_of_a_large_map_counts),
		cmocka_unit_test(a_map_has_no_more_symbols_than_lines),
		cmocka_unit_test(a_refused_map_is_left_alone),
		cmocka_unit_test(workers_find_the_same_symbols),
		cmocka_unit_test(a_debug_file_is_opened_for_the_worker),
		cmocka_unit_test(what_is_no_program_is_told),
		cmocka_unit_test(a_stopped_worker_is_a_refusal),
		cmocka_unit_test(a_worker_reads_more_than_one_file_of_an_owner),
		cmocka_unit_test(a_file_that_others_may_write_has_a_worker_of_its_own),
		cmocka_unit_test(no_worker_reads_files_of_two_owners),
		cmocka_unit_test(a_large_file_has_a_worker_of_its_own),
		cmocka_unit_test(a_failure_of_a_worker_that_waited_is_not_believed),
		cmocka_unit_test(names_arrive_although_workers_are_killed),
	};
	int status;

	zygote = zygote_start(app_jobs, app_job_count);
	status = unit_run(tests);
	zygote_free(zygote);
	return status;
}
