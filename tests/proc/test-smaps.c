/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "proc/smaps.h"
#include "proc/tree.h"

static const char smaps[] =
	"55b790c7f000-55b790c81000 r--p 00000000 fe:00 247498                     /usr/bin/a b\n"
	"Size:                  8 kB\n"
	"KernelPageSize:        4 kB\n"
	"Rss:                   8 kB\n"
	"Pss:                   2 kB\n"
	"Pss_Dirty:             1 kB\n"
	"Shared_Clean:          6 kB\n"
	"Shared_Dirty:          0 kB\n"
	"Private_Clean:         2 kB\n"
	"Private_Dirty:         0 kB\n"
	"Anonymous:             0 kB\n"
	"LazyFree:              0 kB\n"
	"Swap:                  0 kB\n"
	"SwapPss:               0 kB\n"
	"VmFlags: rd mr mw me \n"
	"5600f0000000-5600f0021000 rw-p 00000000 00:00 0                          [heap]\n"
	"Rss:                 100 kB\n"
	"Pss:                 100 kB\n"
	"Private_Dirty:       100 kB\n"
	"Anonymous:           100 kB\n"
	"LazyFree:             12 kB\n"
	"Swap:                 20 kB\n"
	"SwapPss:              10 kB\n"
	"7f2c4a000000-7f2c4a022000 rw-p 00000000 00:00 0 \n"
	"Rss:                  16 kB\n";

struct seen {
	struct {
		char path[64];
		uint64_t start;
		struct smaps_usage usage;
	} items[8];
	size_t count;
};

static void see(void *context, const struct mapping *m, const struct smaps_usage *usage)
{
	struct seen *seen = context;

	assert_in_range(seen->count, 0, 7);
	snprintf(seen->items[seen->count].path, 64, "%s", m->path);
	seen->items[seen->count].start = m->start;
	seen->items[seen->count++].usage = *usage;
}

static size_t feed(const char *text, size_t size, size_t step, struct seen *seen)
{
	struct smaps_parser p = { .receive = see, .context = seen };

	*seen = (struct seen){ .count = 0 };
	for (size_t at = 0; at < size; at += step)
		smaps_feed(&p, text + at, size - at < step ? size - at : step);
	smaps_end(&p);
	return p.skipped;
}

static void check_all(const struct seen *seen)
{
	const struct smaps_usage *file = &seen->items[0].usage, *heap = &seen->items[1].usage;

	assert_int_equal(seen->count, 3);
	assert_string_equal(seen->items[0].path, "/usr/bin/a b");
	assert_true(seen->items[0].start == 0x55b790c7f000);
	assert_int_equal(file->resident, 8192);
	assert_int_equal(file->proportional, 2048);
	assert_int_equal(file->shared_clean, 6144);
	assert_int_equal(file->private_clean, 2048);
	assert_int_equal(file->shared_dirty, 0);
	assert_string_equal(seen->items[1].path, "[heap]");
	assert_int_equal(heap->private_dirty, 102400);
	assert_int_equal(heap->swap, 20480);
	assert_int_equal(heap->swap_proportional, 10240);
	assert_int_equal(heap->lazy_free, 12288);
	assert_int_equal(heap->anonymous, 102400);
	assert_int_equal(heap->shared_clean, -1); /* no such line */
	assert_string_equal(seen->items[2].path, "//anon");
	assert_int_equal(seen->items[2].usage.resident, 16384);
	assert_int_equal(seen->items[2].usage.proportional, -1);
}

UNIT_TEST(pieces_of_any_size)
{
	struct seen seen;

	for (size_t step = 1; step <= sizeof(smaps); step++) {
		assert_int_equal(feed(smaps, strlen(smaps), step, &seen), 0);
		check_all(&seen);
	}
}

UNIT_TEST(every_truncation)
{
	struct seen seen;

	for (size_t size = 0; size < strlen(smaps); size++) {
		char *text = malloc(size ? size : 1);

		memcpy(text, smaps, size);
		assert_in_range(feed(text, size, 64, &seen), 0, 1);
		for (size_t i = 0; i < seen.count; i++)
			assert_in_range(seen.items[i].usage.resident + 1, 0, 102401);
		free(text);
	}
}

/* Lines below a damaged line belong to no mapping. */
UNIT_TEST(damaged_lines)
{
	static const char text[] = "Rss: 1 kB\n"
				   "1000-2000 rw-p 0 0:0 0 /a\n"
				   "Rss: 4 kB\n"
				   "2000-3000 rw-p\n"
				   "Rss: 9 kB\n"
				   "\n"
				   "3000-4000 rw-p 0 0:0 0 /b\n"
				   "Rss: 99999999999999999 kB\n"
				   "Swap: none\n";
	char *lengthy = mem_printf("1000-2000 rw-p 0 0:0 0 /%060000d\nRss: 4 kB\n%s", 0, smaps);
	struct seen seen;

	assert_int_equal(feed(text, strlen(text), 5, &seen), 1);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.items[0].usage.resident, 4096);
	assert_string_equal(seen.items[1].path, "/b");
	assert_int_equal(seen.items[1].usage.resident, -1); /* more than there can be */
	assert_int_equal(seen.items[1].usage.swap, -1);
	assert_int_equal(feed(lengthy, strlen(lengthy), 4096, &seen), 1);
	check_all(&seen);
	free(lengthy);
}

UNIT_TEST(adds_what_is_known)
{
	struct smaps_usage sum = smaps_unknown, some = smaps_unknown;

	some.resident = 10;
	smaps_usage_add(&sum, &some);
	some.resident = -1;
	some.swap = INT64_MAX;
	smaps_usage_add(&sum, &some);
	smaps_usage_add(&sum, &some);
	assert_int_equal(sum.resident, 10);
	assert_true(sum.swap == INT64_MAX);
	assert_int_equal(sum.proportional, -1);
}

UNIT_TEST(rollup)
{
	static const char text[] = "5621486ed000-7ffc88b60000 ---p 00000000 00:00 0                "
				   "          [rollup]\n"
				   "Rss:                1736 kB\n"
				   "Pss:                 234 kB\n"
				   "Pss_Anon:            112 kB\n"
				   "Swap:                  3 kB\n"
				   "SwapPss:               2 kB\n";
	struct smaps_usage usage;

	assert_int_equal(smaps_rollup_parse(text, strlen(text), &usage), 0);
	assert_int_equal(usage.resident, 1736 * 1024);
	assert_int_equal(usage.proportional, 234 * 1024);
	assert_int_equal(usage.swap, 3072);
	assert_int_equal(usage.swap_proportional, 2048);
	assert_int_equal(usage.lazy_free, -1);
	assert_int_equal(smaps_rollup_parse("", 0, &usage), -EBADMSG);
	assert_int_equal(smaps_rollup_parse("Pss: 1 kB\n", 10, &usage), -EBADMSG);
}

static bool always(void *context)
{
	(void)context;
	return true;
}

static bool never(void *context)
{
	(void)context;
	return false;
}

UNIT_TEST(reads_files)
{
	struct seen seen = { .count = 0 };
	struct smaps_parser p = { .receive = see, .context = &seen }, again = p, gone = p;
	struct smaps_usage usage;
	struct tree t;

	tree_init(&t);
	tree_printf(&t, "7/smaps", "%s", smaps);
	tree_printf(&t, "7/smaps_rollup", "Rss: 124 kB\n");
	assert_int_equal(smaps_read(&t.procfs, 7, &p, always), 0);
	check_all(&seen);
	assert_int_equal(smaps_rollup_read(&t.procfs, 7, &usage), 0);
	assert_int_equal(usage.resident, 124 * 1024);
	seen.count = 0;
	assert_int_equal(smaps_read(&t.procfs, 7, &again, never), -ECANCELED);
	assert_int_equal(smaps_read(&t.procfs, 8, &gone, always), -ENOENT);
	assert_int_equal(smaps_rollup_read(&t.procfs, 8, &usage), -ENOENT);
	assert_int_equal(usage.resident, -1);
	tree_printf(&t, "9/smaps_rollup", "%s", ""); /* of a kernel thread, or one that ends */
	assert_int_equal(smaps_rollup_read(&t.procfs, 9, &usage), -ESRCH);
	tree_fini(&t);
}

/* The smaps of this kernel are understood. */
UNIT_TEST(this_process)
{
	struct procfs procfs;
	struct smaps_usage usage;
	struct error err;

	if (procfs_open(&procfs, "/proc", &err))
		skip();
	if (smaps_rollup_read(&procfs, (uint32_t)getpid(), &usage)) {
		procfs_close(&procfs);
		skip(); /* older than Linux 4.14 */
	}
	assert_true(usage.resident > 100000 && usage.proportional > 0);
	assert_true(usage.proportional <= usage.resident);
	procfs_close(&procfs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_of_any_size),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(damaged_lines),
		cmocka_unit_test(adds_what_is_known),
		cmocka_unit_test(rollup),
		cmocka_unit_test(reads_files),
		cmocka_unit_test(this_process),
	};

	return unit_run(tests);
}
