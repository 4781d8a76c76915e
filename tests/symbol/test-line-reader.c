/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"
#include "base/spare-time.h"
#include "fixture.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "symbol/debugfile.h"
#include "symbol/file-reader.h"
#include "app/jobs.h"
#include "symbol/line-kernel.h"
#include "symbol/line-reader.h"
#include "symbol/lines.h"
#include "worker/bad-jobs.h"

/* Another process reads a program's lines; the program may be anybody's. */

static struct lines_options options = { .proc_root = "/proc", .debug_root = "/nonexistent" };

static struct line_reader *open_reader(struct zygote *z, const char *path)
{
	const struct load l = { .key = fixture_key(path),
				.proc_root = options.proc_root,
				.debug_root = options.debug_root };

	return line_reader_open(&l, z, NULL);
}

/* Asks for the function at START; the answer is the caller's. */
static struct line_answer *ask(struct line_reader *r, uint64_t start)
{
	const struct lines_request request = {
		.addresses = &start, .address_count = 1, .code_start = start, .code_size = 16
	};
	const struct line_question q = { .request = &request, .options = &options };
	struct line_answer *a = line_answer_new(1);

	line_reader_answer(r, &q, a);
	return a;
}

static uint64_t address_of_main(struct fixture *f, const char *name)
{
	struct dso_cache *c;
	struct dso_key key;
	uint32_t dso;
	uint64_t address;

	c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true, .kallsyms = "" });
	key = fixture_key(fixture_path(f, name));
	dso = dso_cache_get(c, &key);
	dso_request(c, dso);
	address = fixture_address(dso_symtab(c, dso), "main");
	dso_cache_free(c);
	return address;
}

/* The address of main() in the program NAME; 0 without a compiler. */
static uint64_t compile(struct fixture *f, const char *name, const char *flags)
{
	return fixture_compile(f, name, flags) ? address_of_main(f, name) : 0;
}

static void kill_workers(struct zygote *z)
{
	int pids[16];
	size_t count = worker_pids(zygote_pid(z), pids, 16);

	for (size_t i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
}

UNIT_TEST(lines_arrive_although_workers_are_killed)
{
	struct zygote *z = zygote_start(app_jobs, app_job_count);
	struct line_reader *r;
	struct fixture f;
	uint64_t start;

	assert_non_null(z);
	assert_true(fixture_init(&f));
	start = compile(&f, "program", "-g");
	r = open_reader(z, fixture_path(&f, "program"));
	for (int i = 0; start && i < 20; i++) {
		struct line_answer *a = ask(r, start);

		assert_string_equal(a->answer.missing, "");
		assert_true(a->answer.has_lines);
		assert_int_equal(a->answer.places[0].frame_count, 1);
		assert_string_equal(a->answer.places[0].frames[0].function, "main");
		assert_int_equal(a->answer.code_size, 16);
		line_answer_free(a);
		kill_workers(z);
	}
	line_reader_close(r);
	zygote_free(z);
	fixture_fini(&f);
	if (!start)
		skip();
}

static void end_early(int socket)
{
	char order[16384];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	_exit(1);
}

static const uint32_t found = 2; /* line-reader.c's tag of an answer */

/* An answer without a block. */
static void answer_nothing(int socket)
{
	char order[16384];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	channel_send(socket, &found, sizeof(found), NULL);
	channel_receive(socket, order, sizeof(order), NULL, 0);
}

/* A block that can still be changed. */
static void answer_unsealed(int socket)
{
	char order[16384];
	struct channel_fds fds = { .count = 1, .fds = { memfd_create("lie", MFD_CLOEXEC) } };

	channel_receive(socket, order, sizeof(order), NULL, 0);
	if (ftruncate(fds.fds[0], 65536) < 0)
		return;
	channel_send(socket, &found, sizeof(found), &fds);
	channel_receive(socket, order, sizeof(order), NULL, 0);
}

static void assert_refused(worker_main *job, const char *why)
{
	worker_main *const jobs[READER_JOBS] = { job, job };
	struct zygote *z = zygote_start(jobs, READER_JOBS);
	struct line_reader *r;

	assert_non_null(z);
	r = open_reader(z, "/proc/self/exe");
	for (int i = 0; i < 3; i++) {
		struct line_answer *a = ask(r, 4096);

		assert_string_equal(a->answer.missing, why);
		assert_int_equal(a->answer.place_count, 1);
		assert_int_equal(a->answer.places[0].address, 4096);
		assert_int_equal(a->answer.places[0].frame_count, 0);
		assert_int_equal(a->answer.code_size, 0);
		line_answer_free(a);
	}
	line_reader_close(r);
	zygote_free(z);
}

UNIT_TEST(a_worker_that_fails_or_lies_at_once_makes_its_file_refused)
{
	assert_refused(end_early, "refused: damaged");
	assert_refused(answer_nothing, "refused: damaged");
	assert_refused(answer_unsealed, "refused: damaged");
}

/* Asks for the file `secret` beside the program, and ends as if without memory if it got it. */
#define EXIT_MEMORY 3 /* nursery.c's */

static void spy(int socket)
{
	struct load l = { .context = &socket };
	struct debugfile_request r = { .way = DEBUGFILE_UNIT, .name = "secret" };
	struct debugfile_path path;
	char order[16384];
	int fd;

	channel_receive(socket, order, sizeof(order), NULL, 0);
	fd = file_reader_ask(&l, &r, &path);
	_exit(fd >= 0 ? EXIT_MEMORY : 0);
}

static _Atomic(int) *tries; /* shared with workers */

/* Gets the file `secret`, and has no memory left. */
static void gorge(int socket)
{
	++*tries;
	spy(socket);
}

/*
 * The needs of a file depend on its debug file, too.  So it is tried again, once, with that one's
 * limits.
 */
UNIT_TEST(a_larger_debug_file_gets_larger_limits)
{
	worker_main *const jobs[READER_JOBS] = { gorge, gorge };
	struct zygote *z;
	struct line_reader *r;
	struct fixture f;
	bool compiled;

	tries = mmap(NULL, sizeof(*tries), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(tries, MAP_FAILED);
	assert_true(fixture_init(&f));
	compiled = fixture_compile(&f, "program", "") && fixture_run(&f, "cp program secret") &&
		   fixture_run(&f, "dd if=/dev/urandom of=secret bs=1M count=5 oflag=append "
				   "conv=notrunc");
	z = zygote_start(jobs, READER_JOBS);
	assert_non_null(z);
	r = open_reader(z, fixture_path(&f, "program"));
	for (int i = 0; compiled && i < 2; i++) {
		struct line_answer *a = ask(r, 4096);

		assert_string_equal(a->answer.missing, "refused: too large");
		line_answer_free(a);
	}
	if (compiled)
		assert_int_equal(*tries, 2);
	line_reader_close(r);
	zygote_free(z);
	munmap((void *)tries, sizeof(*tries));
	fixture_fini(&f);
	if (!compiled)
		skip();
}

UNIT_TEST(a_worker_gets_no_private_file_of_another_user)
{
	worker_main *const jobs[READER_JOBS] = { spy, spy };
	struct zygote *z;
	struct fixture f;
	const char *const expected[] = { "refused: damaged", "refused: too large" };
	bool compiled;

	if (geteuid())
		skip();
	assert_true(fixture_init(&f));
	compiled = fixture_compile(&f, "program", "") && fixture_run(&f, "chown 65533 program") &&
		   fixture_run(&f, "chmod 755 . && cp program secret");
	for (int all = 0; compiled && all < 2; all++) {
		struct line_reader *r;
		struct line_answer *a;

		assert_true(fixture_run(&f, "chmod %o secret", all ? 0644 : 0640));
		z = zygote_start(jobs, READER_JOBS);
		assert_non_null(z);
		r = open_reader(z, fixture_path(&f, "program"));
		a = ask(r, 4096);
		assert_string_equal(a->answer.missing, expected[all]);
		line_answer_free(a);
		line_reader_close(r);
		zygote_free(z);
	}
	fixture_fini(&f);
	if (!compiled)
		skip();
}

/* How many instructions of main() in the program of F have the text of a line. */
static size_t texts_of(struct fixture *f, struct zygote *z)
{
	const struct lines_request request = { .code_start = address_of_main(f, "program"),
					       .code_size = 16,
					       .instructions = true };
	const struct line_question q = { .request = &request, .options = &options };
	struct line_reader *r = open_reader(z, fixture_path(f, "program"));
	struct line_answer *a = line_answer_new(1);
	size_t texts = 0;

	line_reader_answer(r, &q, a);
	assert_true(a->answer.place_count > 0);
	for (size_t i = 0; i < a->answer.place_count; i++)
		texts += a->answer.places[i].text && strstr(a->answer.places[i].text, "private");
	line_answer_free(a);
	line_reader_close(r);
	return texts;
}

/* A program may name any file as its source.  Its owner sees no more of others' files than without ptop. */
UNIT_TEST(a_program_gets_no_private_source_of_another_user)
{
	static const char text[] = "int main(void) { return 7; } /* private */\n";
	struct zygote *z;
	struct fixture f;
	bool compiled;

	if (geteuid())
		skip();
	assert_true(fixture_init(&f));
	fixture_write(&f, "secret.c", text, sizeof(text) - 1);
	compiled = fixture_run(
		&f, "chmod 755 . && cc -g -o program $PWD/secret.c && chown 65533 program");
	if (compiled) {
		z = zygote_start(app_jobs, app_job_count);
		assert_non_null(z);
		assert_true(fixture_run(&f, "chmod 600 secret.c"));
		assert_int_equal(texts_of(&f, z), 0);
		assert_true(fixture_run(&f, "chmod 644 secret.c"));
		assert_true(texts_of(&f, z) > 0);
		assert_true(fixture_run(&f, "chmod 600 secret.c && chown 65533 secret.c"));
		assert_true(texts_of(&f, z) > 0);
		zygote_free(z);
	}
	fixture_fini(&f);
	if (!compiled)
		skip();
}

static struct debugfile_request wish;

static void grasp(int socket)
{
	struct load l = { .context = &socket };
	struct debugfile_path path;
	char order[16384];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	_exit(file_reader_ask(&l, &wish, &path) >= 0 ? EXIT_MEMORY : 0);
}

/* Returns true if a worker gets the file of its wish: that of a kernel K, or of the program of F. */
static bool gets_wish(struct fixture *f, const struct line_kernel *k)
{
	worker_main *const jobs[READER_JOBS] = { grasp, grasp };
	struct zygote *z = zygote_start(jobs, READER_JOBS);
	const struct dso_key kernel = { .kind = DSO_KERNEL, .path = "[kernel]" };
	const struct load l = { .key = k ? kernel : fixture_key(fixture_path(f, "program")),
				.proc_root = "/proc",
				.debug_root = f->directory };
	struct line_reader *r;
	struct line_answer *a;
	bool got;

	assert_non_null(z);
	r = line_reader_open(&l, z, k);
	a = ask(r, 4096);
	got = !strcmp(a->answer.missing, "refused: too large");
	assert_true(got || !strcmp(a->answer.missing, "refused: damaged"));
	line_answer_free(a);
	line_reader_close(r);
	zygote_free(z);
	return got;
}

/* A vmlinux of root's may be read by nobody else.  Nothing else of root's comes along with it. */
UNIT_TEST(a_kernels_worker_gets_a_hidden_vmlinux_and_no_other_file)
{
	const struct line_kernel k = { .vmlinux = { .release = "" } };
	struct fixture f;

	if (geteuid())
		skip();
	assert_true(fixture_init(&f));
	assert_true(fixture_run(&f, "mkdir boot && cp /proc/self/exe boot/vmlinux-9.9 && "
				    "cp /proc/self/exe program && chmod 600 boot/vmlinux-9.9"));
	wish = (struct debugfile_request){ .way = DEBUGFILE_KERNEL, .name = "9.9" };
	assert_true(gets_wish(&f, &k));
	assert_false(gets_wish(&f, NULL));
	assert_true(debugfile_name(wish.name, sizeof(wish.name), "../boot/vmlinux-9.9"));
	assert_false(gets_wish(&f, &k));
	wish.way = DEBUGFILE_SOURCE;
	assert_true(
		debugfile_name(wish.name, sizeof(wish.name), fixture_path(&f, "boot/vmlinux-9.9")));
	assert_false(gets_wish(&f, &k));
	assert_true(fixture_run(&f, "chmod 644 boot/vmlinux-9.9"));
	assert_true(gets_wish(&f, &k));
	assert_true(fixture_run(&f, "chmod 600 boot/vmlinux-9.9 && chown 65533 boot/vmlinux-9.9"));
	wish = (struct debugfile_request){ .way = DEBUGFILE_KERNEL, .name = "9.9" };
	assert_false(gets_wish(&f, &k));
	fixture_fini(&f);
}

/* Asks L for START of the program NAME of F, which has lines. */
static void ask_lines(struct lines *l, struct fixture *f, const char *name, uint64_t start)
{
	const struct lines_request request = { .key = fixture_key(fixture_path(f, name)),
					       .addresses = &start,
					       .address_count = 1 };
	struct lines_answer *a;

	lines_ask(l, &request);
	a = lines_take(l);
	assert_true(a->has_lines);
	lines_answer_free(a);
}

#define USER_FILES 30u

/* A user's programs, which are more than there are workers for, leave root's worker alone. */
static void expect_to_stay(uint64_t bytes_max)
{
	struct zygote *z;
	struct fixture f;
	struct lines *l;
	uint64_t start;
	int own, pids[64];

	if (geteuid())
		skip();
	assert_true(fixture_init(&f));
	z = zygote_start(app_jobs, app_job_count);
	start = compile(&f, "own", "-g");
	if (start && fixture_run(&f, "for i in $(seq 10 39); do cp own user$i; done && "
				     "chown 65533 user*")) {
		l = lines_new(&(struct lines_options){ .zygote = z,
						       .debug_root = "/nonexistent",
						       .bytes_max = bytes_max,
						       .synchronous = true });
		ask_lines(l, &f, "own", start);
		assert_int_equal(worker_pids(zygote_pid(z), &own, 1), 1);
		for (unsigned i = 0; i < USER_FILES; i++) {
			char name[16];

			snprintf(name, sizeof(name), "user%u", 10 + i);
			ask_lines(l, &f, name, start);
		}
		for (int i = 0; i < 20000 && worker_pids(zygote_pid(z), pids, 64) > 10; i++)
			poll(NULL, 0, 1); /* workers that were closed end by themselves */
		assert_in_range(worker_pids(zygote_pid(z), pids, 64), 2, 10);
		assert_int_equal(kill(own, 0), 0);
		lines_free(l);
	}
	zygote_free(z);
	fixture_fini(&f);
	if (!start)
		skip();
}

UNIT_TEST(a_user_pushes_no_file_of_another_out)
{
	expect_to_stay(0);
}

/* Less than eight of these programs use up so many bytes. */
UNIT_TEST(nor_by_memory)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	expect_to_stay(24u << 20);
#endif
}

/* Asks L for START of the program NAME of F; returns when that may be asked again, 0: it was answered. */
static uint64_t rest_of(struct lines *l, struct fixture *f, const char *name, uint64_t start,
			bool urgent)
{
	const struct lines_request request = { .key = fixture_key(fixture_path(f, name)),
					       .addresses = &start,
					       .address_count = 1,
					       .urgent = urgent };
	struct pollfd answered = { .fd = lines_fd(l), .events = POLLIN };
	struct lines_answer *a;
	uint64_t rest_until_ns;

	lines_ask(l, &request);
	assert_int_equal(poll(&answered, 1, 60000), 1);
	a = lines_take(l);
	assert_non_null(a);
	assert_null(lines_take(l));
	rest_until_ns = a->rest_until_ns;
	assert_int_equal(a->has_lines, !rest_until_ns);
	assert_int_equal(a->place_count, 1);
	assert_int_equal(a->places[0].frame_count != 0, !rest_until_ns);
	lines_answer_free(a);
	return rest_until_ns;
}

static uint64_t one_moment(void *context)
{
	(void)context;
	return NS_PER_S;
}

/* There is room for one of them at a time.  Who owns them is trusted.  No time passes. */
UNIT_TEST(a_file_that_had_to_make_room_is_not_opened_again_at_once)
{
	struct fixture f;
	struct zygote *z;
	struct lines *l;
	const struct clock stopped = { .monotonic_ns = one_moment };
	const char *const names[] = { "one", "other" };
	struct spare_time *spare;
	uint64_t start;
	int i;

	assert_true(fixture_init(&f));
	z = zygote_start(app_jobs, app_job_count);
	start = compile(&f, "one", "-g");
	if (start && fixture_run(&f, "cp one other")) {
		spare = spare_time_new(&stopped, SPARE_RATE);
		spare_time_charge(spare, 1, SPARE_CREDIT_NS / 10 * 9);
		l = lines_new(&(struct lines_options){ .zygote = z,
						       .debug_root = "/nonexistent",
						       .bytes_max = 1,
						       .live = true,
						       .spare = spare,
						       .clock = &stopped });
		assert_int_equal(rest_of(l, &f, "one", start, false), 0);
		assert_int_equal(rest_of(l, &f, "one", start, false), 0);
		/* What a worker took is known when its zygote has run after the fork.  An opening before that is free. */
		for (i = 1; i < 1000 && !rest_of(l, &f, names[i % 2], start, false); i++)
			;
		assert_in_range(i, 2, 999);
		assert_int_equal(rest_of(l, &f, names[(i + 1) % 2], start, false), 0);
		assert_int_not_equal(rest_of(l, &f, names[i % 2], start, false), 0);
		assert_int_equal(rest_of(l, &f, names[i % 2], start, true), 0);
		lines_free(l);
		spare_time_put(spare);
	}
	zygote_free(z);
	fixture_fini(&f);
	if (!start)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_arrive_although_workers_are_killed),
		cmocka_unit_test(a_worker_that_fails_or_lies_at_once_makes_its_file_refused),
		cmocka_unit_test(a_larger_debug_file_gets_larger_limits),
		cmocka_unit_test(a_worker_gets_no_private_file_of_another_user),
		cmocka_unit_test(a_program_gets_no_private_source_of_another_user),
		cmocka_unit_test(a_kernels_worker_gets_a_hidden_vmlinux_and_no_other_file),
		cmocka_unit_test(a_user_pushes_no_file_of_another_out),
		cmocka_unit_test(nor_by_memory),
		cmocka_unit_test(a_file_that_had_to_make_room_is_not_opened_again_at_once),
	};

	if (unit_under_valgrind()) {
		puts("skipped: not under valgrind");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
