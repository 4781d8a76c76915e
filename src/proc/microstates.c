/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/microstates.h"

#include <math.h>

const struct microstates microstates_unknown = { { NAN, NAN, NAN, NAN, NAN, NAN }, NAN };
const struct microstates microstates_none;

/* The microstate of a thread in STATE that has no CPU; MICROSTATES: something else. */
static enum microstate wait_of(char state)
{
	static const struct {
		char state;
		enum microstate wait;
	} waits[] = {
		{ 'R', MICROSTATE_QUEUE }, { 'D', MICROSTATE_DISK }, { 'S', MICROSTATE_SLEEP },
		{ 'I', MICROSTATE_SLEEP }, { 'T', MICROSTATE_STOP }, { 't', MICROSTATE_STOP },
	};

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		if (waits[i].state == state)
			return waits[i].wait;
	}
	return MICROSTATES;
}

/* A thread that has begun since then was ready to run at first. */
static char state_before(const struct microstate_looks *l)
{
	return l->before->state ? l->before->state : 'R';
}

/*
 * The one thing that the thread did while it had no CPU and was in no queue; MICROSTATES: there were several, or
 * it is not known.  A thread that gives up its CPU makes a voluntary switch.
 */
static enum microstate only_wait(const struct microstate_looks *l)
{
	if (!l->voluntary_switches && l->now->state == state_before(l))
		return wait_of(l->now->state);
	if (l->voluntary_switches == 1 && state_before(l) == 'R' && l->now->state != 'R')
		return wait_of(l->now->state);
	return MICROSTATES;
}

/*
 * The kernel cuts both times to ticks, but their sum is NS.  Each time lies within a tick of its ticks, and within a tick
 * of NS less the other's ticks.  Takes the middle.
 */
static void split_between(struct microstates *m, double ns, double user_ns, double system_ns)
{
	m->ns[MICROSTATE_USER] = fmax(0, fmin((ns + user_ns - system_ns) / 2, ns));
	m->ns[MICROSTATE_SYSTEM] = ns - m->ns[MICROSTATE_USER];
}

/* NS in proportion of the ticks USER and SYSTEM. */
static void split(struct microstates *m, double ns, uint64_t user, uint64_t system)
{
	m->ns[MICROSTATE_USER] = ns * (double)user / ((double)user + (double)system);
	m->ns[MICROSTATE_SYSTEM] = ns - m->ns[MICROSTATE_USER];
}

/* The kernel counts its parts in ticks.  Where it counted none now, all earlier ones tell. */
static void split_run(struct microstates *m, const struct microstate_looks *l, double run_ns)
{
	const struct task_stat *before = l->before, *now = l->now;
	bool grew = now->user_ticks >= before->user_ticks &&
		    now->system_ticks >= before->system_ticks &&
		    now->user_ticks + now->system_ticks > before->user_ticks + before->system_ticks;
	double tick_ns = (double)l->tick_ns,
	       user_ns = tick_ns * (double)(now->user_ticks - before->user_ticks),
	       system_ns = tick_ns * (double)(now->system_ticks - before->system_ticks);

	if (run_ns <= 0)
		m->ns[MICROSTATE_USER] = m->ns[MICROSTATE_SYSTEM] = 0;
	else if (grew && fabs(run_ns - user_ns - system_ns) <= 2 * tick_ns)
		split_between(m, run_ns, user_ns, system_ns);
	else if (grew)
		split(m, run_ns, now->user_ticks - before->user_ticks,
		      now->system_ticks - before->system_ticks);
	else if (now->user_ticks || now->system_ticks)
		split(m, run_ns, now->user_ticks, now->system_ticks);
}

/* The thread did several things in REST_NS.  A wait for I/O counts when it ends, so it may be longer. */
static void share_rest(struct microstates *m, const struct microstate_looks *l, double rest_ns)
{
	const uint64_t ticks = l->now->disk_ticks, earlier = l->before->disk_ticks;
	bool stops = wait_of(l->now->state) == MICROSTATE_STOP ||
		     wait_of(l->before->state) == MICROSTATE_STOP;

	if (l->delays_counted && ticks && ticks >= earlier) {
		m->ns[MICROSTATE_DISK] =
			fmin((double)(ticks - earlier) * (double)l->tick_ns, rest_ns);
		rest_ns -= m->ns[MICROSTATE_DISK];
	}
	if (stops)
		return;
	m->ns[MICROSTATE_SLEEP] = rest_ns;
	m->ns[MICROSTATE_STOP] = 0;
}

struct microstates microstates_between(const struct microstate_looks *l)
{
	struct microstates m = microstates_unknown;
	double run_ns = fmin((double)l->run_ns, (double)l->elapsed_ns), rest_ns;
	enum microstate wait = only_wait(l);

	if (l->run_ns < 0 || l->delay_ns < 0 || l->voluntary_switches < 0 || !l->elapsed_ns ||
	    wait_of(l->now->state) == MICROSTATES)
		return m;
	m.all_ns = (double)l->elapsed_ns;
	split_run(&m, l, run_ns);
	m.ns[MICROSTATE_QUEUE] = fmin((double)l->delay_ns, m.all_ns - run_ns);
	rest_ns = m.all_ns - run_ns - m.ns[MICROSTATE_QUEUE];
	if (wait == MICROSTATES) {
		share_rest(&m, l, rest_ns);
		return m;
	}
	m.ns[MICROSTATE_DISK] = m.ns[MICROSTATE_SLEEP] = m.ns[MICROSTATE_STOP] = 0;
	m.ns[wait] += rest_ns;
	return m;
}

void microstates_add(struct microstates *sum, const struct microstates *one)
{
	for (int i = 0; i < MICROSTATES; i++)
		sum->ns[i] += one->ns[i];
	sum->all_ns += one->all_ns;
}

void microstates_percent(const struct microstates *m, double percent[MICROSTATES])
{
	for (int i = 0; i < MICROSTATES; i++)
		percent[i] = m->all_ns > 0 ? 100 * m->ns[i] / m->all_ns : NAN;
}
