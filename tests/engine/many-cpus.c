/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/many-cpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "perf/live/ring-sizes.h"
#include "perf/record/record.h"
#include "proc/process.h"

#define PAGE 4096u
#define FIRST_PID 1000u
#define SHORT_PID 10000000u
#define SLICE_NS 5000000u
#define SHORT_SAMPLES 4u /* of a process that begins */
#define DRAIN_NS 200000000u
#define ADDRESSES 1024u /* of this program, so far apart */
#define ADDRESS_STEP 48u
#define STACKS 64u /* different ones of a process */
#define STACK_FRAMES_MAX 64u
#define WORDS_MAX 128u

struct many_cpus_cpu {
	struct lane lane;
	struct perf_event_mmap_page pages[LANE_RINGS];
	unsigned char *data[LANE_RINGS]; /* owned */
	size_t size[LANE_RINGS];
	uint64_t missing; /* samples that found no room since the last LOST record */
	uint32_t short_pid, short_left;
};

/* Writes. */

static size_t used(const struct many_cpus_cpu *c, enum lane_ring ring)
{
	return (size_t)(c->pages[ring].data_head - c->pages[ring].data_tail);
}

static bool put(struct many_cpus_cpu *c, enum lane_ring ring, const uint64_t *words, size_t count)
{
	size_t size = count * sizeof(*words);
	size_t at = c->pages[ring].data_head & (c->size[ring] - 1);
	size_t straight = c->size[ring] - at < size ? c->size[ring] - at : size;

	if (c->size[ring] - used(c, ring) < size)
		return false;
	memcpy(c->data[ring] + at, words, straight);
	memcpy(c->data[ring], (const unsigned char *)words + straight, size - straight);
	c->pages[ring].data_head += size;
	return true;
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static uint64_t header(uint32_t type, uint32_t misc, size_t words)
{
	return pair(type, (uint32_t)(words * 8) << 16 | misc);
}

/* The sample_id of all that is no sample: TID, TIME, CPU, IDENTIFIER. */
static size_t end_record(uint64_t *words, size_t count, uint32_t type, uint32_t misc, uint32_t pid,
			 uint32_t cpu, uint64_t time_ns)
{
	words[count++] = pair(pid, pid);
	words[count++] = time_ns;
	words[count++] = cpu;
	words[count++] = 0;
	words[0] = header(type, misc, count);
	return count;
}

static uint64_t address(uint64_t number)
{
	return rig_hot_address() + number % ADDRESSES * ADDRESS_STEP;
}

static uint32_t number_of(const struct many_cpus *m, const struct many_cpus_cpu *c)
{
	return (uint32_t)(c - m->cpus);
}

/* The process that C runs: its own ones in turn, and at times one of those that mostly sleep. */
static uint32_t running(const struct many_cpus *m, const struct many_cpus_cpu *c)
{
	uint32_t cpu = number_of(m, c);
	uint64_t slice = m->next_ns / SLICE_NS;

	if (slice % 16 == 15)
		return FIRST_PID + (uint32_t)((slice * 7919 + cpu * 195u) % m->options.processes);
	return FIRST_PID + (uint32_t)((cpu * m->options.active + slice % m->options.active) %
				      m->options.processes);
}

static void tell_missing(struct many_cpus *m, struct many_cpus_cpu *c)
{
	uint64_t words[8];
	size_t count = 1;

	words[count++] = 0;
	words[count++] = c->missing;
	count = end_record(words, count, PERF_RECORD_LOST, 0, 0, number_of(m, c), m->next_ns);
	if (put(c, LANE_SAMPLES, words, count))
		c->missing = 0;
}

static void sample(struct many_cpus *m, struct many_cpus_cpu *c)
{
	uint64_t words[WORDS_MAX], *at = words + 1;
	uint32_t pid = c->short_left ? c->short_pid : running(m, c);
	uint64_t stack = (m->next_ns / m->options.period_ns + number_of(m, c)) % STACKS;

	c->short_left -= c->short_left > 0;
	*at++ = 0; /* identifier */
	*at++ = address(stack * 37);
	*at++ = pair(pid, pid);
	*at++ = m->next_ns;
	*at++ = number_of(m, c);
	*at++ = m->options.period_ns;
	*at++ = m->options.frames + 1;
	*at++ = PERF_CONTEXT_USER;
	*at++ = words[2];
	for (uint32_t i = 1; i < m->options.frames;
	     i++) /* those farther out are shared by more stacks */
		*at++ = address((stack >> i * 6 / m->options.frames) * 101 + i);
	words[0] = header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, (size_t)(at - words));
	if (c->missing)
		tell_missing(m, c);
	m->written++;
	if (c->missing || !put(c, LANE_SAMPLES, words, (size_t)(at - words))) {
		c->missing++;
		m->lost++;
	}
}

static void must_put(struct many_cpus_cpu *c, const uint64_t *words, size_t count)
{
	if (!put(c, LANE_SIDEBAND, words, count))
		abort();
}

static void task(struct many_cpus *m, struct many_cpus_cpu *c, uint32_t type, uint32_t pid)
{
	uint64_t words[16];
	size_t count = 1;

	words[count++] = pair(pid, FIRST_PID);
	words[count++] = pair(pid, FIRST_PID);
	words[count++] = m->next_ns;
	count = end_record(words, count, type, 0, pid, number_of(m, c), m->next_ns);
	must_put(c, words, count);
}

static void comm(struct many_cpus *m, struct many_cpus_cpu *c, uint32_t pid)
{
	uint64_t words[16] = { 0 };
	size_t count = 1;

	words[count++] = pair(pid, pid);
	memcpy(&words[count++], "short\0\0", 8);
	count = end_record(words, count, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, pid,
			   number_of(m, c), m->next_ns);
	must_put(c, words, count);
}

static void mapping(struct many_cpus *m, struct many_cpus_cpu *c, uint32_t pid)
{
	struct record r = rig_mmap_self(pid, m->next_ns);
	size_t length = strlen(r.mmap.path) + 1, count = 5;
	uint64_t words[WORDS_MAX] = { 0 };

	if (length > 8 * (WORDS_MAX - 16))
		abort();
	words[1] = pair(pid, pid);
	words[2] = r.mmap.start;
	words[3] = r.mmap.length;
	words[4] = r.mmap.pgoff;
	memcpy(&words[count], r.mmap.path, length);
	count += (length + 7) / 8;
	count = end_record(words, count, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, pid,
			   number_of(m, c), m->next_ns);
	must_put(c, words, count);
}

/* It begins on C and runs on the CPU behind it.  The one that began there before has ended. */
static void begin_short(struct many_cpus *m, struct many_cpus_cpu *c)
{
	struct many_cpus_cpu *runs = &m->cpus[(number_of(m, c) + 1) % m->options.cpus];
	uint32_t pid = SHORT_PID + m->next_pid++;

	if (runs->short_pid)
		task(m, c, PERF_RECORD_EXIT, runs->short_pid);
	task(m, c, PERF_RECORD_FORK, pid);
	comm(m, c, pid);
	mapping(m, c, pid);
	runs->short_pid = pid;
	runs->short_left = SHORT_SAMPLES;
	m->shorts++;
}

/* Reads. */

static void take(void *context, size_t lane, enum lane_ring ring, const void *bytes)
{
	const struct perf_event_header *h = bytes;
	struct many_cpus *m = context;
	struct record *r = &m->record;

	if (record_decode(&m->layouts[ring], bytes, h->size, r))
		abort();
	r->cpu = (uint32_t)lane;
	r->event = h->type == PERF_RECORD_SAMPLE ? 0 : -1;
	m->rig.source->stats.samples += r->event == 0;
	if (r->type == RECORD_LOST)
		m->rig.source->stats.lost += r->lost.count;
	engine_receive(m->rig.engine, r);
}

static void refuse(void *context, size_t lane, enum lane_ring ring)
{
	(void)context;
	(void)lane;
	(void)ring;
	abort();
}

static uint64_t now(void *context)
{
	return ((const struct many_cpus *)context)->next_ns;
}

static void step(struct many_cpus *m)
{
	for (uint32_t i = 0; i < m->options.cpus; i++)
		sample(m, &m->cpus[i]);
	while (m->options.short_ms && m->next_ns >= m->next_short_ns) {
		begin_short(m, &m->cpus[m->next_pid % m->options.cpus]);
		m->next_short_ns += m->options.short_ms * 1000000ull;
	}
	m->next_ns += m->options.period_ns;
}

/* The clock of the engine goes on while the thread works. */
static uint64_t rig_clock(void *context)
{
	const struct many_cpus *m = context;
	uint64_t worked_ns =
		m->options.times_draining ? clock_monotonic_ns(&clock_system) - m->clock_ns : 0;

	return m->rig.now_ns + worked_ns;
}

static void mark(struct many_cpus *m)
{
	m->rig.now_ns = m->next_ns;
	m->marked_ns = clock_thread_cpu_ns();
	m->clock_ns = clock_monotonic_ns(&clock_system);
}

/* The CPUs do what they did while the thread worked since the mark, which takes no time.  Returns how long that was. */
static uint64_t run_on(struct many_cpus *m)
{
	uint64_t taken_ns = clock_thread_cpu_ns() - m->marked_ns, until_ns = m->next_ns + taken_ns;

	while (m->options.times_draining && m->next_ns < until_ns)
		step(m);
	mark(m);
	return taken_ns;
}

static void drain(struct many_cpus *m)
{
	uint64_t taken_ns;

	mark(m);
	m->drained_ns = m->next_ns;
	drain_run(&m->drain, m->next_ns);
	engine_drained(m->rig.engine, m->next_ns);
	taken_ns = run_on(m);
	m->drains++;
	m->drain_cpu_ns += taken_ns;
	if (taken_ns > m->longest_drain_ns)
		m->longest_drain_ns = taken_ns;
}

static void drain_meanwhile(void *context, bool end)
{
	struct many_cpus *m = context;

	(void)end; /* nothing is summed */
	m->snapshot_cpu_ns += run_on(m);
	drain(m);
}

/* A ring of samples wakes its reader when a quarter is full, one of the side-band when a half is. */
static bool wakes(const struct many_cpus *m)
{
	for (uint32_t i = 0; i < m->options.cpus; i++) {
		const struct many_cpus_cpu *c = &m->cpus[i];

		if (used(c, LANE_SAMPLES) >= c->size[LANE_SAMPLES] / 4 ||
		    used(c, LANE_SIDEBAND) >= c->size[LANE_SIDEBAND] / 2)
			return true;
	}
	return m->next_ns - m->drained_ns >= DRAIN_NS;
}

void many_cpus_run(struct many_cpus *m, uint64_t ms)
{
	uint64_t until_ns = m->next_ns + ms * 1000000;

	while (m->next_ns < until_ns) {
		step(m);
		if (wakes(m))
			drain(m);
	}
}

const struct snapshot *many_cpus_snapshot(struct many_cpus *m)
{
	const struct engine_request request = { .source = m->rig.source,
						.drain = drain_meanwhile,
						.context = m };

	drain(m);
	snapshot_free(m->rig.snapshot);
	m->rig.snapshot = engine_snapshot(m->rig.engine, &request);
	m->snapshot_cpu_ns += run_on(m);
	rig_check(&m->rig);
	return m->rig.snapshot;
}

/* Begins. */

static void open_rings(struct many_cpus *m)
{
	const struct ring_sizes sizes = ring_sizes_for(m->options.cpus, false);
	const size_t pages[LANE_RINGS] = { sizes.samples, sizes.sideband };

	m->bounce = mem_alloc(RING_RECORD_MAX);
	m->cpus = mem_array(m->options.cpus, sizeof(*m->cpus));
	m->drain.lanes = mem_array(m->options.cpus, sizeof(*m->drain.lanes));
	m->drain.count = m->options.cpus;
	for (uint32_t i = 0; i < m->options.cpus; i++) {
		struct many_cpus_cpu *c = &m->cpus[i];

		for (int r = 0; r < LANE_RINGS; r++) {
			c->size[r] = pages[r] * PAGE;
			c->data[r] = mem_alloc(c->size[r]);
			ring_init(&c->lane.rings[r], &c->pages[r], c->data[r], c->size[r],
				  m->bounce);
		}
		m->drain.lanes[i] = &c->lane;
	}
}

static void set_layouts(struct many_cpus *m)
{
	const uint64_t identity =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	const uint64_t types[LANE_RINGS] = {
		[LANE_SAMPLES] =
			identity | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		[LANE_SIDEBAND] = identity,
	};

	for (int r = 0; r < LANE_RINGS; r++) {
		m->layouts[r] =
			(struct record_layout){ .sample_type = types[r], .sample_id_all = true };
		m->drain.stamps[r] = drain_stamp_of(types[r]);
	}
}

/* All run this program, and share a file of mappings: so many of their own would take more memory than all else. */
static void make_processes(struct many_cpus *m)
{
	const struct record r = rig_mmap_self(FIRST_PID, 0);
	char name[32];
	struct stat st;

	if (stat(r.mmap.path, &st))
		abort();
	tree_printf(&m->tree, "maps",
		    "%" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64 " %02x:%02x %ju %s\n", r.mmap.start,
		    r.mmap.start + r.mmap.length, r.mmap.pgoff, major(st.st_dev), minor(st.st_dev),
		    (uintmax_t)st.st_ino, r.mmap.path);
	for (uint32_t i = 0; i < m->options.processes; i++) {
		tree_task(&m->tree, &(struct tree_task){ .pid = FIRST_PID + i, .start_ticks = 5 });
		snprintf(name, sizeof(name), "%u/maps", FIRST_PID + i);
		if (linkat(m->tree.procfs.fd, "maps", m->tree.procfs.fd, name, 0))
			abort();
	}
}

void many_cpus_init(struct many_cpus *m, const struct many_cpus_options *options)
{
	memset(m, 0, sizeof(*m));
	m->options = *options;
	if (options->frames > STACK_FRAMES_MAX)
		abort();
	tree_init(&m->tree);
	make_processes(m);
	rig_init(&m->rig, "cpu-clock", TIER_CPU_GROUP);
	m->clock = (struct clock){ rig_clock, rig_clock, m };
	m->rig.options.clock = &m->clock;
	m->rig.options.proc_root = m->tree.root;
	m->rig.options.memory_bytes = options->memory_bytes;
	m->rig.options.keep_files = PROCESS_FILES_KEPT;
	m->rig.options.mode = options->mode;
	m->rig.options.target.callchains = true;
	m->next_ns = m->next_short_ns = m->drained_ns = m->rig.now_ns;
	mark(m);
	rig_open(&m->rig);
	set_layouts(m);
	m->drain.sink = (struct drain_sink){ .record = take, .corrupt = refuse, .context = m };
	m->drain.now_ns = now;
	open_rings(m);
	many_cpus_snapshot(m);
}

void many_cpus_fini(struct many_cpus *m)
{
	rig_fini(&m->rig);
	tree_fini(&m->tree);
	drain_fini(&m->drain);
	for (uint32_t i = 0; i < m->options.cpus; i++) {
		for (int r = 0; r < LANE_RINGS; r++)
			free(m->cpus[i].data[r]);
	}
	free(m->drain.lanes);
	free(m->cpus);
	free(m->bounce);
}
