/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frames [-l] [-c] [-q] [-o] RECORDING: the user stacks of a recording, one line a sample,
 *   PID/TID TIME END ADDRESS …
 * addresses as perf script shows them: those behind a call less one, with -o as OFFSET:FILE, and a
 * "?" behind the file where it does not describe that code.  -l unwinds with libunwind alone, -c
 * compares each stack with libunwind's, and -q prints only the figures, which come last:
 * # samples 100 frames 1234 complete 99 … ns_per_frame 31.4
 *
 * `differences` are stacks that part from libunwind's.  In `undescribed` ones the file does not
 * describe the code of the last frame that both have: there both guess, each in its own way.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "libunwind.h"
#include "replay.h"
#include "unwind/tables.h"

#define FRAMES_MAX 127 /* as many as perf takes */

struct figures {
	struct unwinder *unwinder;
	struct oracle *oracle;
	bool quiet, offsets, by_oracle;
	uint64_t ns, frames, compared, same, steps, steps_same, differences, undescribed;
};

/* ADDRESS as it is printed: inside an instruction of the function, not behind it. */
static bool is_described(const struct replay_sample *s, uint64_t address)
{
	struct unwind_mapping m = { .start = 0 };

	return s->space.find(s->space.context, address, &m) && m.object &&
	       unwind_object_rule(m.object, address - m.bias)->kind != RULE_ABSENT;
}

static void print_address(const struct replay_sample *s, uint64_t address, bool offset)
{
	const struct objects_space *space = s->space.context;
	const struct mapping *m = offset ? space_find(space->space, address) : NULL;

	if (m)
		printf(" %" PRIx64 ":%s%s", address - m->start + m->pgoff, m->path,
		       is_described(s, address) ? "" : "?");
	else
		printf(" %" PRIx64 "%s", address, offset ? ":[unknown]" : "");
}

static void print_sample(const struct figures *f, const struct replay_sample *s,
			 const uint64_t *frames, size_t count, enum unwind_end end)
{
	printf("%u/%u %" PRIu64 ".%09" PRIu64 " %s", s->pid, s->tid,
	       (uint64_t)(s->time_ns / NS_PER_S), (uint64_t)(s->time_ns % NS_PER_S),
	       unwind_ends[end].name);
	for (size_t i = 0; i < count; i++)
		print_address(s, frames[i] - (i > 0), f->offsets);
	printf("\n");
}

static void compare(struct figures *f, const struct replay_sample *s, const uint64_t *frames,
		    size_t count, enum unwind_end end)
{
	uint64_t theirs[FRAMES_MAX];
	enum unwind_end their_end;
	size_t n = oracle_unwind(f->oracle, &s->regs, &s->stack, s->space.context, theirs,
				 FRAMES_MAX, &their_end);
	size_t same = 0, both = n < count ? n : count;

	while (same < both && theirs[same] == frames[same])
		same++;
	f->compared++;
	f->steps += both;
	f->steps_same += same;
	f->same += same == n && n == count;
	if (same < both || n > count) {
		f->differences++;
		f->undescribed += same && !is_described(s, frames[same - 1] - (same > 1));
		if (!f->quiet) {
			printf("* rules     ");
			print_sample(f, s, frames, count, end);
			printf("* libunwind ");
			print_sample(f, s, theirs, n, their_end);
		}
	}
}

static void receive(void *context, const struct replay_sample *s)
{
	struct figures *f = context;
	uint64_t frames[FRAMES_MAX], before = clock_monotonic_ns(&clock_system);
	enum unwind_end end;
	size_t count = f->by_oracle ? oracle_unwind(f->oracle, &s->regs, &s->stack,
						    s->space.context, frames, FRAMES_MAX, &end)
				    : unwind_sample(f->unwinder, &s->regs, &s->stack, &s->space,
						    frames, FRAMES_MAX, &end);

	f->ns += clock_monotonic_ns(&clock_system) - before;
	f->frames += count;
	if (f->oracle && !f->by_oracle)
		compare(f, s, frames, count, end);
	else if (!f->quiet)
		print_sample(f, s, frames, count, end);
}

static void print_figures(const struct figures *f)
{
	const struct unwind_stats *s = unwind_stats(f->unwinder);

	printf("# samples %" PRIu64 " frames %" PRIu64, s->samples, s->frames);
	for (unsigned i = 0; i < UNWIND_ENDS; i++)
		if (s->ends[i])
			printf(" %s %" PRIu64, unwind_ends[i].name, s->ends[i]);
	printf(" guesses %" PRIu64 " fp_steps %" PRIu64 " signal_frames %" PRIu64, s->guesses,
	       s->fp_steps, s->signal_frames);
	if (f->oracle && !f->by_oracle)
		printf(" compared %" PRIu64 " same %" PRIu64 " steps %" PRIu64
		       " steps_same %" PRIu64 " differences %" PRIu64 " undescribed %" PRIu64,
		       f->compared, f->same, f->steps, f->steps_same, f->differences,
		       f->undescribed);
	printf(" ns_per_frame %.1f\n", f->frames ? (double)f->ns / (double)f->frames : 0);
}

int main(int argc, char **argv)
{
	struct figures f = { 0 };
	struct objects *objects;
	bool good;
	int c;

	while ((c = getopt(argc, argv, "lcqo")) >= 0) {
		if (c == 'l' || c == 'c')
			f.oracle = oracle_new();
		if (c == 'l')
			f.by_oracle = true;
		else if (c == 'o')
			f.offsets = true;
		else if (c == 'q')
			f.quiet = true;
	}
	if (optind != argc - 1)
		return 2;
	f.unwinder = unwinder_new(UNWIND_BY_RULES);
	objects = objects_new();
	good = replay(argv[optind], objects, receive, &f);
	print_figures(&f);
	unwinder_free(f.unwinder);
	oracle_free(f.oracle);
	objects_free(objects);
	return good ? 0 : 1;
}
