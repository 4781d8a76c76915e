/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * throughput: how many records a second one thread takes from the bytes of a ring to the histogram.
 * Samples of one process with a thread on each of two CPUs, at addresses of this program; decoded,
 * attributed, resolved and counted as in a live session.  Prints a line for each kind of sample, or for
 * those whose names begin with an argument.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/rig.h"

#define RECORDS 8192u /* in the buffer, as many as the default ring holds of them */
#define WORDS_MAX 32u /* of a record */
#define PASSES 256u
#define CPUS 2u
#define ADDRESSES 256u
#define PERIOD_NS 1000000u /* between two samples of a CPU */
#define PID 50u

#define PLAIN                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define FRAMES 8u              /* of a stack */
#define STACK UINT64_C(0x7000) /* the stack pointer; the copy has two words */
#define COPY (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#if defined(__aarch64__)
#define REGS UINT64_C(0x1e0000000) /* x29, x30, sp, pc */
#else
#define REGS UINT64_C(0x1c0) /* bp, sp, ip */
#endif
#define FORMAT                                                                 \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

enum {                   /* what is kept or looked for besides */
       PAST = 1,         /* what was counted when */
       AT = 2,           /* where in functions it was */
       LEAF_CALLERS = 4, /* what frame pointers leave out */
       SUMS = 8,         /* nothing decays, as with a recording */
};

struct bench {
	const char *name, *events;
	uint64_t sample_type;
	unsigned values; /* in each READ */
	unsigned extras;
};

static const struct bench benches[] = {
	{ "plain samples", "cpu-clock", PLAIN, 0, 0 },
	{ "the same, as -i counts them", "cpu-clock", PLAIN, 0, SUMS },
	{ "the same, with a past", "cpu-clock", PLAIN, 0, PAST },
	{ "the same, with addresses", "cpu-clock", PLAIN, 0, AT },
	{ "samples with READ of 4", "cpu-clock,page-faults,cpu-migrations,context-switches",
	  PLAIN | PERF_SAMPLE_READ, 4, 0 },
	{ "samples with stacks", "cpu-clock", PLAIN | PERF_SAMPLE_CALLCHAIN, 0, 0 },
	{ "the same, with registers", "cpu-clock", PLAIN | PERF_SAMPLE_CALLCHAIN | COPY, 0, 0 },
	{ "looking for leaves' callers", "cpu-clock", PLAIN | PERF_SAMPLE_CALLCHAIN | COPY, 0,
	  LEAF_CALLERS },
};

static uint64_t pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

/* A chain of frame pointers that begins at PC. */
static uint64_t *write_chain(uint64_t *at, uint64_t pc)
{
	*at++ = FRAMES + 1;
	*at++ = PERF_CONTEXT_USER;
	*at++ = pc;
	for (unsigned i = 1; i < FRAMES; i++)
		*at++ = rig_hot_address() + i;
	return at;
}

static uint64_t *write_copy(uint64_t *at, uint64_t pc)
{
	*at++ = PERF_SAMPLE_REGS_ABI_64;
	*at++ = STACK + 64;
#if defined(__aarch64__)
	*at++ = rig_hot_address() + 2;
#endif
	*at++ = STACK;
	*at++ = pc;
	*at++ = 16; /* bytes of the stack, then how many of them are valid */
	*at++ = rig_hot_address() + 2;
	*at++ = rig_hot_address() + 2;
	*at++ = 16;
	return at;
}

/* Writes sample NUMBER since the start, of event 0, at WORDS.  Returns the number of its words. */
static size_t write_sample(uint64_t *words, const struct bench *b, uint64_t number)
{
	uint32_t cpu = number % CPUS;
	uint64_t time_ns = NS_PER_S + number / CPUS * PERIOD_NS;
	uint64_t *at = words + 1;

	*at++ = 0; /* identifier */
	*at++ = rig_hot_address() + number / CPUS % ADDRESSES;
	*at++ = pair(PID, PID + cpu);
	*at++ = time_ns;
	*at++ = cpu;
	*at++ = PERIOD_NS;
	if (b->values) {
		*at++ = b->values;
		*at++ = time_ns;
		*at++ = time_ns;
	}
	for (unsigned i = 0; i < b->values; i++) {
		*at++ = number * (i + 1);
		*at++ = i;
	}
	if (b->sample_type & PERF_SAMPLE_CALLCHAIN)
		at = write_chain(at, words[2]);
	if (b->sample_type & PERF_SAMPLE_REGS_USER)
		at = write_copy(at, words[2]);
	words[0] = pair(PERF_RECORD_SAMPLE,
			(uint32_t)((at - words) * 8) << 16 | PERF_RECORD_MISC_USER);
	return (size_t)(at - words);
}

static void open_rig(struct rig *rig, const struct bench *b)
{
	rig_init(rig, b->events, TIER_CPU_GROUP);
	rig->options.mode = b->extras & SUMS ? HISTOGRAM_CUMULATIVE : HISTOGRAM_DECAY;
	rig->options.past = b->extras & PAST;
	rig->options.addresses = b->extras & AT;
	rig->options.target.callchains = b->sample_type & PERF_SAMPLE_CALLCHAIN;
	rig->options.target.leaf_callers = b->extras & LEAF_CALLERS;
	rig_open(rig);
	rig_receive(rig, fake_comm(PID, PID, 1, "bench", true));
	rig_receive(rig, rig_mmap_self(PID, 2));
	rig_snapshot(rig);
}

/* R: what a record of the kernel does not have is 0 in it. */
static void receive(struct engine *e, const struct record_layout *layout, const uint64_t *words,
		    size_t count, struct record *r)
{
	if (record_decode(layout, words, count * 8, r))
		abort();
	r->event = (int)r->id;
	engine_receive(e, r);
}

/*
 * CPU time of this thread, in ns, for all PASSES over the buffer.  Others may want the CPU, too.  The writing of
 * records is not in it.
 */
static uint64_t run(struct rig *rig, const struct bench *b, uint64_t *buffer)
{
	const struct record_layout layout = { .sample_type = b->sample_type,
					      .read_format = b->values ? FORMAT : 0,
					      .sample_regs_user = REGS,
					      .sample_id_all = true };
	uint64_t taken_ns = 0;
	size_t size = 0; /* of each record, words */
	struct record r = { 0 };

	for (uint64_t pass = 0; pass < PASSES; pass++) {
		uint64_t start_ns;

		for (uint64_t i = 0; i < RECORDS; i++)
			size = write_sample(buffer + i * size, b, pass * RECORDS + i);
		start_ns = clock_thread_cpu_ns();
		for (uint64_t i = 0; i < RECORDS; i++)
			receive(rig->engine, &layout, buffer + i * size, size, &r);
		taken_ns += clock_thread_cpu_ns() - start_ns;
	}
	return taken_ns;
}

/* Returns true if NAME begins with one of the arguments, or if there are none. */
static bool is_wanted(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++) {
		if (!strncmp(name, argv[i], strlen(argv[i])))
			return true;
	}
	return argc < 2;
}

int main(int argc, char **argv)
{
	uint64_t *buffer = calloc(RECORDS * WORDS_MAX, sizeof(*buffer));

	if (!buffer)
		return 1;
	for (size_t i = 0; i < sizeof(benches) / sizeof(*benches); i++) {
		const struct bench *b = &benches[i];
		uint64_t taken_ns;
		struct rig rig;

		if (!is_wanted(argc, argv, b->name))
			continue;
		open_rig(&rig, b);
		taken_ns = run(&rig, b, buffer);
		if (engine_statistics(rig.engine).samples != PASSES * RECORDS)
			abort(); /* a path that counts nothing is fast */
		printf("  %-28s %6.1f M/s  %5.1f ns\n", b->name,
		       1e3 * PASSES * RECORDS / (double)taken_ns,
		       (double)taken_ns / (PASSES * RECORDS));
		rig_fini(&rig);
	}
	free(buffer);
	return 0;
}
