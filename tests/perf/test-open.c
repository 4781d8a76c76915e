/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "perf/event/attr.h"
#include "perf/event/evlist.h"
#include "perf/live/open.h"
#include "perf/event/tracefs.h"

/*
 * From the text of an event to the kernel's count of it, on work whose truth is known.  The parser
 * and evsel_attr_init() are right when the kernel counts just that.
 */
#define TIMES 12345

static char tracefs[] = "/tmp/ptop-tracefs-XXXXXX";
static struct event_env env;

/* The count of EVENT while WORK runs, or the -errno of its refusal. */
static int64_t count(const char *event, const char *filter, void (*work)(void))
{
	struct evlist *l = evlist_new();
	struct perf_event_attr attr;
	struct error err = { "" };
	uint64_t value = 0;
	int fd;

	if (evlist_parse_in(l, event, &env, &err) < 0)
		fail_msg("%s", err.text);
	l->items[0]->role = EVSEL_COUNT;
	evsel_attr_init(l->items[0], &attr);
	attr.disabled = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	evlist_free(l);
	if (fd < 0)
		return fd;
	if (filter)
		assert_int_equal(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter), 0);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	work();
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(read(fd, &value, sizeof(value)), sizeof(value));
	close(fd);
	return (int64_t)value;
}

/* Skips the test when the kernel or a lack of privilege refuses the event. */
static void assert_count(const char *event, const char *filter, void (*work)(void), int64_t want)
{
	int64_t n = count(event, filter, work);

	if (n < 0) {
		print_message("skipped: %s: %s\n", event, strerror((int)-n));
		skip();
	}
	assert_int_equal(n, want);
}

static volatile uint64_t cell;

static void write_cell(void)
{
	for (int i = 0; i < TIMES; i++)
		cell = (uint64_t)i;
}

/* A breakpoint without any of ptop's code: some virtual machines accept one and never report a hit. */
static void skip_without_breakpoints(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&cell,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	uint64_t hits = 1;
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd < 0)
		return; /* the test itself is refused and says why */
	cell = 1;
	assert_int_equal(read(fd, &hits, sizeof(hits)), sizeof(hits));
	close(fd);
	if (hits == 0) {
		print_message("skipped: breakpoints of this machine report no hits\n");
		skip();
	}
}

static void read_cell(void)
{
	for (int i = 0; i < TIMES; i++)
		(void)cell;
}

__attribute__((noinline)) static void called(void)
{
	__asm__ volatile("" : : : "memory");
}

static void call(void)
{
	for (int i = 0; i < TIMES; i++)
		called();
}

/* Not for the address sanitizer, whose shadow of the pages would fault as well. */
__attribute__((no_sanitize("address"))) static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 512 * page;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	madvise(p, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += page)
		p[i] = 1;
	munmap(p, size);
}

static void close_bad_descriptors(void)
{
	for (int i = 0; i < TIMES; i++) {
		close(99999);
		close(99998);
	}
}

UNIT_TEST(page_faults)
{
	int64_t n = count("page-faults:u", NULL, touch_pages);

	if (n < 0)
		skip();
	/* The work's own stack and code may fault as well. */
	assert_in_range(n, 512, 520);
}

UNIT_TEST(breakpoint_on_writes)
{
	char event[64];

	skip_without_breakpoints();
	snprintf(event, sizeof(event), "mem:%p/8:w:u", (const void *)&cell);
	assert_count(event, NULL, write_cell, TIMES);
	assert_count(event, NULL, read_cell, 0);
}

UNIT_TEST(breakpoint_on_reads_and_writes)
{
	char event[64];

	skip_without_breakpoints();
	snprintf(event, sizeof(event), "mem:%p/8:rw:u", (const void *)&cell);
	assert_count(event, NULL, read_cell, TIMES);
}

UNIT_TEST(breakpoint_on_execution)
{
	char event[64];

	skip_without_breakpoints();
	snprintf(event, sizeof(event), "mem:%#" PRIxPTR ":x:u", (uintptr_t)called);
	assert_count(event, NULL, call, TIMES);
}

/* A line of /proc/self/maps: "55d0c0001000-55d0c0003000 r-xp 00001000 fe:00 1234   /path". */
static uint64_t file_offset(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t start, end, offset, found = 0;
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) < 3)
			continue;
		if (address >= start && address < end)
			found = address - start + offset;
	}
	fclose(maps);
	return found;
}

static int symbol_offset(void *context, const char *path, const char *symbol, uint64_t *offset,
			 struct error *err)
{
	(void)context;
	(void)path;
	if (strcmp(symbol, "called"))
		return error_set(err, "no such function");
	*offset = file_offset((uintptr_t)called);
	return 0;
}

static void probe(const char *kind)
{
	char event[4200], self[4096];
	ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (access("/sys/bus/event_source/devices/uprobe/type", R_OK))
		skip();
	assert_true(size > 0);
	self[size] = '\0';
	snprintf(event, sizeof(event), "%s:%s:called", kind, self);
	assert_count(event, NULL, call, TIMES);
}

UNIT_TEST(uprobe)
{
	probe("uprobe");
}

UNIT_TEST(uretprobe)
{
	probe("uretprobe");
}

UNIT_TEST(tracepoint_with_filter)
{
	struct error err;
	char *events = tracefs_events(&env, &err);

	if (!events) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	free(events);
	assert_count("syscalls:sys_enter_close", "fd == 99999", close_bad_descriptors, TIMES);
	assert_count("syscalls:sys_enter_close", NULL, close_bad_descriptors, 2 * TIMES);
}

UNIT_TEST(a_refused_event_has_its_errno)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = 0x7fffffff };

	assert_in_range(-perf_open(&attr, 0, -1, -1, 0), 1, 4095);
}

/* Where tracefs is not mounted, root mounts it, in a mount namespace of this process alone. */
static void mount_tracefs(void)
{
	struct error err;
	char *events = tracefs_events(&env, &err);

	free(events);
	if (events || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL))
		return;
	if (!mkdtemp(tracefs))
		return;
	if (!mount("nodev", tracefs, "tracefs", 0, NULL))
		env.tracefs = tracefs;
}

static void unmount_tracefs(void)
{
	if (env.tracefs)
		umount(tracefs);
	rmdir(tracefs);
}

int main(void)
{
	static const struct event_resolver resolver = { .symbol_offset = symbol_offset };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_faults),
		cmocka_unit_test(breakpoint_on_writes),
		cmocka_unit_test(breakpoint_on_reads_and_writes),
		cmocka_unit_test(breakpoint_on_execution),
		cmocka_unit_test(uprobe),
		cmocka_unit_test(uretprobe),
		cmocka_unit_test(tracepoint_with_filter),
		cmocka_unit_test(a_refused_event_has_its_errno),
	};
	int status;

	if (unit_under_valgrind()) {
		puts("skipped: under valgrind the program's instructions run elsewhere");
		return UNIT_SKIP;
	}
	env.resolver = &resolver;
	mount_tracefs();
	status = unit_run_retried(tests);
	unmount_tracefs();
	return status;
}
