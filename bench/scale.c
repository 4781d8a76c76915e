/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scale: what a second costs on a machine with 5 000 processes, 10 000 control groups and 256 CPUs, whose /proc, /sys and
 * cgroup trees are scripted files: reading them and making a snapshot, making the rows of a view of it, painting
 * 200x60.  CPU time of this thread: means in microseconds, since some work is not done in each refresh, and all of it as a per cent of one CPU with a refresh a
 * second.  "nothing" is a session whose screen shows none of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/large-machine.h"
#include "view/kind.h"
#include "view/view.h"

#define ROWS 60
#define COLUMNS 200
#define PROCESSES 5000
#define GROUPS 10000
#define CPUS 256
#define WARM 4
#define WALK 200 /* refreshes until all groups are known, and their files were read */
#define TIMES 21
#define VISIBLE 256
#define CLOCK_READS 10000

static double microseconds(void)
{
	return (double)clock_thread_cpu_ns() / 1e3;
}

/* Measures how long a reading of the scripted clock takes. */
static double clock_reading_us(void)
{
	double start = microseconds();

	for (int i = 0; i < CLOCK_READS; i++)
		clock_thread_cpu_ns();
	return (microseconds() - start) / CLOCK_READS;
}

struct screen {
	struct view *view; /* NULL: nothing is shown */
	struct grid *grid;
	uint32_t pids[VISIBLE];
	size_t pid_count;
};

/* Asks as a session does: for what the view shows now. */
static void request(struct large_machine *m, struct screen *s)
{
	uint32_t ids[VISIBLE];
	size_t count;
	bool all;

	if (!s->view)
		return;
	engine_set_extras(m->rig.engine, view_extras(s->view));
	engine_set_commands(m->rig.engine, view_wants_commands(s->view));
	engine_set_threads(m->rig.engine, view_wants_threads(s->view));
	count = view_group_ids(s->view, ids, VISIBLE, &all);
	engine_set_groups(m->rig.engine, ids, count, all);
	s->pid_count = view_visible_pids(s->view, s->pids, VISIBLE);
}

/* A refresh; the times of its parts to TAKEN, without those of the scripted clock. */
static void refresh(struct large_machine *m, struct screen *s, double clock_us, double taken[3])
{
	uint64_t reads = m->clock_reads;
	double start;

	large_machine_run(m);
	request(m, s);
	start = microseconds();
	large_machine_snapshot(m, s->pids, s->pid_count);
	taken[0] = microseconds() - start - clock_us * (double)(m->clock_reads - reads);
	taken[1] = taken[2] = 0;
	if (!s->view)
		return;
	start = microseconds();
	view_set_snapshot(s->view, m->rig.snapshot);
	m->rig.snapshot = NULL; /* the view's */
	taken[1] = microseconds() - start;
	start = microseconds();
	view_draw(s->view, s->grid);
	taken[2] = microseconds() - start;
}

static void measure(struct large_machine *m, const char *name, const char *columns)
{
	struct view_options options = { .full_command = true, .view = name, .columns = columns };
	struct error err = { "" };
	struct screen s = { .grid = grid_new(ROWS, COLUMNS) };
	double parts[3] = { 0 }, taken[3], sum = 0, clock_us = clock_reading_us();

	s.view = name ? view_new(&options, &err) : NULL;
	if (!s.view)
		engine_set_extras(m->rig.engine, 0);
	for (int i = 0; i < (s.view && view_extras(s.view) & EXTRA_GROUPS ? WALK : WARM); i++)
		refresh(m, &s, clock_us, taken);
	for (int i = 0; i < TIMES; i++) {
		refresh(m, &s, clock_us, taken);
		for (int part = 0; part < 3; part++)
			parts[part] += taken[part] / TIMES;
	}
	printf("  %-34s", columns ? columns : name ? name : "nothing");
	for (int part = 0; part < 3; part++) {
		sum += parts[part];
		printf(" %8.0f", parts[part]);
	}
	printf(" %8.2f\n", sum / 1e4);
	fflush(stdout);
	view_free(s.view);
	grid_free(s.grid);
}

int main(int argc, char **argv)
{
	struct large_machine m;

	mem_tune();
	printf("%d processes, %d groups, %d CPUs%10s %8s %8s %8s\n", PROCESSES, GROUPS, CPUS,
	       "snapshot", "rows", "paint", "CPU %");
	large_machine_init(&m, PROCESSES, GROUPS, CPUS, 0);
	m.times_work = true;
	if (argc > 1) {
		measure(&m, strcmp(argv[1], "nothing") ? argv[1] : NULL, argc > 2 ? argv[2] : NULL);
	} else {
		measure(&m, NULL, NULL);
		measure(&m, "processes", NULL);
		measure(&m, "tree", NULL);
		measure(&m, "cpus", NULL);
		measure(&m, "groups", NULL);
		measure(&m, "groups", "+group.memory,+group.read/s,+group.throt%,+group.io-psi");
		measure(&m, "findings", NULL);
		measure(&m, NULL, NULL);
	}
	large_machine_fini(&m);
	return 0;
}
