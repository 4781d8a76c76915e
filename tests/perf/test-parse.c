/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "base/buf.h"
#include "machine.h"
#include "perf/event/attr.h"
#include "perf/event/event.h"
#include "perf/event/evlist.h"

static struct machine machine;

static struct evlist *parsed(const char *text)
{
	struct evlist *l = evlist_new();
	struct error err = { "" };

	if (evlist_parse_in(l, text, &machine.env, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(err.text, "");
	return l;
}

static void assert_text(const struct evlist *l, const char *text)
{
	struct buf b = { 0 };

	evlist_format(l, &b);
	assert_string_equal(b.bytes, text);
	buf_fini(&b);
}

#define CACHE(cache, op, result) ((cache) | (uint64_t)(op) << 8 | (uint64_t)(result) << 16)

static const struct expected {
	const char *text, *canonical; /* NULL: the same */
	uint32_t type;
	uint64_t config, config1, config2;
	int count; /* 0: 1 */
} expected[] = {
	{ "cycles", NULL, 0, .config = 0 },
	{ "cpu-cycles", "cycles", 0, .config = 0 },
	{ "instructions:u", NULL, 0, .config = 1 },
	{ "branch-instructions:k", "branches:k", 0, .config = 4 },
	{ "branch-misses", NULL, 0, .config = 5 },
	{ "idle-cycles-backend", "stalled-cycles-backend", 0, .config = 8 },
	{ "cs", "context-switches", 1, .config = 3 },
	{ "faults", "page-faults", 1, .config = 2 },
	{ "cgroup-switches", NULL, 1, .config = 11 },
	{ "cycles:hukGHIpppSDe", "cycles:ukhGHIpppSDe", 0, .config = 0 },
	{ "cycles:P", NULL, 0, .config = 0 },
	{ "L1-dcache-load-misses", NULL, 3, .config = CACHE(0, 0, 1) },
	{ "L1-dcache-loads", NULL, 3, .config = CACHE(0, 0, 0) },
	{ "l1d-write", "L1-dcache-stores", 3, .config = CACHE(0, 1, 0) },
	{ "L1-icache-prefetch-miss", "L1-icache-prefetch-misses", 3, .config = CACHE(1, 2, 1) },
	{ "LLC", "LLC-loads", 3, .config = CACHE(2, 0, 0) },
	{ "llc-misses:u", "LLC-load-misses:u", 3, .config = CACHE(2, 0, 1) },
	{ "dTLB-store-misses", NULL, 3, .config = CACHE(3, 1, 1) },
	{ "iTLB-load-misses", NULL, 3, .config = CACHE(4, 0, 1) },
	{ "branch-load-misses", NULL, 3, .config = CACHE(5, 0, 1) },
	{ "node-stores", NULL, 3, .config = CACHE(6, 1, 0) },
	{ "node-speculative-read-refs", "node-prefetches", 3, .config = CACHE(6, 2, 0) },
	{ "r1A8", "r1a8", 4, .config = 0x1a8 },
	{ "r003c:u", "r3c:u", 4, .config = 0x3c },
	{ "rffffffffffffffff", NULL, 4, .config = UINT64_MAX },
	{ "cycles/freq=99/", NULL, 0, .config = 0 },
	{ "cycles/name=foo,freq=0x63/u", "cycles/freq=99,name=foo/u", 0, .config = 0 },
	{ "cycles/name='a, b/c'/:u", "cycles/name='a, b/c'/u", 0, .config = 0 },
	{ "r3c/period=7/", NULL, 4, .config = 0x3c },
	{ "cpu/event=0x3c,umask=1/", NULL, 4, .config = 0x13c },
	{ "cpu/umask=0xff,edge,event=60/u", NULL, 4, .config = 0x4ff3c },
	{ "cpu/cmask=2,event=1,cmask=1/", NULL, 4, .config = 0x1000001 },
	{ "cpu/split=0xfff/", NULL, 4, .config = 0xf000000ff },
	{ "cpu/event=1,ldlat=30,wide=0xffffffffffffffff/", NULL, 4, .config = 1, .config1 = 30,
	  .config2 = UINT64_MAX },
	{ "cpu/config=0x10,config1=2,config2=3/", NULL, 4, .config = 0x10, .config1 = 2,
	  .config2 = 3 },
	{ "cpu/r1a8/", NULL, 4, .config = 0x1a8 },
	{ "cpu/mem-loads/", NULL, 4, .config = 0x1cd, .config1 = 3 },
	{ "cpu/mem-loads,ldlat=50/pp", NULL, 4, .config = 0x1cd, .config1 = 50 },
	{ "cpu/parametric,ldlat=9/", NULL, 4, .config = 0x10, .config1 = 9 },
	{ "cpu/sampled/", NULL, 4, .config = 0x3d },
	{ "cpu//", NULL, 4, .config = 0 },
	{ "cpu/freq=5/", NULL, 4, .config = 0 },
	{ "cpu/name=x,event=1,period=5/k", "cpu/event=1,period=5,name=x/k", 4, .config = 1 },
	{ "mem-loads", "cpu/mem-loads/", 4, .config = 0x1cd, .config1 = 3 },
	{ "energy-pkg", "power/energy-pkg/", 32, .config = 2 },
	{ "cpu/cycles/", NULL, 0, .config = 0 },
	{ "cpu/cpu-cycles/", NULL, 4, .config = 0x3c },
	{ "cpu_atom/cycles/", NULL, 0, .config = UINT64_C(10) << 32 },
	{ "cpu_core/LLC-load-misses/u", NULL, 3, .config = UINT64_C(24) << 32 | CACHE(2, 0, 1) },
	{ "cpu_core/event=0x3c/", NULL, 24, .config = 0x3c },
	{ "uncore_imc/cas_count_read/", "uncore_imc_0/cas_count_read/,uncore_imc_1/cas_count_read/",
	  30, .config = 4, .count = 2 },
	{ "uncore_*/event=9/", "uncore_imc_0/event=9/,uncore_imc_1/event=9/", 30, .config = 9,
	  .count = 2 },
	{ "uncore_imc_1/event=9/", NULL, 31, .config = 9 },
	{ "cas_count_read", "uncore_imc_0/cas_count_read/,uncore_imc_1/cas_count_read/", 30,
	  .config = 4, .count = 2 },
	{ "sched:sched_switch", NULL, 2, .config = 314 },
	{ "sched:sched_switch:u", NULL, 2, .config = 314 },
	{ "sched:sched_switch/name=s,period=10/", "sched:sched_switch/period=10,name=s/", 2,
	  .config = 314 },
	{ "sched:sched_wakeup*", "sched:sched_wakeup,sched:sched_wakeup_new", 2, .config = 313,
	  .count = 2 },
	{ "s*:*_write", "syscalls:sys_enter_write", 2, .config = 702 },
	{ "sched:*:k", "sched:sched_switch:k,sched:sched_wakeup:k,sched:sched_wakeup_new:k", 2,
	  .config = 314, .count = 3 },
	{ "mem:0x1000", "mem:0x1000/4:rw", 5, .config = 0, .config1 = 0x1000, .config2 = 4 },
	{ "mem:4096/8:w", "mem:0x1000/8:w", 5, .config = 0, .config1 = 0x1000, .config2 = 8 },
	{ "mem:0x1000/8:w:u", NULL, 5, .config = 0, .config1 = 0x1000, .config2 = 8 },
	{ "mem:0x1000:u", "mem:0x1000/4:rw:u", 5, .config = 0, .config1 = 0x1000, .config2 = 4 },
	{ "mem:0x1000:x", "mem:0x1000/8:x", 5, .config = 0, .config1 = 0x1000,
	  .config2 = sizeof(long) },
	{ "mem:0x1000/1/name=v/", "mem:0x1000/1:rw/name=v/", 5, .config = 0, .config1 = 0x1000,
	  .config2 = 1 },
	{ "mem:0x1000:wr", "mem:0x1000/4:rw", 5, .config = 0, .config1 = 0x1000, .config2 = 4 },
	{ "uprobe:/bin/a:main", NULL, 8, .config = 0, .config2 = 0x1140 },
	{ "uprobe:/bin/a:main+0x4:u", NULL, 8, .config = 0, .config2 = 0x1144 },
	{ "uretprobe:/bin/a:main", NULL, 8, .config = 1, .config2 = 0x1140 },
	{ "uprobe:/bin/a:0x200+16", "uprobe:/bin/a:0x210", 8, .config = 0, .config2 = 0x210 },
	{ "uprobe:/odd\\:path, {x}:main", NULL, 8, .config = 0, .config2 = 0x1140 },
	{ "uprobe:/back\\\\slash:main/name=m/", NULL, 8, .config = 0, .config2 = 0x1140 },
	{ "kprobe:do_sys_openat2", NULL, 7, .config = 0 },
	{ "kprobe:do_sys_openat2+8", NULL, 7, .config = 0, .config2 = 8 },
	{ "kretprobe:vfs_read", NULL, 7, .config = 1 },
	{ "kprobe:0xffffffff81000000", NULL, 7, .config = 0, .config2 = 0xffffffff81000000 },
	{ "cycles,instructions", NULL, 0, .config = 0, .count = 2 },
	{ " cycles ,\n\tinstructions ", "cycles,instructions", 0, .config = 0, .count = 2 },
	{ "{cycles,instructions}", NULL, 0, .config = 0, .count = 2 },
	{ "{ cycles , instructions },faults", "{cycles,instructions},page-faults", 0, .config = 0,
	  .count = 3 },
	{ "{cycles,instructions:k}:u", "{cycles:u,instructions:uk}", 0, .config = 0, .count = 2 },
	{ "{cycles,instructions}:S", "{cycles:S,instructions}", 0, .config = 0, .count = 2 },
	{ "{cycles,instructions:S}", "{cycles:S,instructions}", 0, .config = 0, .count = 2 },
	{ "{cycles:P,instructions}:p", "{cycles:P,instructions:p}", 0, .config = 0, .count = 2 },
	{ "{cycles},{faults}", "{cycles},{page-faults}", 0, .config = 0, .count = 2 },
};

static void assert_same(const struct evsel *a, const struct evsel *b)
{
	struct perf_event_attr x, y;

	evsel_attr_init(a, &x);
	evsel_attr_init(b, &y);
	if (a->probe) {
		assert_string_equal(a->probe, b->probe);
		x.config1 = y.config1 = 0;
	}
	assert_memory_equal(&x, &y, sizeof(x));
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->base, b->base);
	assert_int_equal(a->role, b->role);
	assert_int_equal(a->group, b->group);
	assert_int_equal(a->rate, b->rate);
	assert_int_equal(a->modifiers, b->modifiers);
	assert_int_equal(a->group_read, b->group_read);
	assert_int_equal(a->precise_max, b->precise_max);
	assert_int_equal(a->cpus.count, b->cpus.count);
	assert_int_equal(a->per_cpu_only, b->per_cpu_only);
}

UNIT_TEST(means_what_perf_means)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct expected *x = &expected[i];
		struct evlist *l = parsed(x->text);

		assert_int_equal(l->count, x->count ? x->count : 1);
		assert_int_equal(l->items[0]->type, x->type);
		assert_int_equal(l->items[0]->config, x->config);
		assert_int_equal(l->items[0]->config1, x->config1);
		assert_int_equal(l->items[0]->config2, x->config2);
		assert_text(l, x->canonical ? x->canonical : x->text);
		evlist_free(l);
	}
}

UNIT_TEST(format_of_parse_is_stable)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct evlist *l = parsed(expected[i].text), *again;
		struct buf b = { 0 };

		evlist_format(l, &b);
		again = parsed(b.bytes);
		assert_int_equal(again->count, l->count);
		for (size_t j = 0; j < l->count; j++)
			assert_same(l->items[j], again->items[j]);
		assert_text(again, b.bytes);
		buf_fini(&b);
		evlist_free(again);
		evlist_free(l);
	}
}

static const struct wrong {
	const char *text;
	int column;
	const char *says;
} wrong[] = {
	{ "", 1, "missing" },
	{ "cycles,", 8, "missing" },
	{ ",cycles", 1, "missing" },
	{ "cycles,,faults", 8, "missing" },
	{ "nosuch", 1, "no such event" },
	{ "cycels", 1, "did you mean cycles?" },
	{ "cycles,instrutcions", 8, "did you mean instructions?" },
	{ "L1-dcache-laod-misses", 1, "did you mean L1-dcache-load-misses?" },
	{ "L1-icache-stores", 1, "no such event" },
	{ "LLC-loads-", 1, "no such event" },
	{ "LLC-loads-loads", 1, "no such event" },
	{ "rxyz", 1, "no such event" },
	{ "r10000000000000000", 1, "no such event" },
	{ "cycles:", 8, "modifier" },
	{ "cycles:q", 8, "no modifier" },
	{ "cycles:uq", 9, "no modifier" },
	{ "cycles:pppp", 11, "three" },
	{ "cycles:pP", 9, "exclude each other" },
	{ "cycles:u:k", 9, "','" },
	{ "cycles u", 8, "','" },
	{ "cycles}", 7, "','" },
	{ "{cycles", 1, "'}'" },
	{ "{cycles,{faults}}", 9, "missing" },
	{ "{}", 2, "missing" },
	{ "{cycles}:", 10, "modifier" },
	{ "{cycles}x", 9, "','" },
	{ "cycles/freq=99", 15, "closing" },
	{ "cycles/freq=0/", 13, "from 1 up" },
	{ "cycles/freq=ten/", 13, "freq=999" },
	{ "cycles/freq/", 8, "freq=999" },
	{ "cycles/period=-1/", 15, "period=" },
	{ "cycles/freq=1,period=2/", 15, "enough" },
	{ "cycles/event=1/", 8, "only freq=" },
	{ "cycles//", 8, "term" },
	{ "cycles/name=/", 13, "value" },
	{ "cycles/name='x/", 16, "closing '" },
	{ "cycles/name=''/", 8, "text" },
	{ "cpu/event=0x100/", 11, "8 bits" },
	{ "cpu/edge=2/", 10, "1 bits" },
	{ "cpu/event=zz/", 11, "no number" },
	{ "cpu/event=18446744073709551616/", 11, "no number" },
	{ "cpu/evnt=1/", 5, "did you mean event?" },
	{ "cpu/mem-laods/", 5, "did you mean mem-loads?" },
	{ "cpu/strange=1/", 5, "config9:0-7" },
	{ "cpu/broken/", 11, "cpu has no such field" },
	{ "cpu/page-faults/", 5, "no such field" },
	{ "cpu/event=1", 12, "closing" },
	{ "cpu/event=1,", 13, "term" },
	{ "cpu/event=1,/", 13, "term" },
	{ "cpu/event=1;umask=2/", 11, "no number" },
	{ "gpu/event=1/", 1, "did you mean cpu?" },
	{ "nothinglikeit/event=1/", 1, "no such PMU" },
	{ "power/cycles/", 7, "no such field" },
	{ "sched:", 7, "name is missing" },
	{ "sched:sched_swich", 7, "did you mean sched_switch?" },
	{ "shced:sched_switch", 1, "did you mean sched?" },
	{ "sched:zzzzzzzz", 7, "sched:*" },
	{ "sched:zz*", 7, "no such tracepoint" },
	{ "sched:enable", 7, "no such tracepoint" },
	{ "ftrace:function", 8, "no such tracepoint" },
	{ "broken:bad", 8, "id" },
	{ "mem:", 5, "address" },
	{ "mem:zz", 5, "address" },
	{ "mem:0x1000/3", 5, "1, 2, 4 or 8" },
	{ "mem:0x1000:rx", 5, "neither" },
	{ "mem:0x1000/4:x", 5, "length 8" },
	{ "mem:0x1000:q", 12, "no modifier" },
	{ "uprobe:", 8, "uprobe:PATH:SYMBOL" },
	{ "uprobe:/bin/a", 8, "uprobe:PATH:SYMBOL" },
	{ "uprobe::main", 8, "uprobe:PATH:SYMBOL" },
	{ "uprobe:bin/a:main", 8, "begins with '/'" },
	{ "uprobe:/bin/a:", 15, "symbol is missing" },
	{ "uprobe:/bin/a:mian", 15, "/bin/a has no function" },
	{ "uprobe:/bin/a:main+x", 20, "offset" },
	{ "kprobe:", 8, "function is missing" },
	{ "cycles\001", 7, "','" },
};

/* Parses a text that is wrong; false, with a message, when that is not noticed as it should be. */
static bool noticed(const struct wrong *w)
{
	struct evlist *l = evlist_new();
	struct error err = { "" };
	char column[32];
	bool good;

	snprintf(column, sizeof(column), "column %d", w->column);
	good = evlist_parse_in(l, w->text, &machine.env, &err) < 0 && strstr(err.text, column) &&
	       strstr(err.text, w->says) && !l->count && !l->groups;
	if (!good)
		print_error("'%s': wanted %s and \"%s\", got: %s\n", w->text, column, w->says,
			    err.text);
	evlist_free(l);
	return good;
}

UNIT_TEST(says_where_it_went_wrong)
{
	bool all = true;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		all &= noticed(&wrong[i]);
	assert_true(all);
}

/* Every prefix of every text ends in a list or in an error, and reads nothing behind it. */
UNIT_TEST(every_truncation)
{
	int good = 0, bad = 0;

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		for (size_t size = 0; size < strlen(expected[i].text); size++) {
			char *cut = strndup(expected[i].text, size);
			struct evlist *l = evlist_new();
			struct error err = { "" };

			if (evlist_parse_in(l, cut, &machine.env, &err) < 0) {
				assert_true(err.text[0]);
				assert_int_equal(l->count, 0);
				bad++;
			} else {
				assert_true(l->count > 0);
				good++;
			}
			evlist_free(l);
			free(cut);
		}
	}
	assert_true(good > 0 && bad > 0);
}

UNIT_TEST(appends_and_numbers_groups_on)
{
	struct evlist *l = parsed("{cycles,instructions},faults,sched:sched_w*");
	struct error err;

	assert_int_equal(evlist_parse_in(l, "{cs,migrations},syscalls:*", &machine.env, &err), 0);
	assert_int_equal(evlist_parse_in(l, "cycles,nosuch", &machine.env, &err), -1);
	assert_text(l,
		    "{cycles,instructions},page-faults,sched:sched_wakeup,sched:sched_wakeup_new,"
		    "{context-switches,cpu-migrations},syscalls:sys_enter_read,"
		    "syscalls:sys_enter_write");
	assert_int_equal(l->groups, 2);
	assert_int_equal(l->items[0]->group, 0);
	assert_int_equal(l->items[2]->group, -1);
	assert_int_equal(l->items[5]->group, 1);
	assert_int_not_equal(l->items[3]->glob, l->items[7]->glob);
	evlist_free(l);
}

UNIT_TEST(modifiers_become_exclusions)
{
	struct evlist *l =
		parsed("cycles:u,cycles:uk,cycles:h,cycles:G,cycles:HI,cycles:pp,cycles:P,"
		       "{cycles,instructions}:De");

	assert_true(!l->items[0]->exclude_user && l->items[0]->exclude_kernel &&
		    l->items[0]->exclude_hv && !l->items[0]->exclude_guest);
	assert_true(!l->items[1]->exclude_user && !l->items[1]->exclude_kernel &&
		    l->items[1]->exclude_hv);
	assert_true(l->items[2]->exclude_user && l->items[2]->exclude_kernel &&
		    !l->items[2]->exclude_hv);
	assert_true(!l->items[3]->exclude_guest && l->items[3]->exclude_host);
	assert_true(l->items[4]->exclude_guest && !l->items[4]->exclude_host &&
		    l->items[4]->exclude_idle);
	assert_true(l->items[5]->precise_ip == 2 && !l->items[5]->precise_max);
	assert_true(l->items[6]->precise_ip == 3 && l->items[6]->precise_max);
	/* The kernel takes these two from a group's leader only. */
	assert_true(l->items[7]->pinned && l->items[7]->exclusive);
	assert_true(!l->items[8]->pinned && !l->items[8]->exclusive);
	evlist_free(l);
}

UNIT_TEST(a_group_read_samples_its_first_event_only)
{
	struct evlist *l = parsed("{cycles,instructions,faults}:S,{cycles,faults}");

	assert_int_equal(l->items[0]->role, EVSEL_SAMPLE);
	assert_int_equal(l->items[1]->role, EVSEL_COUNT);
	assert_int_equal(l->items[2]->role, EVSEL_COUNT);
	assert_int_equal(l->items[3]->role, EVSEL_SAMPLE);
	assert_int_equal(l->items[4]->role, EVSEL_SAMPLE);
	evlist_free(l);
}

UNIT_TEST(an_uncore_event_is_counted_on_its_cpus)
{
	struct evlist *l = parsed("power/energy-pkg/,cpu_atom/cycles/,cycles");
	const struct evsel *power = l->items[0], *atom = l->items[1];

	assert_int_equal(power->role, EVSEL_COUNT);
	assert_true(power->per_cpu_only);
	assert_int_equal(power->cpus.count, 2);
	assert_int_equal(power->cpus.items[1], 4);
	assert_true(power->scale > 2.32e-10 && power->scale < 2.33e-10);
	assert_string_equal(power->unit, "Joules");
	assert_int_equal(atom->role, EVSEL_SAMPLE);
	assert_false(atom->per_cpu_only);
	assert_int_equal(atom->cpus.count, 4);
	assert_int_equal(atom->cpus.items[0], 4);
	assert_true(l->items[2]->cpus.count == 0 && l->items[2]->scale == 1);
	evlist_free(l);
}

/* The same codes mean something else where the PMU has no slots. */
UNIT_TEST(slots_and_their_parts_are_known)
{
	static const struct machine_file files[] = {
		{ "sys/bus/event_source/devices/cpu/type", "4\n" },
		{ "sys/bus/event_source/devices/cpu/format/event", "config:0-7\n" },
		{ "sys/bus/event_source/devices/cpu/format/umask", "config:8-15\n" },
		{ "sys/bus/event_source/devices/cpu/events/slots", "event=0x00,umask=0x4\n" },
		{ "sys/bus/event_source/devices/cpu/events/topdown-retiring",
		  "event=0x00,umask=0x80\n" },
		{ NULL, NULL },
	};
	static const char text[] = "cpu/slots/,topdown-retiring,cpu/event=0,umask=0x87/,"
				   "cpu/event=1,umask=0x80/,cpu/event=0,umask=0x88/";
	struct evlist *l = evlist_new(), *other = parsed("cpu/event=0,umask=0x80/");
	struct machine intel;
	struct error err;

	machine_init_as(&intel, files);
	if (evlist_parse_in(l, text, &intel.env, &err))
		fail_msg("%s", err.text);
	assert_int_equal(l->items[0]->slots, SLOTS_WHOLE);
	assert_int_equal(l->items[1]->slots, SLOTS_PART);
	assert_int_equal(l->items[2]->slots, SLOTS_PART);
	assert_int_equal(l->items[3]->slots, SLOTS_NONE);
	assert_int_equal(l->items[4]->slots, SLOTS_NONE);
	assert_int_equal(other->items[0]->slots, SLOTS_NONE);
	evlist_free(l);
	evlist_free(other);
	machine_fini(&intel);
}

UNIT_TEST(a_probe_keeps_its_texts)
{
	struct evlist *l = parsed("uprobe:/odd\\:path:main,kretprobe:vfs_read,kprobe:0x1000");
	struct perf_event_attr attr;

	assert_string_equal(l->items[0]->probe, "/odd:path");
	evsel_attr_init(l->items[0], &attr);
	assert_ptr_equal((void *)(uintptr_t)attr.uprobe_path, l->items[0]->probe);
	assert_int_equal(attr.probe_offset, 0x1140);
	assert_int_equal(attr.sample_period, 1);
	assert_string_equal(l->items[1]->probe, "vfs_read");
	assert_null(l->items[2]->probe);
	evlist_free(l);
}

UNIT_TEST(an_attr_has_rate_and_breakpoint)
{
	struct evlist *l = parsed("mem:0x1000/2:w,cycles:upp,{faults,cs}:S");
	struct perf_event_attr attr;

	evsel_attr_init(l->items[0], &attr);
	assert_int_equal(attr.type, PERF_TYPE_BREAKPOINT);
	assert_int_equal(attr.bp_type, HW_BREAKPOINT_W);
	assert_int_equal(attr.bp_addr, 0x1000);
	assert_int_equal(attr.bp_len, 2);
	assert_true(!attr.freq && attr.sample_period == 1);
	evsel_attr_init(l->items[1], &attr);
	assert_true(attr.freq && attr.sample_freq == 999 && attr.exclude_kernel);
	assert_int_equal(attr.precise_ip, 2);
	evsel_attr_init(l->items[3], &attr);
	assert_true(!attr.freq && attr.sample_period == 0);
	evlist_free(l);
}

UNIT_TEST(rates_of_their_own_stay)
{
	struct evlist *l = parsed("cycles,faults/period=5/,cs/freq=7/,sched:sched_switch");

	evlist_set_rate(l, 4000, 0);
	assert_true(l->items[0]->freq_hz == 4000 && l->items[0]->period == 0);
	assert_true(l->items[1]->freq_hz == 0 && l->items[1]->period == 5);
	assert_true(l->items[2]->freq_hz == 7 && l->items[2]->period == 0);
	assert_true(l->items[3]->freq_hz == 0 && l->items[3]->period == 1);
	evlist_set_rate(l, 0, 100);
	assert_true(l->items[0]->freq_hz == 0 && l->items[0]->period == 100);
	assert_true(l->items[1]->period == 5);
	assert_true(l->items[3]->period == 100);
	evlist_free(l);
}

UNIT_TEST(filters_go_to_the_last_tracepoint)
{
	struct evlist *l = parsed("sched:sched_switch,sched:sched_wakeup*");
	struct error err = { "" };

	assert_int_equal(evlist_set_filter(l, "pid == 1", &err), 0);
	assert_int_equal(evlist_set_filter(l, "prio > 2", &err), 0);
	assert_null(l->items[0]->filter);
	assert_string_equal(l->items[1]->filter, "(pid == 1) && (prio > 2)");
	assert_string_equal(l->items[2]->filter, "(pid == 1) && (prio > 2)");
	assert_int_equal(evlist_set_filter(l, "", &err), -1);
	assert_int_equal(evlist_parse_in(l, "cycles", &machine.env, &err), 0);
	assert_int_equal(evlist_set_filter(l, "pid == 1", &err), -1);
	assert_non_null(strstr(err.text, "pid == 1"));
	evlist_free(l);
	l = evlist_new();
	assert_int_equal(evlist_set_filter(l, "pid == 1", &err), -1);
	evlist_free(l);
}

UNIT_TEST(finds_by_the_name_without_modifiers)
{
	struct evlist *l = parsed("cycles:u,cpu/event=1,name=x/,faults");

	assert_int_equal(evlist_find(l, "cycles"), 0);
	assert_int_equal(evlist_find(l, "cpu/event=1/"), 1);
	assert_int_equal(evlist_find(l, "page-faults"), 2);
	assert_int_equal(evlist_find(l, "instructions"), -1);
	assert_string_equal(l->items[0]->name, "cycles:u");
	assert_string_equal(l->items[1]->name, "x");
	evlist_free(l);
}

UNIT_TEST(the_defaults_are_those_of_the_table)
{
	struct evlist *l = evlist_new();
	int sampled = 0;

	evlist_add_defaults(l);
	for (size_t i = 0; i < l->count; i++) {
		assert_true(l->items[i]->is_default && l->items[i]->enabled);
		assert_string_equal(l->items[i]->name, l->items[i]->base);
		sampled += l->items[i]->role == EVSEL_SAMPLE;
	}
	assert_int_equal(sampled, 1);
	assert_int_equal(l->items[evlist_find(l, "cycles")]->role, EVSEL_SAMPLE);
	assert_int_equal(l->items[evlist_find(l, "cache-misses")]->role, EVSEL_COUNT);
	assert_true(evlist_find(l, "page-faults") > 0);
	evlist_free(l);
}

UNIT_TEST(every_row_of_the_tables_parses)
{
	char name[EVENT_CACHE_NAME_MAX];
	size_t cursor = 0;
	uint64_t config;
	int caches = 0;

	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		const struct event_info *info = event_at(id);
		struct evlist *l = parsed(info->name);

		assert_int_equal(l->items[0]->type, info->type);
		assert_int_equal(l->items[0]->config, info->config);
		assert_text(l, info->name);
		evlist_free(l);
	}
	for (; !event_cache_next(&cursor, &config, name); caches++) {
		struct evlist *l = parsed(name);

		assert_int_equal(l->items[0]->type, PERF_TYPE_HW_CACHE);
		assert_int_equal(l->items[0]->config, config);
		assert_text(l, name);
		evlist_free(l);
	}
	/*
	 * 7 caches, 3 operations and 2 results, as far as perf knows them: see
	 * evsel__hw_cache_stat.
	 */
	assert_int_equal(caches, (3 + 2 + 3 + 3 + 1 + 1 + 3) * 2);
}

UNIT_TEST(without_tracefs_or_resolver_it_says_so)
{
	struct event_env env = { .sysfs = machine.sysfs, .tracefs = "/nonexistent" };
	struct evlist *l = evlist_new();
	struct error err = { "" };

	assert_int_equal(evlist_parse_in(l, "sched:sched_switch", &env, &err), -1);
	assert_non_null(strstr(err.text, "mount -t tracefs"));
	assert_int_equal(evlist_parse_in(l, "uprobe:/bin/a:main", &env, &err), -1);
	assert_non_null(strstr(err.text, "offset in the file"));
	assert_int_equal(evlist_parse_in(l, "uprobe:/bin/a:0x1140", &env, &err), 0);
	env.sysfs = "/nonexistent";
	assert_int_equal(evlist_parse_in(l, "kprobe:vfs_read", &env, &err), -1);
	assert_non_null(strstr(err.text, "CONFIG_KPROBE_EVENTS"));
	assert_int_equal(evlist_parse_in(l, "cpu/event=1/", &env, &err), -1);
	assert_int_equal(evlist_parse_in(l, "cycles", &env, &err), 0);
	evlist_free(l);
}

UNIT_TEST(a_long_text_is_an_error_not_an_overflow)
{
	size_t size = 100000;
	char *text = malloc(size + 1);
	struct evlist *l = evlist_new();
	struct error err = { "" };

	memset(text, 'x', size);
	text[size] = '\0';
	assert_int_equal(evlist_parse_in(l, text, &machine.env, &err), -1);
	for (size_t i = 0; i < size; i++)
		text[i] = "cs,"[i % 3];
	text[size - 2] = '\0';
	assert_int_equal(evlist_parse_in(l, text, &machine.env, &err), -1);
	assert_non_null(strstr(err.text, "1024"));
	evlist_free(l);
	free(text);
}

/* Bits of the flags that the header may not know yet, beside those that it knows. */
UNIT_TEST(user_callchains_can_be_deferred)
{
	struct perf_event_attr attr = { .disabled = 1, .sample_id_all = 1 };
	uint64_t flags;

	attr_defer(&attr, true, false);
	memcpy(&flags, (const char *)&attr + 40, sizeof(flags));
	assert_true(attr.disabled && attr.sample_id_all && attr.wakeup_events == 0);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	assert_true(flags == (UINT64_C(1) << 38 | 1 | 1 << 18));
	attr_defer(&attr, false, true);
	memcpy(&flags, (const char *)&attr + 40, sizeof(flags));
	assert_true(flags == (UINT64_C(3) << 38 | 1 | 1 << 18));
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_what_perf_means),
		cmocka_unit_test(format_of_parse_is_stable),
		cmocka_unit_test(says_where_it_went_wrong),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(appends_and_numbers_groups_on),
		cmocka_unit_test(modifiers_become_exclusions),
		cmocka_unit_test(a_group_read_samples_its_first_event_only),
		cmocka_unit_test(an_uncore_event_is_counted_on_its_cpus),
		cmocka_unit_test(slots_and_their_parts_are_known),
		cmocka_unit_test(a_probe_keeps_its_texts),
		cmocka_unit_test(an_attr_has_rate_and_breakpoint),
		cmocka_unit_test(rates_of_their_own_stay),
		cmocka_unit_test(filters_go_to_the_last_tracepoint),
		cmocka_unit_test(finds_by_the_name_without_modifiers),
		cmocka_unit_test(the_defaults_are_those_of_the_table),
		cmocka_unit_test(every_row_of_the_tables_parses),
		cmocka_unit_test(without_tracefs_or_resolver_it_says_so),
		cmocka_unit_test(a_long_text_is_an_error_not_an_overflow),
		cmocka_unit_test(user_callchains_can_be_deferred),
	};
	int status;

	machine_init(&machine);
	status = unit_run(tests);
	machine_fini(&machine);
	return status;
}
