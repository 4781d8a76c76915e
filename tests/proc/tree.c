/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/tree.h"

static uint64_t clock_now(void *context)
{
	struct tree_clock *c = context;

	return c->now_ns += c->step_ns;
}

void tree_clock_init(struct tree_clock *c, uint64_t now_ns)
{
	*c = (struct tree_clock){ .clock = { clock_now, clock_now, c }, .now_ns = now_ns };
}

void tree_init(struct tree *t)
{
	snprintf(t->root, sizeof(t->root), "%.40s/ptop-proc-XXXXXX", unit_folder(false));
	assert_non_null(mkdtemp(t->root));
	assert_int_equal(procfs_open(&t->procfs, t->root, NULL), 0);
	t->procfs.ticks_per_s = 100;
	t->procfs.page_size = 4096;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_all(const char *path)
{
	assert_int_equal(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void tree_fini(struct tree *t)
{
	procfs_close(&t->procfs);
	remove_all(t->root);
}

void tree_remove(struct tree *t, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	remove_all(path);
}

void tree_write(struct tree *t, const char *name, const void *bytes, size_t size)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	for (char *slash = path + strlen(t->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

void tree_printf(struct tree *t, const char *name, const char *format, ...)
{
	char text[8192];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assert_in_range(n, 0, sizeof(text) - 1);
	tree_write(t, name, text, (size_t)n);
}

void tree_task(struct tree *t, const struct tree_task *k)
{
	char at[64], name[96];

	if (k->tid)
		snprintf(at, sizeof(at), "%u/task/%u", k->pid, k->tid);
	else
		snprintf(at, sizeof(at), "%u", k->pid);
	snprintf(name, sizeof(name), "%s/stat", at);
	tree_printf(t, name,
		    "%u (%s) %c %u 7 7 0 -1 %u %lu 0 %lu 0 %lu %lu 0 0 20 0 %u 0 %lu 3133440 394 "
		    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		    k->tid ? k->tid : k->pid, k->comm ? k->comm : "comm", k->state ? k->state : 'S',
		    k->ppid, k->flags, k->minor_faults, k->major_faults, k->user_ticks,
		    k->system_ticks, k->threads ? k->threads : 1, k->start_ticks);
	snprintf(name, sizeof(name), "%s/status", at);
	tree_printf(t, name,
		    "Name:\t%s\nTgid:\t%u\nPid:\t%u\nPPid:\t%u\nUid:\t1000\t1001\t1002\t1003\n"
		    "VmSwap:\t       4 kB\nvoluntary_ctxt_switches:\t%lu\n"
		    "nonvoluntary_ctxt_switches:\t%lu\n",
		    k->comm ? k->comm : "comm", k->pid, k->tid ? k->tid : k->pid, k->ppid,
		    k->voluntary, k->involuntary);
}
