/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of samples, through the whole engine: at once, later, and after an exec or a fork. */
#include "unit.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/rig.h"
#include "symbol/kernel.h"

#define HOT "rig_hot_function"
#define S NS_PER_S

UNIT_TEST(a_short_program_has_its_symbols)
{
	struct rig rig;
	const struct snapshot *s;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_snapshot(&rig);
	rig_receive(&rig, fake_fork(50, 50, 1, 2 * S));
	rig_receive(&rig, fake_comm(50, 50, 2 * S + 1, "short", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S + 2));
	rig_receive(&rig, rig_hot_sample(50, 0, 2 * S + 3));
	rig_receive(&rig, rig_hot_sample(50, 1, 2 * S + 4));
	rig_receive(&rig, fake_exit(50, 50, 2 * S + 5));
	s = rig_snapshot(&rig);
	assert_non_null(rig_row(&rig, 50, 0));
	assert_string_equal(rig_row(&rig, 50, 0)->comm, "short");
	assert_true(rig_row(&rig, 50, 0)->exited);
	assert_int_equal(rig_row(&rig, 50, 0)->state, 'X');
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 2);
	assert_true(rig_samples(&rig, 50, HOT) == 2);
	assert_true(s->sampling.unresolved_percent == 0);
	assert_int_equal(s->sampling.samples, 2);

	s = rig_snapshot(&rig); /* its row was shown; its samples stay, with its name */
	assert_null(rig_row(&rig, 50, 0));
	assert_true(rig_samples(&rig, 50, HOT) == 2);
	assert_string_equal(s->cells[0].comm, "short");
	assert_int_equal(s->sampling.samples, 0);
	assert_int_equal(s->sampling.total_samples, 2);
	rig_fini(&rig);
}

UNIT_TEST(unresolved_samples_are_one_row_of_their_object)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "strange", true));
	rig_receive(&rig, fake_mmap(50, 2 * S, 0x10000, 0x1000, "/nowhere/lib.so"));
	for (uint64_t i = 0; i < 100; i++) {
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S + i, 0x10000 + i, 0));
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S + i, 0x90000 + i, 0));
	}
	rig_receive(&rig, rig_mmap_self(50, 3 * S));
	for (uint64_t i = 0; i < 50; i++)
		rig_receive(&rig, rig_hot_sample(50, 0, 4 * S + i));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, "[unknown]") == 200);
	assert_int_equal(rig.snapshot->cell_count, 3);
	assert_true(rig.snapshot->sampling.unresolved_percent == 80);
	assert_int_equal(engine_statistics(rig.engine).resolver.unmapped, 100);
	rig_fini(&rig);
}

UNIT_TEST(samples_that_came_too_early_are_named_later)
{
	struct rig rig;
	int turns = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig_open(&rig);
	rig_snapshot(&rig);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "early", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	for (uint64_t i = 0; i < 10; i++)
		rig_receive(&rig, rig_hot_sample(50, 0, 2 * S + i));
	rig_receive(&rig, fake_exit(50, 50, 2 * S + 20));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) + rig_samples(&rig, 50, "[loading]") == 10);
	assert_true(rig.snapshot->sampling.unresolved_percent == 0);
	while (rig_samples(&rig, 50, HOT) < 10 && turns++ < 2000) {
		poll(NULL, 0, 10);
		rig_snapshot(&rig);
	}
	assert_true(rig_samples(&rig, 50, HOT) == 10);
	assert_true(rig_samples(&rig, 50, "[loading]") == 0);
	rig_fini(&rig);
}

static double samples_so_far(const struct rig *rig, uint32_t pid, const char *symbol)
{
	return rig->snapshot ? rig_samples(rig, pid, symbol) : 0;
}

static char *write_map(const struct rig *rig, const char *mode, const char *text)
{
	char *path = mem_printf("%s/50/root/tmp/perf-50.map", rig->proc_root);
	FILE *file;

	for (char *p = path + strlen(rig->proc_root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, mode);
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static void remove_map(const struct rig *rig, char *path)
{
	unlink(path);
	for (char *slash; strlen(path) > strlen(rig->proc_root);) {
		slash = strrchr(path, '/');
		*slash = '\0';
		rmdir(path);
	}
	free(path);
}

UNIT_TEST(code_that_is_made_later_is_named_later)
{
	struct rig rig;
	char *path;
	int turns = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig_open(&rig);
	free(write_map(&rig, "w", "10000 100 early_code\n"));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "jit", true));
	rig_receive(&rig, fake_mmap(50, 2 * S, 0x10000, 0x10000, "//anon"));
	while (samples_so_far(&rig, 50, "early_code") < 1 && turns++ < 2000) {
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10010, 0));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	assert_true(rig_samples(&rig, 50, "early_code") >= 1);
	assert_true(rig_samples(&rig, 50, "[unknown]") == 0);
	path = write_map(&rig, "a", "10100 100 late_code\n");
	while (rig_samples(&rig, 50, "late_code") < 1 && turns++ < 2000) {
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10110, 0));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	assert_true(rig_samples(&rig, 50, "late_code") >= 1);
	remove_map(&rig, path);
	rig_fini(&rig);
}

UNIT_TEST(code_that_gets_no_name_is_given_up)
{
	struct rig rig;
	char *path;
	int turns = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig_open(&rig);
	free(write_map(&rig, "w", "10000 100 early_code\n"));
	rig_snapshot(&rig);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "jit", true));
	rig_receive(&rig, fake_mmap(50, 2 * S, 0x10000, 0x10000, "//anon"));
	rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10010, 0));
	while (samples_so_far(&rig, 50, "early_code") < 1 && turns++ < 2000) {
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10110, 0));
	for (int i = 0; i < 6; i++)
		rig_snapshot(&rig);
	path = write_map(&rig, "a", "10100 100 late_code\n");
	while (rig_samples(&rig, 50, "late_code") < 1 && turns++ < 2000) {
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10120, 0));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	assert_true(rig_samples(&rig, 50, "late_code") >= 1);
	assert_true(rig_samples(&rig, 50, "[unknown]") >= 1);
	remove_map(&rig, path);
	rig_fini(&rig);
}

static void copy_file(const char *from, const char *to)
{
	char *command = mem_printf("cp '%s' '%s'", from, to);

	assert_int_equal(system(command), 0);
	free(command);
}

/* A file out of reach that another process can reach: names come to the first one as well. */
UNIT_TEST(what_fails_once_may_be_loaded_later)
{
	struct record self = rig_mmap_self(50, 2 * S);
	struct rig rig;
	char *path;
	int turns = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig_open(&rig);
	rig_snapshot(&rig);
	path = mem_printf("%s/copy", rig.proc_root);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "first", true));
	self.mmap.path = path;
	for (rig_receive(&rig, self); samples_so_far(&rig, 50, "[unknown]") < 2; turns++) {
		assert_true(turns < 2000);
		rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	copy_file(rig_mmap_self(50, 0).mmap.path, path);
	rig_receive(&rig, fake_comm(60, 60, 2 * S, "second", true));
	self.mmap.pid = self.mmap.tid = 60;
	for (rig_receive(&rig, self); rig_samples(&rig, 50, HOT) < 1; turns++) {
		assert_true(turns < 2000);
		rig_receive(&rig, rig_hot_sample(60, 0, 3 * S));
		rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	unlink(path);
	free(path);
	rig_fini(&rig);
}

UNIT_TEST(each_process_has_its_own_addresses)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "one", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, fake_comm(60, 60, 2 * S, "two", true));
	rig_receive(&rig, fake_mmap(60, 2 * S, rig_hot_address() & ~4095ull, 4096, "/nowhere"));
	for (int i = 0; i < 3; i++) {
		rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
		rig_receive(&rig, rig_hot_sample(60, 0, 3 * S));
	}
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 3);
	assert_true(rig_samples(&rig, 60, "[unknown]") == 3);
	rig_fini(&rig);
}

UNIT_TEST(a_new_program_forgets_the_old_one_s_addresses)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "first", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
	rig_receive(&rig, fake_comm(50, 50, 4 * S, "second", true));
	rig_receive(&rig, rig_hot_sample(50, 0, 5 * S));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 1);
	assert_true(rig_samples(&rig, 50, "[unknown]") == 1);
	rig_fini(&rig);
}

UNIT_TEST(a_fork_inherits_the_addresses)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "parent", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, fake_fork(51, 51, 50, 3 * S));
	rig_receive(&rig, rig_hot_sample(51, 0, 4 * S));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 51, HOT) == 1);
	assert_string_equal(rig_row(&rig, 51, 0)->comm, "parent");
	rig_fini(&rig);
}

/* perf record --tail-synthesize: what is recorded first has no names, what follows has. */
UNIT_TEST(the_kernel_may_be_described_late)
{
	struct source_machine machine = {
		.hostname = "", .release = "", .arch = "", .command = ""
	};
	struct record sample = fake_sample(7, 7, 0, 2, 0xffffffff81000040, 0), mmap;
	char kallsyms[] = "/tmp/ptop-kallsyms-XXXXXX";
	const char *symbols = "ffffffff81000000 T _text\nffffffff81000040 T named\n"
			      "ffffffff82000000 T _etext\n";
	struct rig rig;
	int fd;

	machine.kernel_build_id = kernel_build_id("/sys/kernel/notes");
	if (!machine.kernel_build_id.size)
		skip();
	fd = mkstemp(kallsyms);
	assert_int_equal(write(fd, symbols, strlen(symbols)), strlen(symbols));
	close(fd);
	rig_init(&rig, "cpu-clock", TIER_FILE);
	rig.options.machine = &machine;
	rig.options.kallsyms = kallsyms;
	rig_open(&rig);
	sample.cpumode = CPUMODE_KERNEL;
	rig_receive(&rig, sample);
	mmap = fake_mmap(UINT32_MAX, 3, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	mmap.cpumode = CPUMODE_KERNEL;
	mmap.mmap.pgoff = 0xffffffff81000000;
	rig_receive(&rig, mmap);
	sample.time_ns = 4;
	rig_receive(&rig, sample);
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 0, "named") == 1);
	rig_fini(&rig);
	unlink(kallsyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_program_has_its_symbols),
		cmocka_unit_test(unresolved_samples_are_one_row_of_their_object),
		cmocka_unit_test(samples_that_came_too_early_are_named_later),
		cmocka_unit_test(code_that_is_made_later_is_named_later),
		cmocka_unit_test(code_that_gets_no_name_is_given_up),
		cmocka_unit_test(what_fails_once_may_be_loaded_later),
		cmocka_unit_test(each_process_has_its_own_addresses),
		cmocka_unit_test(a_new_program_forgets_the_old_one_s_addresses),
		cmocka_unit_test(a_fork_inherits_the_addresses),
		cmocka_unit_test(the_kernel_may_be_described_late),
	};

	return unit_run(tests);
}
