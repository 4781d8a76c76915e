/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/call-sums.h"
#include "perf/live/live.h"

#include "perf/live/control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "perf/event/attr.h"
#include "perf/live/open.h"
#include "perf/event/rate.h"
#include "perf/live/refusal.h"
#include "perf/live/sums.h"
#include "perf/live/ring-sizes.h"
#include "perf/live/wait-sums.h"
#include "perf/event/sysfile.h"
#include "perf/live/userregs.h"
#include "perf/live/walks.h"

#define CPU_ONLINE_FILE "/sys/devices/system/cpu/online"
#define MAX_STACK_FILE "/proc/sys/kernel/perf_event_max_stack"
#define CPU_PRESENT_FILE "/sys/devices/system/cpu/present"

#define BRANCH_TYPE (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK)
#define STACKS_IN_RING 341     /* a third of a second of them at the usual frequency */
#define FILES_EXPECTED 256     /* beside those of a large machine's events */
#define STACK_BYTES_POOR 8192u /* of a copy, in however small a ring */
#define RING_PAGES_POOR 32     /* with less than this, or than is usual, a person should know */

/* The source's operations. */

static void epoll_forget_dead(struct live *l)
{
	struct epoll_event events[16];
	int n = epoll_wait(l->epoll_fd, events, 16, 0);

	for (int i = 0; i < n; i++) {
		if (!(events[i].events & (EPOLLHUP | EPOLLERR)))
			continue;
		epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
		l->cpu_lost = true;
	}
}

static int live_wait(struct source *s, int timeout_ms, int wake_fd)
{
	struct live *l = (struct live *)s;
	struct pollfd fds[] = {
		{ .fd = l->epoll_fd, .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN },
	};

	if (poll(fds, 2, timeout_ms) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[0].revents)
		epoll_forget_dead(l);
	return 0;
}

static uint64_t drain_now_ns(void *context)
{
	(void)context;
	return clock_monotonic_ns(&clock_system);
}

static int64_t live_drain(struct source *s, source_receiver *receive, void *context)
{
	struct live *l = (struct live *)s;
	uint64_t now_ns;

	if (!l->tier)
		return 0;
	l->receive = receive;
	l->receive_context = context;
	l->handed_over = 0;
	if (l->tier->draining)
		l->tier->draining(l);
	now_ns = clock_monotonic_ns(&clock_system);
	drain_run(&l->drain, now_ns);
	s->stats.tight += l->drain.tight;
	l->drained_ns = now_ns;
	if (l->tier->drained)
		l->tier->drained(l, now_ns);
	cpus_check(l, now_ns);
	return l->handed_over;
}

static void live_settle(struct source *s, source_receiver *receive, void *context, bool last)
{
	struct live *l = (struct live *)s;

	l->receive = receive;
	l->receive_context = context;
	sums_settle(l, last);
}

static int live_watch_python(struct source *s, uint32_t tid, const struct python_walk *w)
{
	return walks_watch((struct live *)s, tid, w);
}

static void tier_leave(struct live *l)
{
	if (!l->tier)
		return;
	cpus_remove_all(l);
	if (l->tier->leave)
		l->tier->leave(l);
	map_fini(&l->ids);
	l->ids = (struct map){ 0 };
	plan_fini(&l->plan);
	l->hopeless = false;
	l->looked_ns = 0;
	l->tier = NULL;
}

static void live_close(struct source *s)
{
	struct live *l = (struct live *)s;

	tier_leave(l);
	wait_sums_close(l);
	call_sums_close(l);
	walks_close(l);
	close(l->epoll_fd);
	if (l->cgroup_fd >= 0)
		close(l->cgroup_fd);
	number_list_fini(&l->online);
	number_list_fini(&l->cpu_choice);
	number_list_fini(&l->task_choice);
	buf_fini(&l->notes);
	free(l->tier_note);
	drain_fini(&l->drain);
	mem_free(l->drain.lanes, l->cpus, l->bounce, l);
}

static const struct source_ops live_ops = {
	.wait = live_wait,
	.drain = live_drain,
	.settle = live_settle,
	.watch_python = live_watch_python,
	.set_enabled = live_set_enabled,
	.retune = live_retune,
	.reduce = live_reduce,
	.thins = live_thins,
	.add = live_add,
	.take_stacks = live_take_stacks,
	.remove = live_remove,
	.suspend = live_suspend,
	.close = live_close,
};

/* Shared by the tiers. */

static void notes_publish(struct live *l)
{
	const char *notes = l->notes.bytes ? l->notes.bytes : "";
	const char *more = l->tier_note ? l->tier_note : "";

	free(l->source.notes);
	l->source.notes = mem_printf("%s%s%s", notes, *notes && *more ? " " : "", more);
}

void live_note(struct live *l, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (l->notes.size)
		buf_add_str(&l->notes, " ");
	buf_add_str(&l->notes, text);
	notes_publish(l);
}

void live_note_of_tier(struct live *l, const char *text)
{
	free(l->tier_note);
	l->tier_note = text ? mem_strdup(text) : NULL;
	notes_publish(l);
}

size_t live_event_room(const struct live *l)
{
	size_t count = l->source.evlist->count;

	return count > SOURCE_EVENTS_MAX ? count : SOURCE_EVENTS_MAX;
}

void live_refuse(struct live *l, size_t event, int error)
{
	struct evsel *e = l->source.evlist->items[event];

	free(e->why);
	e->open_error = error;
	e->why = refusal_text(error);
}

int live_refuse_because(struct live *l, size_t event, int error, const char *why)
{
	struct evsel *e = l->source.evlist->items[event];

	live_refuse(l, event, error);
	if (why) {
		free(e->why);
		e->why = mem_strdup(why);
	}
	return -error;
}

int live_map(struct live *l, struct cpu *c)
{
	const size_t size[LANE_RINGS] = { l->ring_pages, l->sideband_pages };

	for (int i = 0; i < LANE_RINGS; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.fd = c->ring_fds[i] };
		int err = mapping_open(&c->maps[i], c->ring_fds[i], size[i]);

		if (err)
			return err == -EPERM ? -ENOLCK : err;
		mapping_ring(&c->maps[i], &c->lane.rings[i], l->bounce);
		if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, c->ring_fds[i], &event) < 0)
			return -errno;
	}
	return 0;
}

void live_unmap(struct live *l, struct cpu *c)
{
	for (int i = 0; i < LANE_RINGS; i++) {
		if (c->ring_fds[i] >= 0)
			epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, c->ring_fds[i], NULL);
		mapping_close(&c->maps[i]);
	}
}

bool live_tells_branches(const struct evsel *e)
{
	return e && e->role == EVSEL_SAMPLE && e->type != PERF_TYPE_SOFTWARE &&
	       e->type != PERF_TYPE_TRACEPOINT && e->type != PERF_TYPE_BREAKPOINT && !e->probe;
}

/* A copy takes its room in the ring also where the stack is not that large. */
static uint32_t stack_bytes(const struct live *l)
{
	size_t ring = l->ring_pages * (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes =
		ring / STACKS_IN_RING < STACK_BYTES_POOR ? STACK_BYTES_POOR : ring / STACKS_IN_RING;

	if (!l->options.user_stack_adapts || bytes > l->options.user_stack_bytes)
		return l->options.user_stack_bytes;
	return (uint32_t)bytes & ~7u;
}

void live_attr_finish(const struct live *l, const struct record_layout *layout,
		      const struct evsel *e, struct perf_event_attr *attr)
{
	attr->sample_type = layout->sample_type;
	attr->read_format = layout->read_format;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	attr->wakeup_watermark = (uint32_t)(l->ring_pages * (size_t)sysconf(_SC_PAGESIZE) / 4);
	if (layout->sample_type & PERF_SAMPLE_CALLCHAIN) {
		attr->sample_max_stack = l->options.max_stack;
		attr->exclude_callchain_user = l->options.kernel_chains;
		attr_defer(attr, l->deferred, false);
	}
	if (!live_tells_branches(e))
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = layout->branch_sample_type;
	if (layout->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = layout->sample_regs_user;
	if (layout->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = stack_bytes(l);
}

int live_sideband_open(const struct live *l, int pid, int cpu, bool inherit)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.mmap_data = l->addresses,
		.ksymbol = 1,
		.bpf_event = 1,
		.inherit = inherit,
	};
	int fd;

	live_attr_finish(l, &l->sideband_layout, NULL, &attr);
	attr.wakeup_watermark = 0; /* the kernel's default: half of its own ring */
	attr.exclude_kernel = attr.exclude_hv = l->source.user_only;
	attr_defer(&attr, false, l->deferred);
	fd = perf_open(&attr, pid, cpu, -1, 0);
	if (fd != -EINVAL)
		return fd;
	attr.ksymbol = attr.bpf_event = 0; /* before Linux 5.1 */
	return perf_open(&attr, pid, cpu, -1, 0);
}

int live_data_open(const struct live *l, int cpu, int fd)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap_data = 1,
	};
	int own, err;

	live_attr_finish(l, &l->sideband_layout, NULL, &attr);
	attr.wakeup_watermark = 0;
	attr.exclude_kernel = attr.exclude_hv = l->source.user_only;
	own = perf_open(&attr, -1, cpu, -1, 0);
	if (own < 0)
		return own;
	err = perf_control(own, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)fd);
	if (err >= 0)
		return own;
	close(own);
	return err;
}

uint64_t live_event_of(const struct live *l, uint64_t id)
{
	uintptr_t found = (uintptr_t)map_find(&l->ids, id);

	return found ? found - 1 : SOURCE_NO_EVENT;
}

uint64_t live_id_add(struct live *l, int fd, int event)
{
	uint64_t id;

	if (perf_control(fd, PERF_EVENT_IOC_ID, (uintptr_t)&id) < 0)
		return 0;
	if (event >= 0)
		map_put(&l->ids, id, (void *)(uintptr_t)(event + 1));
	return id;
}

/* Opening. */

/* Without PERF_SAMPLE_READ; tier 1 adds it. */
static uint64_t sample_type_of(const struct live *l)
{
	const struct source_options *o = &l->options;
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

	if (l->addresses || o->addresses)
		type |= PERF_SAMPLE_ADDR;
	if (o->callchains)
		type |= PERF_SAMPLE_CALLCHAIN;
	if (o->branch_stacks)
		type |= PERF_SAMPLE_BRANCH_STACK;
	if (o->user_stack_bytes && USER_REGS_MASK != 0)
		type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	else if (o->leaf_callers && LEAF_REGS_MASK != 0)
		type |= PERF_SAMPLE_REGS_USER;
	return type;
}

static uint64_t user_regs_of(uint64_t sample_type)
{
	if (sample_type & PERF_SAMPLE_STACK_USER)
		return USER_REGS_MASK;
	return sample_type & PERF_SAMPLE_REGS_USER ? LEAF_REGS_MASK : 0;
}

static void sample_layout_init(struct live *l)
{
	uint64_t type = sample_type_of(l);

	l->source.layout = (struct record_layout){
		.sample_type = type,
		.sample_id_all = true,
		.sample_regs_user = user_regs_of(type),
		.branch_sample_type = type & PERF_SAMPLE_BRANCH_STACK ? BRANCH_TYPE : 0,
	};
	l->drain.stamps[LANE_SAMPLES] = drain_stamp_of(type);
}

static void layouts_init(struct live *l)
{
	uint64_t identity =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

	sample_layout_init(l);
	l->leader_layout = (struct record_layout){
		.sample_type = identity | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.sample_id_all = true,
	};
	l->sideband_layout = (struct record_layout){
		.sample_type = identity,
		.sample_id_all = true,
	};
	l->fields_layout = (struct record_layout){
		/* the time lies where others have it */
		.sample_type = identity | PERF_SAMPLE_IP | PERF_SAMPLE_RAW,
		.sample_id_all = true,
	};
	l->drain.stamps[LANE_SIDEBAND] = drain_stamp_of(identity);
}

static void list_copy(struct number_list *to, const struct number_list *from)
{
	if (!from)
		return;
	to->count = from->count;
	to->items = mem_array(from->count, sizeof(*to->items));
	memcpy(to->items, from->items, from->count * sizeof(*to->items));
}

static struct live *live_new(struct evlist *evlist, const struct source_options *options)
{
	struct live *l = mem_alloc(sizeof(*l));

	l->source.ops = &live_ops;
	l->source.tier = TIER_PROC;
	l->source.evlist = evlist;
	l->options = *options;
	list_copy(&l->cpu_choice, options->cpus);
	list_copy(&l->task_choice, options->tasks);
	l->options.cpus = options->cpus ? &l->cpu_choice : NULL;
	l->options.tasks = options->tasks ? &l->task_choice : NULL;
	l->cgroup_fd = -1;
	l->online_path = CPU_ONLINE_FILE;
	l->bounce = mem_alloc(RING_RECORD_MAX);
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->drain.sink =
		(struct drain_sink){ .record = live_record, .corrupt = live_corrupt, .context = l };
	l->drain.now_ns = drain_now_ns;
	return l;
}

static int cpus_exist(const struct live *l, struct error *err)
{
	struct number_list present = { 0 };
	int result = 0;

	if (!l->options.cpus || sysfile_cpus(CPU_PRESENT_FILE, &present) < 0)
		return 0;
	for (size_t i = 0; i < l->options.cpus->count && !result; i++) {
		uint32_t number = l->options.cpus->items[i];

		if (!number_list_has(&present, number))
			result = error_set(err, _("no CPU %u on this machine; the last one is %u"),
					   number, present.items[present.count - 1]);
	}
	number_list_fini(&present);
	return result;
}

static int tasks_exist(const struct live *l, struct error *err)
{
	const struct number_list *tasks = l->options.tasks;

	for (size_t i = 0; tasks && i < tasks->count; i++) {
		if (kill((pid_t)tasks->items[i], 0) < 0 && errno == ESRCH)
			return error_set(err,
					 l->options.mode == TARGET_TID
						 ? _("no thread %u; `ps -eL` lists them")
						 : _("no process %u; `ps -e` lists them"),
					 tasks->items[i]);
	}
	return 0;
}

static int cgroup_open(struct live *l, struct error *err)
{
	const char *directory = l->options.cgroup_directory;

	if (!directory)
		return 0;
	l->cgroup_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->cgroup_fd >= 0)
		return 0;
	return error_set(err, _("cannot open the control group %s: %s"), directory,
			 strerror(errno));
}

/* One descriptor per CPU and event, in tier 2 per task: take what the hard limit allows. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* When the table of descriptors grows beside other threads, the kernel lets the one that opens a file wait (RCU). */
static void widen_file_table(void)
{
	int last = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, FILES_EXPECTED - 1);

	if (last >= 0)
		close(last);
}

/* All samples have the same layout; with other events the address is there and means nothing. */
static void mark_addresses(struct live *l)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		struct evsel *e = events->items[i];

		e->addresses = e->role == EVSEL_SAMPLE && evsel_has_address(e);
		l->addresses |= e->addresses;
	}
}

void live_note_rate(struct live *l, uint64_t max_hz, uint64_t asked_hz)
{
	live_note(l,
		  _("Sampling at %" PRIu64 " Hz instead of %" PRIu64
		    ": kernel.perf_event_max_sample_rate."),
		  max_hz, asked_hz);
}

static void limit_rates(struct live *l)
{
	uint64_t max_hz = rate_max_hz();
	uint64_t reduced = rates_limit(l->source.evlist, max_hz);

	if (reduced)
		live_note_rate(l, max_hz, reduced);
}

/* The kernel refuses events that want longer chains than it makes. */
static void limit_chains(struct live *l)
{
	uint64_t most;

	if (!l->options.callchains || sysfile_number(MAX_STACK_FILE, &most) < 0 ||
	    l->options.max_stack <= most)
		return;
	live_note(l, _("Chains of %" PRIu64 " frames instead of %u: kernel.perf_event_max_stack."),
		  most, l->options.max_stack);
	l->options.max_stack = (uint16_t)most;
}

static struct ring_sizes ring_sizes_wanted(const struct live *l)
{
	const struct source_options *o = &l->options;
	struct ring_sizes sizes = ring_sizes_for(l->online.count, o->user_stack_bytes > 0);

	if (o->mmap_pages)
		sizes.samples = o->mmap_pages;
	return sizes;
}

void live_ask_stacks(struct live *l, const struct stack_choice *choice)
{
	source_options_choose_stacks(&l->options, choice);
	limit_chains(l);
	l->deferred = false; /* the side-band, which would bring them, stays as it is */
	l->ring_pages = ring_sizes_wanted(l).samples;
	sample_layout_init(l);
}

/* 0, or -1 with ERR set when the CPU has no memory of calls. */
static int branches_exist(const struct live *l, struct error *err)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = BRANCH_TYPE,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
	};
	int fd;

	if (!l->options.branch_stacks)
		return 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0)
		return error_set(err,
				 _("call-graph 'lbr': this CPU does not tell its calls (%s); use "
				   "auto"),
				 strerror(-fd));
	close(fd);
	return 0;
}

/* Returns true if this kernel can defer user callchains; an older one refuses bits that it does not know. */
static bool kernel_defers(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd;

	attr_defer(&attr, true, true);
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Opens all CPUs in that tier, with the largest rings that may be locked in memory. */
static int tier_enter(struct live *l, const struct live_tier *tier)
{
	const struct ring_sizes wanted = ring_sizes_wanted(l);
	size_t enough = l->options.mmap_pages || wanted.samples < RING_PAGES_POOR ? wanted.samples
										  : RING_PAGES_POOR;
	int err;

	l->tier = tier;
	l->leader_event = -1;
	l->ring_pages = wanted.samples;
	l->sideband_pages = wanted.sideband;
	layouts_init(l);
	tier->enter(l);
	for (;;) {
		err = cpus_add_all(l);
		if ((err != -ENOLCK && err != -ENOMEM) || l->ring_pages == 1)
			break;
		l->ring_pages /= 2;
		l->sideband_pages = (l->sideband_pages + 1) / 2;
	}
	if (!err && tier->start)
		err = tier->start(l);
	if (err) {
		tier_leave(l);
		return err;
	}
	if (l->ring_pages < enough)
		live_note(l,
			  _("Rings have %zu of %zu pages: the allowance for locked memory is used "
			    "up (kernel.perf_event_mlock_kb, `ulimit -l`)."),
			  l->ring_pages, wanted.samples);
	return 0;
}

static char *tier_refusal(int err)
{
	if (err == -ENOLCK)
		return mem_strdup(_("no memory may be locked for even the smallest ring: raise "
				    "kernel.perf_event_mlock_kb or `ulimit -l`"));
	return refusal_text(-err);
}

/* Errors of a tier that failed do not hold for the next one. */
static void events_forget(struct evlist *events)
{
	for (size_t i = 0; i < events->count; i++) {
		free(events->items[i]->why);
		events->items[i]->why = NULL;
		events->items[i]->open_error = 0;
	}
}

static void tier_choose(struct live *l)
{
	static const struct {
		enum source_tier name;
		const struct live_tier *tier;
	} tiers[] = {
		{ TIER_CPU_GROUP, &live_tier_cpu_group },
		{ TIER_PER_TASK, &live_tier_per_task },
	};
	int first = 0;

	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		int err;

		err = tier_enter(l, tiers[i].tier);
		if (!first)
			first = err;
		if (!err) {
			l->source.tier = tiers[i].name;
			break;
		}
		events_forget(l->source.evlist);
	}
	l->refusal = -first;
	l->source.tier_reason = first ? tier_refusal(first) : mem_strdup("");
	for (size_t i = 0; l->source.tier == TIER_PROC && i < l->source.evlist->count; i++)
		live_refuse(l, i, -first);
}

/* An event of -e that is not there is an error; what ptop added by itself may be missing. */
static int explicit_events_open(const struct live *l, struct error *err)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (!e->is_default && e->open_error)
			return error_set(err, _("cannot open event '%s': %s"), e->name, e->why);
	}
	return 0;
}

/*
 * Late chains do not fit samples that bring their own stack, and a wait cannot be corrected later.
 */
static bool chains_may_be_late(const struct live *l)
{
	const struct source_options *o = &l->options;

	return o->callchains && !o->kernel_chains && !(sample_type_of(l) & PERF_SAMPLE_REGS_USER) &&
	       !evlist_has_time(l->source.evlist);
}

int live_sums_try(struct error *err)
{
	return sums_try(err);
}

int live_walks_try(struct error *err)
{
	return walks_try(err);
}

struct source *live_source_open(struct evlist *evlist, const struct source_options *options,
				struct error *err)
{
	struct live *l = live_new(evlist, options);

	raise_file_limit();
	widen_file_table();
	mark_addresses(l);
	limit_rates(l);
	limit_chains(l);
	l->deferred = chains_may_be_late(l) && kernel_defers();
	if (branches_exist(l, err) < 0 || cpus_exist(l, err) < 0 || tasks_exist(l, err) < 0 ||
	    cgroup_open(l, err) < 0)
		goto fail;
	if (sysfile_cpus(l->online_path, &l->online) < 0) {
		error_set(err, _("cannot read %s"), l->online_path);
		goto fail;
	}
	l->online_checked_ns = l->drained_ns = clock_monotonic_ns(&clock_system);
	if (wait_sums_open(l, err) < 0 || call_sums_open(l, err) < 0)
		goto fail;
	walks_open(l);
	tier_choose(l);
	if (l->source.tier != TIER_CPU_GROUP) {
		wait_sums_close(l);
		call_sums_close(l);
		walks_close(l);
	}
	if (explicit_events_open(l, err) < 0)
		goto fail;
	notes_publish(l);
	return &l->source;
fail:
	source_close(&l->source);
	return NULL;
}
