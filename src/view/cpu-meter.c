/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/cpu-meter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/i18n.h"
#include "view/header-bar.h"

#define ROWS_NEEDED 20 /* a lower screen has the bar of all CPUs alone */
#define ROWS_SHARE 4   /* at most so much of the screen is for bars */
#define BAR_COLUMNS 25 /* "12 [|||||||||||  98.7 %]" */
#define HOT_PERCENT 80

const char *cpu_meter_name(enum cpu_meter meter)
{
	static const char *const names[METERS] = { "one", "each", "heat", "none" };

	return names[meter];
}

int cpu_meter_find(const char *name)
{
	for (int i = 0; i < METERS; i++) {
		if (!strcasecmp(cpu_meter_name((enum cpu_meter)i), name))
			return i;
	}
	return -1;
}

static int bars_a_line(int columns)
{
	return columns > BAR_COLUMNS ? (columns - 1) / BAR_COLUMNS : 1;
}

/* Lines for a bar of each CPU; 0: they do not fit. */
static int bar_rows(size_t cpus, int rows, int columns)
{
	size_t line = (size_t)bars_a_line(columns), need = (cpus + line - 1) / line;

	return need <= (size_t)(rows / ROWS_SHARE) ? (int)need : 0;
}

int cpu_meter_rows(enum cpu_meter meter, size_t cpus, int rows, int columns)
{
	int bars;

	if (rows < ROWS_NEEDED || !cpus || (meter != METER_EACH && meter != METER_HEAT))
		return 0;
	bars = meter == METER_EACH ? bar_rows(cpus, rows, columns) : 0;
	return bars ? bars : 1;
}

static double busy_percent(const struct cpu_facts *f)
{
	return 100 - f->idle_percent - f->iowait_percent;
}

/* The bars stand under each other first, as the numbers are read. */
static void bars_draw(struct grid *g, int row, int height, const struct snapshot *s)
{
	int line = bars_a_line(grid_columns(g)), width = (grid_columns(g) - 1) / line, at = 0;

	for (size_t i = 0; i < s->cpu_count && at < line * height; i++) {
		const struct cpu_facts *f = &s->cpus[i].facts;
		struct header_bar b = { .style = { STYLE_BAR_USER, STYLE_BAR_SYSTEM } };
		char title[16];

		if (!f->online)
			continue;
		snprintf(title, sizeof(title), "%3u", f->number);
		b.title = title;
		b.part[0] = f->user_percent;
		b.part[1] = busy_percent(f) - f->user_percent;
		if (isnan(f->idle_percent))
			strcpy(b.text, "-");
		else
			snprintf(b.text, sizeof(b.text), "%5.1f %%", busy_percent(f));
		header_bar_draw(g, row + at % height, 1 + at / height * width, width - 1, &b);
		at++;
	}
}

/* The mean of the CPUs that share column I of COLUMNS; NAN: it is not known of one of them. */
static double mean_at(const struct snapshot *s, size_t online, int i, int columns)
{
	size_t from = (size_t)i * online / (size_t)columns, count = 0, at = 0;
	size_t to = (size_t)(i + 1) * online / (size_t)columns;
	double sum = 0;

	for (size_t cpu = 0; cpu < s->cpu_count && at < to; cpu++) {
		if (!s->cpus[cpu].facts.online)
			continue;
		if (at++ < from)
			continue;
		sum += busy_percent(&s->cpus[cpu].facts);
		count++;
	}
	return count ? sum / (double)count : NAN;
}

static void heat_draw(struct grid *g, int row, const struct snapshot *s)
{
	int left = 2 + grid_text(g, row, 1, -1, STYLE_DIM, _("CPUs")), columns;
	size_t online = 0;

	for (size_t i = 0; i < s->cpu_count; i++)
		online += s->cpus[i].facts.online;
	columns = grid_columns(g) - left - 1;
	if (columns > (int)online)
		columns = (int)online;
	for (int i = 0; i < columns; i++) {
		double busy = mean_at(s, online, i, columns);

		if (isnan(busy))
			grid_text(g, row, left + i, 1, STYLE_DIM, "-");
		else
			grid_level(g, row, left + i,
				   busy >= HOT_PERCENT ? STYLE_HOT : STYLE_BAR_USER, busy / 100);
	}
}

void cpu_meter_draw(struct grid *g, int row, int height, enum cpu_meter meter,
		    const struct snapshot *s)
{
	bool fit = bars_a_line(grid_columns(g)) * height >= (int)s->host.cpus;

	if (height && meter == METER_EACH && fit)
		bars_draw(g, row, height, s);
	else if (height)
		heat_draw(g, row, s);
}
