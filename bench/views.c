/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * views: what a screen of 200x60 costs, view by view: painting it, a key that moves, a new snapshot.
 * And the keys of a call tree of 100 000 nodes: scrolling, opening and closing, searching in what is
 * closed.  CPU time of this thread in microseconds: the median of many, and the worst.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "profile/large-snapshot.h"
#include "profile/sample-snapshot.h"
#include "view/kind.h"
#include "view/view.h"

#define ROWS 60
#define COLUMNS 200
#define NODES 100000
#define TIMES 101

static double microseconds(void)
{
	return (double)clock_thread_cpu_ns() / 1e3;
}

struct bench {
	struct view *view;
	struct grid *grid;
	struct snapshot *next; /* what show_snapshot() shows */
	int number;            /* how often it was done */
};

typedef void step(struct bench *b);

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *name, struct bench *b, step *prepare, step *act)
{
	double taken[TIMES];

	for (b->number = 0; b->number < TIMES; b->number++) {
		double start;

		if (prepare)
			prepare(b);
		start = microseconds();
		act(b);
		taken[b->number] = microseconds() - start;
	}
	qsort(taken, TIMES, sizeof(*taken), by_size);
	printf("  %-34s %8.0f %8.0f\n", name, taken[TIMES / 2], taken[TIMES - 1]);
}

static void paint(struct bench *b)
{
	view_draw(b->view, b->grid);
}

static void move(struct bench *b)
{
	if (!view_move(b->view, 1))
		view_move(b->view, LONG_MIN);
}

static void move_and_paint(struct bench *b)
{
	move(b);
	paint(b);
}

static void make_snapshot(struct bench *b)
{
	b->next = large_snapshot(NODES);
	sample_cpus(b->next, 256, 4);
	sample_groups(b->next, 10000);
	/* The views of a certain event show this one. */
	if (view_kind(b->view)->event)
		b->next->events[0].id = view_kind(b->view)->event;
}

static void show_snapshot(struct bench *b)
{
	view_set_snapshot(b->view, b->next);
}

static struct bench bench_of(const char *name)
{
	struct view_options options = { .full_command = true, .view = name };
	struct error err = { "" };
	struct bench b = { .view = view_new(&options, &err), .grid = grid_new(ROWS, COLUMNS) };

	if (!b.view) {
		fprintf(stderr, "views: %s\n", err.text);
		exit(1);
	}
	make_snapshot(&b);
	show_snapshot(&b);
	paint(&b);
	return b;
}

static void bench_end(struct bench *b)
{
	view_free(b->view);
	grid_free(b->grid);
}

static void all_views(void)
{
	printf("200x60, microseconds%18s %8s %8s\n", "", "median", "worst");
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct bench b = bench_of(k->name);
		char text[64];

		snprintf(text, sizeof(text), "%s: paint", k->name);
		measure(text, &b, NULL, paint);
		snprintf(text, sizeof(text), "%s: a key, and paint", k->name);
		measure(text, &b, NULL, move_and_paint);
		snprintf(text, sizeof(text), "%s: a new snapshot", k->name);
		measure(text, &b, make_snapshot, show_snapshot);
		bench_end(&b);
	}
}

static void page_and_paint(struct bench *b)
{
	if (!view_page(b->view, 1))
		view_move(b->view, LONG_MIN);
	paint(b);
}

static void to_the_top(struct bench *b)
{
	view_move(b->view, LONG_MIN);
}

/* Every other time it is closed, then opened. */
static void fold_and_paint(struct bench *b)
{
	view_fold(b->view, b->number % 2 ? FOLD_OPEN : FOLD_CLOSE);
	paint(b);
}

/* One text after the other, as somebody types the first letter of each. */
static void search_and_paint(struct bench *b)
{
	char text[16];

	snprintf(text, sizeof(text), "work_%d", 7 * b->number);
	view_search(b->view, text, 0);
	paint(b);
}

static void close_all(struct bench *b)
{
	view_move(b->view, LONG_MIN);
	view_fold(b->view, FOLD_CLOSE_ALL);
}

static void close_all_and_paint(struct bench *b)
{
	close_all(b);
	paint(b);
}

static void open_all_and_paint(struct bench *b)
{
	view_move(b->view, LONG_MIN);
	view_fold(b->view, FOLD_OPEN_ALL);
	paint(b);
}

static void next_and_paint(struct bench *b)
{
	view_search(b->view, "work_1", 1);
	paint(b);
}

static void previous_and_paint(struct bench *b)
{
	view_search(b->view, "work_1", -1);
	paint(b);
}

static void needle_and_paint(struct bench *b)
{
	view_search(b->view, "needle", 1);
	paint(b);
}

static void tree(const char *view)
{
	struct bench b = bench_of(view);

	printf("%s of %d nodes, each with a paint%4s %8s %8s\n", view, NODES, "", "median",
	       "worst");
	measure("search what is typed", &b, close_all, search_and_paint);
	measure("n, among closed ones", &b, NULL, next_and_paint);
	measure("N, among closed ones", &b, NULL, previous_and_paint);
	measure("the one that is deep down", &b, close_all, needle_and_paint);
	measure("a new snapshot", &b, make_snapshot, show_snapshot);
	measure("o, open all below", &b, close_all, open_all_and_paint);
	measure("Down, all open", &b, NULL, move_and_paint);
	measure("PgDn, all open", &b, NULL, page_and_paint);
	measure("close and open the first one", &b, to_the_top, fold_and_paint);
	measure("n, all open", &b, NULL, next_and_paint);
	measure("a new snapshot, all open", &b, make_snapshot, show_snapshot);
	measure("c, close all below", &b, open_all_and_paint, close_all_and_paint);
	bench_end(&b);
}

int main(void)
{
	all_views();
	tree("calltree");
	tree("bottomup");
	return 0;
}
