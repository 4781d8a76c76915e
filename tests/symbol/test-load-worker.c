/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects that workers read: the same symbols as without, files that are refused, workers that are
 * killed.
 */
#include "unit.h"
#include "base/spare-time.h"
#include "fixture.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "app/jobs.h"
#include "symbol/dump.h"
#include "symbol/jitlist.h"
#include "symbol/load-worker.h"
#include "symbol/object.h"
#include "unwind/unwind-worker.h"
#include "worker/bad-jobs.h"
#include "worker/channel.h"

/* Started by main() while there is one thread. */
static struct zygote *zygote;

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
		fixture_load(caches[i], dso);
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
	for (const struct bad_job *j = bad_jobs; j->job; j++) {
		char *missing = load_with(j->job, "/bin/ls");

		assert_string_equal(missing, j->missing);
		free(missing);
	}
}

/* The object of the file NAME of F. */
static uint32_t object_of(struct dso_cache *c, struct fixture *f, const char *name)
{
	struct dso_key key = fixture_key(fixture_path(f, name));

	return dso_cache_get(c, &key);
}

struct told_work {
	struct dso_work work; /* must be first */
	bool ran;
	uint64_t rest_until_ns;
};

static void told_run(struct dso_work *w, struct load *load)
{
	(void)load;
	((struct told_work *)w)->ran = true;
}

static void told_done(struct dso_work *w)
{
	((struct told_work *)w)->rest_until_ns = w->rest_until_ns;
}

static void told_drop(struct dso_work *w)
{
	(void)w;
}

/* Work of others on DSO's file is handed back as well, and was not done. */
static void expect_work_to_rest(struct dso_cache *c, uint32_t dso)
{
	struct told_work w = { .work = { .run = told_run, .done = told_done, .drop = told_drop } };
	struct pollfd fd = { .fd = dso_cache_fd(c), .events = POLLIN };

	dso_submit(c, dso, &w.work);
	while (!w.rest_until_ns) {
		assert_int_equal(poll(&fd, 1, 20000), 1);
		assert_int_equal(dso_cache_loaded(c), 0);
	}
	assert_false(w.ran);
	assert_true(w.rest_until_ns > clock_monotonic_ns(&clock_system));
}

/* Each file takes what a small file may at most; more than two take more than a user may at once. */
UNIT_TEST(a_user_rests_whose_files_took_too_much)
{
	static const char *const names[] = { "first", "second", "third" };
	worker_main *const jobs[] = { [READER_LOAD] = bad_job_loops };
	struct zygote *other = zygote_start(jobs, 1);
	struct spare_time *spare;
	struct dso_cache *c;
	struct fixture f;
	uint32_t dso = 0;
	size_t read = 0;

	if (geteuid() || !fixture_init(&f)) {
		zygote_free(other);
		skip();
	}
	assert_true(fixture_run(&f, "for f in first second third; do cp /bin/ls $f; done && "
				    "chown 65533 first second third"));
	spare = spare_time_new(&clock_system, SPARE_RATE);
	c = dso_cache_new(
		&(struct dso_cache_options){ .zygote = other, .kallsyms = "", .spare = spare });
	for (; read < sizeof(names) / sizeof(*names); read++) {
		dso = object_of(c, &f, names[read]);
		fixture_load(c, dso);
		assert_int_equal(dso_state(c, dso), DSO_FAILED);
		if (dso_rests(c, dso))
			break;
		assert_string_equal(dso_missing(c, dso), "refused: too slow");
	}
	assert_in_range(read, 1, 2);
	assert_true(dso_may_grow(c, dso));
	assert_string_equal(dso_missing(c, dso), load_rest_text());
	if (read == 2)
		expect_work_to_rest(c, dso);
	dso_cache_free(c);
	spare_time_put(spare);
	zygote_free(other);
	fixture_fini(&f);
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

/* Sends SIGNAL to a worker that the zygote has at this moment. */
static void kill_worker(int zygote_process, int signal)
{
	int pid;

	if (worker_pids(zygote_process, &pid, 1))
		kill(pid, signal);
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

/* A process that kills a worker each PAUSE_MS. */
static pid_t start_killer(int pause_ms)
{
	int process = zygote_pid(zygote);
	pid_t pid = unit_fork();

	if (pid)
		return pid;
	for (;;) {
		kill_worker(process, SIGKILL);
		poll(NULL, 0, pause_ms);
	}
}

/* Whether the names of KEY's file arrive. */
static bool names_arrive(const struct dso_key *key)
{
	struct dso_cache *c =
		dso_cache_new(&(struct dso_cache_options){ .zygote = zygote, .kallsyms = "" });
	uint32_t dso = dso_cache_get(c, key);
	bool ready;

	fixture_load(c, dso);
	ready = dso_state(c, dso) == DSO_READY && fixture_address(dso_symtab(c, dso), "main") != 0;
	dso_cache_free(c);
	return ready;
}

/* Milliseconds that it takes. */
static int time_to_read(const struct dso_key *key)
{
	uint64_t begun_ns = clock_monotonic_ns(&clock_system);

	assert_true(names_arrive(key));
	return (int)((clock_monotonic_ns(&clock_system) - begun_ns) / (NS_PER_S / 1000));
}

UNIT_TEST(names_arrive_although_workers_are_killed)
{
	char *path = realpath("/proc/self/exe", NULL);
	struct dso_key key = fixture_key(path);
	unsigned before, ready = 0;
	/* So slow that a slow machine, too, reads a file between two of them: three end the attempts. */
	pid_t killer = start_killer(100 + 5 * time_to_read(&key));

	before = unit_open_files();
	for (int i = 0; i < 50; i++)
		ready += names_arrive(&key);
	kill(killer, SIGKILL);
	waitpid(killer, NULL, 0);
	assert_int_equal(ready, 50);
	assert_int_equal(unit_open_files(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* the zygote alone: no zombie */
	free(path);
}

/* A /proc of process 77, whose perf map, or jitdump, is read by READERS, or here. */
struct map_case {
	struct fixture f;
	struct load load;
	struct jitlist *list;
	struct jit_reading how;
	bool refused;
};

#define DUMP "jit-77.dump"

static void map_case_init(struct map_case *m, enum jit_kind kind, struct zygote *z)
{
	assert_true(fixture_init(&m->f));
	assert_true(fixture_run(&m->f, "mkdir -p 77/root/tmp"));
	m->load = (struct load){ .key = { .kind = DSO_JIT, .pid = 77 } };
	m->load.proc_root = strdup(fixture_path(&m->f, ""));
	m->load.dump = (struct dso_key){ .path = strdup(fixture_path(&m->f, DUMP)) };
	m->list = jitlist_new(kind);
	m->how = (struct jit_reading){ z ? reader_pool_new(z, READER_MAPS) : NULL,
				       unwind_code_rules };
}

static void map_case_fini(struct map_case *m)
{
	jitlist_free(m->list);
	reader_pool_free(m->how.pool);
	free((char *)m->load.proc_root);
	free((char *)m->load.dump.path);
	fixture_fini(&m->f);
}

/* Changes the map by COMMAND, and reads it. */
static struct symtab *read_map(struct map_case *m, const char *command)
{
	assert_true(fixture_run(&m->f, "%s", command));
	m->load.missing[0] = '\0';
	return jitlist_read(m->list, &m->load, &m->how, &m->refused);
}

#define MAP "77/root/tmp/perf-77.map"

/* What a JIT compiler does to its map, step by step. */
static const char *const map_steps[] = {
	"printf '3000 10 third\\n1000 10 first\\n1000 20 again\\nnonsense\\n2000 10 cu' >" MAP,
	"printf 't\\n1008 4 inner\\n' >>" MAP,
	"seq 1000000 16 1200000 | sed 's/.*/& 10 f&/' >>" MAP,
	"printf '1000 20 again\\n4000 8 new\\n' >" MAP,
};

static void expect_same_tables(struct symtab *a, struct symtab *b)
{
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(symtab_count(a), symtab_count(b));
	for (uint32_t n = 0; n < symtab_count(a); n++) {
		struct symbol x = symtab_at(a, n), y = symtab_at(b, n);

		assert_string_equal(x.name, y.name);
		assert_true(x.start == y.start && x.end == y.end);
		assert_int_equal(x.named_by, y.named_by);
	}
	symtab_free(a);
	symtab_free(b);
}

UNIT_TEST(a_worker_reads_the_same_map)
{
	struct map_case here, there;

	map_case_init(&here, JIT_MAP, NULL);
	map_case_init(&there, JIT_MAP, zygote);
	for (size_t i = 0; i < sizeof(map_steps) / sizeof(*map_steps); i++) {
		expect_same_tables(read_map(&here, map_steps[i]), read_map(&there, map_steps[i]));
		assert_int_equal(here.load.skipped, there.load.skipped);
		assert_int_equal(there.load.skipped, 1);
		assert_string_equal(here.load.source, there.load.source);
	}
	assert_true(reader_pool_started(there.how.pool) >= 1);
	map_case_fini(&here);
	map_case_fini(&there);
}

static void put_code(struct dump *d, uint64_t address, uint64_t index, const char *name)
{
	dump_put_record(d, 0, (uint32_t)(40 + strlen(name) + 1));
	dump_put(d, 77, 8);
	dump_put(d, address, 8);
	dump_put(d, address, 8);
	dump_put(d, 0x100, 8);
	dump_put(d, index, 8);
	buf_add(&d->bytes, name, strlen(name) + 1);
}

static void put_move(struct dump *d, uint64_t from, uint64_t to, uint64_t index)
{
	dump_put_record(d, 1, 48);
	dump_put(d, 77, 8);
	dump_put(d, to, 8);
	dump_put(d, from, 8);
	dump_put(d, to, 8);
	dump_put(d, 0x100, 8);
	dump_put(d, index, 8);
}

/* A CIE and an FDE of 0x100 bytes of code before it: at 0x20 of them the frame has 16 bytes more. */
static void put_frames(struct dump *d)
{
	static const uint8_t eh_frame[] = {
		20, 0,    0,  0, 0,    0,    0,    0,  1,    'z',  'R',  0,
		1,  0x78, 16, 1, 0x1b, 0x0c, 7,    8,  0x90, 1,    0,    0, /* CIE */
		16, 0,    0,  0, 28,   0,    0,    0,  0xe0, 0xfe, 0xff, 0xff,
		0,  1,    0,  0, 0,    0x60, 0x0e, 24, /* FDE */
		0,  0,    0,  0,
	};

	dump_put_record(d, 4, 24 + sizeof(eh_frame) + 4);
	dump_put(d, sizeof(eh_frame) + 4, 8);
	dump_put(d, 4, 8);
	dump_put(d, 0, 8);
	buf_add(&d->bytes, eh_frame, sizeof(eh_frame));
	buf_add(&d->bytes, "head", 4);
}

/* Appends the bytes of D from FROM to the dump of M, and reads it. */
static struct symtab *append_and_read(struct map_case *m, const struct dump *d, size_t from)
{
	FILE *file = fopen(fixture_path(&m->f, DUMP), "ae");

	assert_non_null(file);
	if (from < d->bytes.size)
		assert_int_equal(fwrite(d->bytes.bytes + from, d->bytes.size - from, 1, file), 1);
	assert_int_equal(fclose(file), 0);
	m->load.missing[0] = '\0';
	return jitlist_read(m->list, &m->load, &m->how, &m->refused);
}

static void expect_same_frames(struct jitlist *a, struct jitlist *b, size_t expected)
{
	size_t count, other;
	struct jitframe **x = jitlist_take_frames(a, &count);
	struct jitframe **y = jitlist_take_frames(b, &other);

	assert_int_equal(count, expected);
	assert_int_equal(other, expected);
	while (count--) {
		assert_true(x[count]->start == y[count]->start && x[count]->from == y[count]->from);
		assert_int_equal(x[count]->bytes_size, y[count]->bytes_size);
		assert_memory_equal(x[count]->bytes, y[count]->bytes, x[count]->bytes_size);
		jitframe_free(x[count]);
		jitframe_free(y[count]);
	}
	free(x);
	free(y);
}

/* What a JIT compiler appends in one step of its work, and the number of functions with news of callers. */
static size_t put_step(struct dump *d, unsigned step)
{
	switch (step) {
	case 0:
		dump_put_header(d);
		put_code(d, 0x1000, 1, "one");
		put_code(d, 0x2000, 2, "two");
		return 0;
	case 1:
		put_frames(d); /* its code comes with the next step */
		put_code(d, 0x1080, 3, "over one");
		put_frames(d);
		return 1;
	case 2:
		put_code(d, 0x3000, 4, "three");
		put_move(d, 0x3000, 0x4000, 4);
		return 2;
	default:
		for (unsigned i = 0; i < 100000; i++)
			put_code(d, 0x100000 + i * 0x100ull, 5 + i, "one of many");
		return 100000;
	}
}

UNIT_TEST(a_worker_reads_the_same_dump)
{
	struct map_case here, there;
	struct dump d = { .swap = false };

	map_case_init(&here, JIT_DUMP, NULL);
	map_case_init(&there, JIT_DUMP, zygote);
	for (unsigned step = 0; step < 4; step++) {
		size_t before = d.bytes.size, frames = put_step(&d, step);

		expect_same_tables(append_and_read(&here, &d, before),
				   append_and_read(&there, &d, before));
		expect_same_frames(here.list, there.list, frames);
		assert_int_equal(there.load.skipped, 0);
		assert_string_equal(here.load.source, there.load.source);
	}
	assert_null(append_and_read(&there, &d, d.bytes.size)); /* nothing is new */
	buf_fini(&d.bytes);
	map_case_fini(&here);
	map_case_fini(&there);
}

/* Code before the last position is not read again: only a checkpoint tells what a record is. */
UNIT_TEST(only_the_new_part_of_a_dump_is_read)
{
	struct dump d = { .swap = true };
	struct map_case m;
	struct symtab *t;
	size_t before;

	map_case_init(&m, JIT_DUMP, zygote);
	put_step(&d, 0);
	symtab_free(append_and_read(&m, &d, 0));
	assert_true(fixture_run(
		&m.f, "dd if=/dev/zero of=" DUMP " bs=%zu count=1 conv=notrunc status=none",
		d.bytes.size));
	before = d.bytes.size;
	put_code(&d, 0x8000, 9, "new");
	t = append_and_read(&m, &d, before);
	assert_non_null(t);
	assert_int_equal(symtab_count(t), 3);
	assert_string_equal(symtab_at(t, symtab_find(t, 0x8000)).name, "new");
	assert_string_equal(symtab_at(t, symtab_find(t, 0x1000)).name, "one");
	symtab_free(t);
	buf_fini(&d.bytes);
	map_case_fini(&m);
}

#define PARTS_MAX 20 /* of 400 000 lines */

/*
 * A large map that grows costs no process for each line: the worker of the last part goes on.  It waits a second for
 * the next line, so on a machine that stands still another one may come, but only then.
 */
UNIT_TEST(only_what_is_new_of_a_large_map_counts)
{
	uint64_t earlier = clock_monotonic_ns(&clock_system);
	unsigned started, slow = 0;
	struct map_case m;

	map_case_init(&m, JIT_MAP, zygote);
	symtab_free(read_map(&m, "seq 1000000 1400000 | sed 's/.*/& 10 function_&/' >" MAP));
	started = reader_pool_started(m.how.pool);
	assert_in_range(started, 1, PARTS_MAX);
	for (int i = 0; i < 20; i++) {
		uint64_t begun = clock_monotonic_ns(&clock_system);
		struct symtab *t = read_map(&m, "echo '10 10 new' >>" MAP);

		assert_non_null(t);
		assert_true(symtab_find(t, 0x10) != SYMBOL_NONE);
		symtab_free(t);
		slow += clock_monotonic_ns(&clock_system) - earlier >= NS_PER_S;
		earlier = begun;
	}
	assert_in_range(reader_pool_started(m.how.pool), started, started + slow);
	map_case_fini(&m);
}

/* What a worker says of a map of 8 bytes, and how many entries it sends. */
struct tail_answer {
	uint64_t words[4]; /* as in jit-tail.c: a tag and `more`, invalid lines, the place */
	unsigned entries;
};

#define WITH_MORE (UINT64_C(1) << 32)
#define BEGUN_TWICE (UINT64_C(2) << 16) /* behind e_machine */

static struct tail_answer said; /* copied with the process */

static void saying_job(int socket)
{
	const struct jit_entry e = { .start = 0x10, .size = 0x10, .name_bytes = 1 };
	struct jit_entries entries = { .count = 0 };
	struct channel_fds fds = { .count = 1 };
	char order[64];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	for (unsigned i = 0; i < said.entries; i++)
		jit_entries_add(&entries, &e, "f", NULL);
	fds.fds[0] = jit_entries_write(&entries);
	channel_send(socket, said.words, sizeof(said.words), &fds);
	channel_close_fds(&fds);
	jit_entries_fini(&entries);
}

static void expect_answer(const struct tail_answer *answer, bool believed)
{
	worker_main *const jobs[READER_JOBS] = { [READER_MAPS] = saying_job };
	struct zygote *other;
	struct map_case m;
	struct symtab *t;

	said = *answer;
	other = zygote_start(jobs, READER_JOBS);
	map_case_init(&m, JIT_MAP, other);
	t = read_map(&m, "echo '10 10 f' >" MAP);
	assert_int_equal(t != NULL, believed);
	assert_int_equal(m.refused, !believed);
	assert_string_equal(m.load.missing, believed ? "" : "refused: damaged");
	symtab_free(t);
	map_case_fini(&m);
	zygote_free(other);
}

UNIT_TEST(no_more_is_believed_of_a_map_than_it_has)
{
	static const struct tail_answer lies[] = {
		{ { 2, 0, 8, 0 }, 2 },             /* entries without lines */
		{ { 2, 0, 9, 0 }, 1 },             /* a place behind the end */
		{ { 2 | WITH_MORE, 0, 0, 0 }, 0 }, /* more of nothing, for ever */
		{ { 2, 9, 8, 0 }, 1 },             /* invalid lines without bytes */
		{ { 2, 0, 8, BEGUN_TWICE }, 1 },   /* neither true nor false */
		{ { 3, 0, 8, 0 }, 1 },             /* another answer */
	};

	expect_answer(&(struct tail_answer){ { 2, 0, 8, 0 }, 1 }, true);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++)
		expect_answer(&lies[i], false);
}

UNIT_TEST(a_refused_map_is_left_alone)
{
	worker_main *const jobs[READER_JOBS] = { [READER_MAPS] = bad_job_says_nothing };
	struct zygote *other = zygote_start(jobs, READER_JOBS);
	struct map_case m;
	unsigned started;

	map_case_init(&m, JIT_MAP, other);
	assert_null(read_map(&m, "echo '10 10 f' >" MAP));
	assert_true(m.refused);
	assert_string_equal(m.load.missing, "refused: damaged");
	started = reader_pool_started(m.how.pool);
	assert_null(read_map(&m, "echo '20 10 g' >>" MAP));
	assert_false(m.refused);
	assert_int_equal(reader_pool_started(m.how.pool), started);
	assert_null(read_map(&m, "mv " MAP " old && echo '20 10 g' >" MAP));
	assert_true(m.refused); /* another file */
	map_case_fini(&m);
	zygote_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_reads_the_same_map),
		cmocka_unit_test(a_worker_reads_the_same_dump),
		cmocka_unit_test(only_the_new_part_of_a_dump_is_read),
		cmocka_unit_test(only_what_is_new_of_a_large_map_counts),
		cmocka_unit_test(no_more_is_believed_of_a_map_than_it_has),
		cmocka_unit_test(a_refused_map_is_left_alone),
		cmocka_unit_test(workers_find_the_same_symbols),
		cmocka_unit_test(a_debug_file_is_opened_for_the_worker),
		cmocka_unit_test(what_is_no_program_is_told),
		cmocka_unit_test(a_stopped_worker_is_a_refusal),
		cmocka_unit_test(a_user_rests_whose_files_took_too_much),
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
