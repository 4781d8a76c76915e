/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call frame information that workers read: the same rules as without, files that are refused, workers that lie.
 * tests/symbol/test-load-worker has who reads which files one after the other.
 */
#include "unit.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "app/jobs.h"
#include "base/alloc.h"
#include "symbol/fixture.h"
#include "symbol/object.h"
#include "unwind/tables.h"
#include "unwind/unwind-worker.h"
#include "worker/bad-jobs.h"
#include "worker/channel.h"
#include "worker/sealed.h"

/* Started by main() while there is one thread. */
static struct zygote *zygote;

/* Reads PATH by workers of Z; what is missing is written to MISSING. */
static struct unwind_object *read_by(struct zygote *z, const char *path, char missing[512])
{
	struct reader_pool *pool = reader_pool_new(z, READER_FRAMES);
	struct load l = { .key = { .kind = DSO_FILE, .path = path }, .proc_root = "/proc" };
	struct unwind_object *o;

	load_open_file(&l);
	o = unwind_object_in_worker(&l, pool);
	strcpy(missing, l.missing);
	load_fini(&l);
	reader_pool_free(pool);
	return o;
}

static void expect_same(const char *path)
{
	struct object *file = object_new(object_open_file(path));
	struct unwind_object *here = unwind_object_new(file), *apart;
	char missing[512];
	size_t size;

	apart = read_by(zygote, path, missing);
	assert_non_null(here);
	assert_non_null(apart);
	assert_string_equal(missing, "");
	assert_memory_equal(&here->head, &apart->head, sizeof(here->head));
	size = unwind_parts_of(&here->head).end - sizeof(here->head);
	assert_memory_equal(here->segments, apart->segments, size);
	assert_true(unwind_object_functions(apart) > 0);
	assert_true(unwind_object_fp_percent(apart) == unwind_object_fp_percent(here));
	unwind_object_free(here);
	unwind_object_free(apart);
	object_free(file);
}

UNIT_TEST(workers_find_the_same_rules)
{
	static const char *const paths[] = {
		"/proc/self/exe",
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/bin/ls",
		"/usr/aarch64-linux-gnu/lib/libc.so.6",
		"/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char *path = realpath(paths[i], NULL);

		if (path)
			expect_same(path);
		free(path);
	}
}

UNIT_TEST(what_is_no_program_has_none)
{
	char missing[512];

	assert_null(read_by(zygote, "/etc/passwd", missing));
	assert_string_equal(missing, "");
	assert_null(read_by(zygote, "/nonexistent/file", missing));
	assert_string_equal(missing, "");
}

/* A block whose only row begins behind the first address. */
static void write_forged(char *at, const void *context)
{
	const struct unwind_block head = {
		.magic = UNWIND_BLOCK_MAGIC, .machine = UNWIND_X86_64, .rules = 1, .rows = 1
	};
	const struct rule rule = { .kind = RULE_ABSENT };
	const uint32_t start = 1;

	(void)context;
	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), &rule, sizeof(rule));
	memcpy(at + sizeof(head) + sizeof(rule), &start, sizeof(start));
}

static void forging_job(int socket)
{
	static const uint32_t found[3] = { 3, 1, 0 };
	struct channel_fds fds = { .count = 1 };
	char order[64];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	fds.fds[0] = sealed_write(sizeof(struct unwind_block) + sizeof(struct rule) + 6,
				  write_forged, NULL);
	channel_send(socket, found, sizeof(found), &fds);
}

/* It says that there is a block, and sends none. */
static void forgetful_job(int socket)
{
	static const uint32_t found[3] = { 3, 1, 0 };
	char order[64];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	channel_send(socket, found, sizeof(found), NULL);
}

static void refused_with(worker_main *job, const char *why)
{
	worker_main *const jobs[READER_JOBS] = { [READER_FRAMES] = job };
	struct zygote *other = zygote_start(jobs, READER_JOBS);
	char missing[512];

	assert_null(read_by(other, "/bin/ls", missing));
	assert_string_equal(missing, why);
	zygote_free(other);
}

UNIT_TEST(a_worker_that_fails_is_a_refusal)
{
	for (const struct bad_job *j = bad_jobs; j->job; j++)
		refused_with(j->job, j->missing);
	refused_with(forging_job, "refused: damaged");
	refused_with(forgetful_job, "refused: damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_find_the_same_rules),
		cmocka_unit_test(what_is_no_program_has_none),
		cmocka_unit_test(a_worker_that_fails_is_a_refusal),
	};
	int status;

	zygote = zygote_start(app_jobs, app_job_count);
	status = unit_run(tests);
	zygote_free(zygote);
	return status;
}
