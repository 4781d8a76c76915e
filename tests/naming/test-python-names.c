/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <elf.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "naming/python-names.h"

/*
 * Processes that map a file called Python, and whose memory is an ELF header with as many segments as are looked at.
 * None is the dynamic one, so each search fails, after SEARCH_READS reads.  Each read takes READ_NS.
 */
#define IMAGE 0x400000u
#define SEGMENTS 64
#define SEARCH_READS (1 + SEGMENTS)
#define READ_NS 10000u
#define FIRST 100u /* the numbers of the processes */
#define PROCESSES 200u
#define PLACES 4 /* where one process may be kept, of */
#define PROGRAMS 64

struct parts {
	char root[32];
	struct procfs procfs;
	struct clock clock;
	uint64_t now_ns;
	struct strtab *names;
	struct process_table *processes;
	struct frame_table *frames;
	struct python_names *python;
	uint64_t searches[PROCESSES];
};

static bool read_image(void *context, uint32_t pid, uint64_t address, void *to, size_t size)
{
	static const Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
					 .e_phoff = sizeof(head),
					 .e_phentsize = sizeof(Elf64_Phdr),
					 .e_phnum = SEGMENTS };
	struct parts *p = context;

	p->now_ns += READ_NS;
	memset(to, 0, size);
	if (address == IMAGE) {
		memcpy(to, &head, size);
		p->searches[pid - FIRST]++;
	}
	return true;
}

static uint64_t moved_by_hand(void *now_ns)
{
	return *(uint64_t *)now_ns;
}

static void parts_init(struct parts *p)
{
	const struct mapping image = { .start = IMAGE,
				       .end = IMAGE + 4096,
				       .path = "/x/python3.11" };
	char name[64];

	*p = (struct parts){ .root = "/tmp/python-names-XXXXXX", .now_ns = NS_PER_S };
	p->clock = (struct clock){ moved_by_hand, moved_by_hand, &p->now_ns };
	assert_non_null(mkdtemp(p->root));
	assert_int_equal(procfs_open(&p->procfs, p->root, NULL), 0);
	p->names = strtab_new();
	p->processes = process_table_new(NULL, p->names, &p->clock, 0);
	p->frames = frame_table_new(NULL, 0);
	p->python = python_names_new(&(struct python_names_options){ .processes = p->processes,
								     .procfs = &p->procfs,
								     .frames = p->frames,
								     .clock = &p->clock,
								     .read = read_image,
								     .context = p });
	for (uint32_t pid = FIRST; pid < FIRST + PROCESSES; pid++) {
		struct process *process = process_table_thread(p->processes, pid, pid)->process;

		snprintf(name, sizeof(name), "%s/%u", p->root, pid);
		assert_int_equal(mkdir(name, 0700), 0);
		space_insert(process_space(p->processes, process, MAPS_CODE), &image);
	}
}

static void parts_fini(struct parts *p)
{
	char name[64];

	for (uint32_t pid = FIRST; pid < FIRST + PROCESSES; pid++) {
		snprintf(name, sizeof(name), "%s/%u", p->root, pid);
		rmdir(name);
	}
	rmdir(p->root);
	python_names_free(p->python);
	frame_table_free(p->frames);
	process_table_free(p->processes);
	strtab_free(p->names);
	procfs_close(&p->procfs);
}

/* A sample of process NUMBER, now.  Returns the searches that it made. */
static uint64_t sample(struct parts *p, uint32_t number)
{
	const struct record none = { .time_ns = p->now_ns };
	const uint64_t before = p->searches[number];
	const struct python_calls *calls;
	struct process *process = process_table_find(p->processes, FIRST + number);

	assert_true(python_names_find(p->python, process, FIRST + number, &none, &calls));
	assert_null(calls);
	return p->searches[number] - before;
}

static void remap(struct parts *p, uint32_t number)
{
	const struct mapping m = { .start = 0x1000, .end = 0x2000, .path = "//anon" };
	struct process *process = process_table_find(p->processes, FIRST + number);

	space_insert(process_space(p->processes, process, MAPS_CODE), &m);
}

/* A process that changes its mappings before each of 4000 samples in a second. */
UNIT_TEST(a_search_is_paid_by_its_process)
{
	struct parts p;
	uint64_t hostile = 0, most;

	parts_init(&p);
	for (int i = 0; i < 4000; i++, p.now_ns += NS_PER_S / 4000) {
		remap(&p, 0);
		hostile += sample(&p, 0);
	}
	most = (uint64_t)((double)p.now_ns * PYTHON_SHARE) + 20000000;
	printf("%lu searches for 4000 samples\n", (unsigned long)hostile);
	assert_in_range(hostile, 1, 1 + most / (SEARCH_READS * READ_NS));
	assert_int_equal(sample(&p, 1), 1);
	parts_fini(&p);
}

/* A new number would be new credit. */
UNIT_TEST(all_processes_have_a_share)
{
	struct parts p;
	uint64_t searches = 0, most;

	parts_init(&p);
	for (uint32_t i = 0; i < 4000; i++, p.now_ns += NS_PER_S / 4000) {
		remap(&p, i % PROCESSES);
		searches += sample(&p, i % PROCESSES);
	}
	most = (uint64_t)((double)p.now_ns * 2 * PYTHON_SHARE) + 20000000;
	assert_in_range(searches, 1, 1 + most / (SEARCH_READS * READ_NS));
	parts_fini(&p);
}

static uint32_t place(struct parts *p, uint32_t number)
{
	return hash_u64(process_table_find(p->processes, FIRST + number)->serial) & (PROGRAMS - 1);
}

/* Finds COUNT processes that begin to look for a place at the same one. */
static void find_rivals(struct parts *p, uint32_t *rivals, size_t count)
{
	for (uint32_t at = 0; at < PROGRAMS; at++) {
		size_t found = 0;

		for (uint32_t i = 0; i < PROCESSES; i++) {
			if (place(p, i) == at && found < count)
				rivals[found++] = i;
		}
		if (found == count)
			return;
	}
	fail_msg("no place is wanted by %zu processes", count);
}

UNIT_TEST(who_runs_keeps_its_place)
{
	uint32_t rivals[PLACES + 1];
	struct parts p;

	parts_init(&p);
	find_rivals(&p, rivals, PLACES + 1);
	for (int turn = 0; turn < 10; turn++, p.now_ns += NS_PER_S / 10) {
		for (size_t i = 0; i < PLACES; i++)
			assert_int_equal(sample(&p, rivals[i]), !turn);
		assert_int_equal(sample(&p, rivals[PLACES]), 0);
	}
	/* The first two have ended. */
	for (int turn = 0; turn < 20; turn++, p.now_ns += NS_PER_S / 10) {
		for (size_t i = 2; i <= PLACES; i++)
			sample(&p, rivals[i]);
	}
	assert_int_equal(p.searches[rivals[PLACES]], 1);
	for (size_t i = 0; i < PLACES; i++)
		assert_int_equal(p.searches[rivals[i]], 1);
	parts_fini(&p);
}

/* Nothing of a process of another user is read: it may map a file whose file system never answers. */
UNIT_TEST(other_users_are_left_alone)
{
	struct parts p;
	char name[64];

	if (getuid())
		skip();
	parts_init(&p);
	snprintf(name, sizeof(name), "%s/%u", p.root, FIRST);
	assert_int_equal(chown(name, 1, 1), 0);
	for (int i = 0; i < 100; i++) {
		remap(&p, 0);
		assert_int_equal(sample(&p, 0), 0);
	}
	assert_false(python_names_are_wanted(p.python));
	parts_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_search_is_paid_by_its_process),
		cmocka_unit_test(all_processes_have_a_share),
		cmocka_unit_test(who_runs_keeps_its_place),
		cmocka_unit_test(other_users_are_left_alone),
	};

	return unit_run(tests);
}
