/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The live source's readings of the machine, and its words for a refusal. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/event/sysfile.h"
#include "perf/event/rate.h"
#include "perf/live/refusal.h"
#include "perf/record/source.h"
#include "perf/live/tasks.h"

static void file_with(char *path, const char *text)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

UNIT_TEST(lists_of_cpus_are_read)
{
	char path[] = "/tmp/ptop-cpus-XXXXXX", empty[] = "/tmp/ptop-cpus-XXXXXX",
	     bad[] = "/tmp/ptop-cpus-XXXXXX";
	struct number_list l = { 0 };

	file_with(path, "0-3,8,255\n");
	assert_int_equal(sysfile_cpus(path, &l), 0);
	assert_int_equal(l.count, 6);
	assert_int_equal(l.items[5], 255);
	number_list_fini(&l);
	file_with(empty, "");
	assert_int_equal(sysfile_cpus(empty, &l), -ENODATA);
	file_with(bad, "0-,x\n");
	assert_int_equal(sysfile_cpus(bad, &l), -EBADMSG);
	assert_int_equal(l.count, 0);
	assert_int_equal(sysfile_cpus("/nonexistent", &l), -ENOENT);
	unlink(path);
	unlink(empty);
	unlink(bad);
}

UNIT_TEST(frequencies_come_down_to_the_limit)
{
	struct evlist *l = evlist_new();

	assert_int_equal(evlist_parse(l, "cpu-clock,page-faults,task-clock", NULL), 0);
	l->items[0]->freq_hz = 5000;
	l->items[1]->freq_hz = 100;
	l->items[2]->freq_hz = RATE_MAX_FREQ;
	assert_int_equal(rates_limit(l, 1000), 5000);
	assert_int_equal(l->items[0]->freq_hz, 1000);
	assert_int_equal(l->items[1]->freq_hz, 100);
	assert_int_equal(l->items[2]->freq_hz, 1000);
	assert_int_equal(rates_limit(l, 1000), 0);
	assert_true(rate_max_hz() > 0);
	evlist_free(l);
}

UNIT_TEST(every_refusal_says_something)
{
	static const int errors[] = { ENOENT, EACCES, EPERM, EBUSY, EMFILE, EINVAL, EXDEV };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		char *text = refusal_text(errors[i]);

		assert_true(strlen(text) > 4);
		assert_null(strchr(text, '\n'));
		free(text);
	}
}

struct found {
	size_t count;
	uint64_t sum;
};

static void note_task(void *context, uint32_t pid, uint32_t tid)
{
	struct found *f = context;

	f->count++;
	f->sum += pid * 1000u + tid;
}

UNIT_TEST(tasks_are_found_by_their_directories)
{
	char root[] = "/tmp/ptop-proc-XXXXXX";
	static const char *const dirs[] = { "7", "7/task", "7/task/7", "7/task/9",    "7/task/x",
					    "8", "12x",    "self",     "99999999999", "sys" };
	struct found f = { 0 };

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	tasks_of_user(root, geteuid(), note_task, &f);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.sum, 7007 + 7009);
	tasks_of_user(root, geteuid() + 1, note_task, &f);
	tasks_of_process(root, 8, note_task, &f);
	tasks_of_process(root, 4, note_task, &f);
	tasks_of_user("/nonexistent", 0, note_task, &f);
	assert_int_equal(f.count, 2);
	for (size_t i = sizeof(dirs) / sizeof(dirs[0]); i-- > 0;) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		rmdir(path);
	}
	rmdir(root);
}

UNIT_TEST(tasks_of_control_groups_are_listed_by_them)
{
	char root[] = "/tmp/ptop-group-XXXXXX", path[64];
	static const char *const dirs[] = { "proc",          "proc/7",        "proc/7/task",
					    "proc/7/task/7", "proc/7/task/9", "proc/8",
					    "proc/8/task",   "proc/8/task/8", "g",
					    "g/below",       "g/empty" };
	static const char *const files[] = { "g/cgroup.procs", "7\n99\n", "g/below/cgroup.procs",
					     "8\nno pid\n" };
	char group[64], proc[64];
	struct found f = { 0 };

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	for (size_t i = 0; i < 4; i += 2) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		file = fopen(path, "w");
		assert_true(file && fputs(files[i + 1], file) >= 0 && !fclose(file));
	}
	snprintf(group, sizeof(group), "%s/g", root);
	snprintf(proc, sizeof(proc), "%s/proc", root);
	tasks_of_group(group, proc, note_task, &f);
	assert_int_equal(f.count, 3);
	assert_int_equal(f.sum, 7007 + 7009 + 8008);
	tasks_of_group("/nonexistent", proc, note_task, &f);
	assert_int_equal(f.count, 3);
	for (size_t i = 0; i < 4; i += 2) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		unlink(path);
	}
	for (size_t i = sizeof(dirs) / sizeof(dirs[0]); i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		rmdir(path);
	}
	rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_cpus_are_read),
		cmocka_unit_test(frequencies_come_down_to_the_limit),
		cmocka_unit_test(every_refusal_says_something),
		cmocka_unit_test(tasks_are_found_by_their_directories),
		cmocka_unit_test(tasks_of_control_groups_are_listed_by_them),
	};

	return unit_run_retried(tests);
}
