/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/graph.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/i18n.h"

#define POINTS 2 /* grid_points() at most */

/* The figures that there is room for. */
struct shown {
	const float *figures;
	int count, columns;
	int known;  /* intervals from the first figure that is known */
	double top; /* percent */
};

static struct shown shown_of(const struct grid *g, const struct graph *graph)
{
	int points = grid_points(g), most = (grid_columns(g) - 2) * points;
	struct shown s = { .count = graph->count < most ? graph->count : most, .top = 100 };

	s.columns = s.count / points;
	s.count = s.columns * points;
	s.figures = graph->figures + graph->count - s.count;
	for (int i = 0; i < s.count; i++) {
		if (s.known || !isnan(s.figures[i]))
			s.known++;
		s.top = fmax(s.top, (double)s.figures[i]);
	}
	return s;
}

/* A line of the graph, which shows the shares from BELOW lines of HEIGHT on. */
static void line_draw(struct grid *g, int row, const struct shown *s, int below, int height)
{
	int points = grid_points(g);

	for (int i = 0; i < s->columns; i++) {
		double parts[POINTS];

		for (int n = 0; n < points; n++)
			parts[n] = (double)s->figures[i * points + n] / s->top * height - below;
		grid_graph(g, row, grid_columns(g) - 1 - s->columns + i, STYLE_BAR_USER, parts);
	}
}

void graph_draw(struct grid *g, int row, int height, const struct graph *graph)
{
	const struct snapshot_process *p = graph->process;
	struct shown s;
	char *title;

	grid_restyle(g, row, 0, -1, STYLE_TITLE);
	if (!p || !graph->figures) {
		grid_text_cut(g, row, 1, -1, STYLE_TITLE, _("no process is selected that lives"));
		return;
	}
	s = shown_of(g, graph);
	title = mem_printf(_("%%CPU of %u %s   intervals %d   top %.0f %%"),
			   p->tid ? p->tid : p->pid, p->comm, s.known, s.top);
	grid_text_cut(g, row, 1, -1, STYLE_TITLE, title);
	free(title);
	for (int i = 1; i < height; i++)
		line_draw(g, row + i, &s, height - 1 - i, height - 1);
}
