/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/header.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/i18n.h"
#include "profile/loss.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

#define LINE_ITEMS 16

/* Fewer rows than these: no line for the host; one line for the measurement. */
#define ROWS_FOR_HOST 14
#define ROWS_FOR_TWO 20
#define ROWS_FOR_ANY 8
/* From this width on the measurement always fits in one line. */
#define COLUMNS_FOR_ONE 150
#define COLUMNS_ROOMY 100

struct line_item {
	const char *label; /* prefix; "": none */
	char value[112];
	enum grid_style label_style, style;
	int priority; /* the highest is dropped first */
	bool right;   /* at the right edge */
	bool gone;
};

struct line {
	struct line_item items[LINE_ITEMS];
	size_t count;
	int gap; /* columns between two items */
};

/* Returns the next item, whose value the caller prints.  A full line reuses the last item. */
static struct line_item *line_add(struct line *l, int priority, const char *label)
{
	struct line_item *item = &l->items[l->count < LINE_ITEMS ? l->count++ : LINE_ITEMS - 1];

	*item = (struct line_item){ .label = label,
				    .label_style = STYLE_DIM,
				    .priority = priority };
	return item;
}

static void item_print(struct line_item *item, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void item_print(struct line_item *item, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(item->value, sizeof(item->value), format, args);
	va_end(args);
}

static int item_width(const struct line_item *item)
{
	int label = text_width(item->label), value = text_width(item->value);

	return label + value + (label && value);
}

static int line_width(const struct line *l)
{
	int sum = 2; /* a margin at both ends */

	for (size_t i = 0; i < l->count; i++) {
		if (!l->items[i].gone)
			sum += item_width(&l->items[i]) + l->gap;
	}
	return sum - l->gap;
}

static struct line_item *line_least(struct line *l)
{
	struct line_item *least = NULL;

	for (size_t i = 0; i < l->count; i++) {
		struct line_item *item = &l->items[i];

		if (!item->gone && (!least || item->priority >= least->priority))
			least = item;
	}
	return least;
}

static void line_fit(struct line *l, int columns)
{
	struct line_item *least;

	while (line_width(l) > columns && (least = line_least(l)) && least->priority > 0)
		least->gone = true;
}

static void item_draw(struct grid *g, int row, int column, const struct line_item *item)
{
	int used = grid_text(g, row, column, -1, item->label_style, item->label);

	grid_text(g, row, column + used + (used && *item->value), -1, item->style, item->value);
}

static void line_draw(struct grid *g, int row, struct line *l)
{
	int columns = grid_columns(g), at = 1;

	l->gap = columns >= COLUMNS_ROOMY ? 3 : 2;
	line_fit(l, columns);
	for (size_t i = 0; i < l->count; i++) {
		const struct line_item *item = &l->items[i];
		int width = item_width(item);

		if (item->gone)
			continue;
		item_draw(g, row, item->right ? columns - 1 - width : at, item);
		at += width + l->gap;
	}
}

static void add_uptime(struct line *l, double uptime_s)
{
	unsigned long long minutes;
	struct line_item *item;

	if (!(uptime_s >= 0) || uptime_s > 1e12)
		return;
	minutes = (unsigned long long)(uptime_s / 60);
	item = line_add(l, 5, _("up"));
	if (minutes >= 24 * 60)
		item_print(item, _("%llu d %02llu:%02llu"), minutes / 60 / 24, minutes / 60 % 24,
			   minutes % 60);
	else
		item_print(item, "%02llu:%02llu", minutes / 60, minutes % 60);
}

static void add_load(struct line *l, const double load[3])
{
	struct line_item *item;

	if (isnan(load[0]))
		return;
	item = line_add(l, 3, _("load"));
	item_print(item, "%.2f %.2f %.2f", load[0], load[1], load[2]);
}

static void add_tasks(struct line *l, const struct snapshot_host *h)
{
	struct line_item *item;

	if (h->tasks < 0)
		return;
	item = line_add(l, 4, _("tasks"));
	if (h->running < 0)
		item_print(item, "%lld", (long long)h->tasks);
	else
		item_print(item, _("%lld, %lld running"), (long long)h->tasks,
			   (long long)h->running);
}

/* Appends "io 61.0/40.2": some tasks waited, and all did, if that ever was. */
static void add_pressure_of(struct buf *out, const char *what, double some, double full)
{
	if (isnan(some))
		return;
	buf_printf(out, "%s%s %.1f", out->size ? " " : "", what, some);
	if (full >= 0.05)
		buf_printf(out, "/%.1f", full);
}

static void add_pressure(struct line *l, const struct pressure *p)
{
	struct buf text = { 0 };

	add_pressure_of(&text, _("cpu"), p->cpu_some_percent, NAN);
	add_pressure_of(&text, _("mem"), p->memory_some_percent, p->memory_full_percent);
	add_pressure_of(&text, _("io"), p->io_some_percent, p->io_full_percent);
	if (text.size)
		item_print(line_add(l, 4, "PSI"), "%s %%", text.bytes);
	buf_fini(&text);
}

static void add_clock(struct line *l, uint64_t time_ns)
{
	time_t when = (time_t)(time_ns / 1000000000u);
	struct line_item *item = line_add(l, 2, "");
	struct tm tm;

	item->right = true;
	if (localtime_r(&when, &tm))
		strftime(item->value, sizeof(item->value), "%H:%M:%S", &tm);
}

static void add_badge(struct line *l, const char *text)
{
	struct line_item *item = line_add(l, 0, "");

	item->style = STYLE_BADGE;
	item_print(item, " %s ", text);
}

static void host_draw(struct grid *g, int row, const struct header_request *q)
{
	const struct snapshot *s = q->snapshot;
	struct line l = { .count = 0 };
	struct line_item *item = line_add(&l, 0, "");

	item->style = STYLE_TITLE;
	item_print(item, "%s", "ptop");
	if (q->past)
		add_badge(&l, _("PAST"));
	if (q->paused)
		add_badge(&l, _("PAUSED"));
	if (s->host.name && *s->host.name)
		item_print(line_add(&l, 1, ""), "%.64s", s->host.name);
	if (s->host.kernel && *s->host.kernel && s->host.arch)
		item_print(line_add(&l, 6, ""), "Linux %.64s %.32s", s->host.kernel, s->host.arch);
	add_uptime(&l, s->host.uptime_s);
	add_load(&l, s->host.load);
	add_tasks(&l, &s->host);
	add_pressure(&l, &s->host.pressure);
	add_clock(&l, s->time_ns);
	line_draw(g, row, &l);
}

static void add_rate(struct line *l, const struct snapshot *s, int event)
{
	const struct snapshot_event *e = event < 0 ? NULL : &s->events[event];
	struct line_item *item = line_add(l, 0, e ? e->name : "");
	char period[32];

	item->label_style = STYLE_TITLE;
	if (!e) {
		item_print(item, "%s", _("no sampling"));
		return;
	}
	if (e->time)
		return;
	text_grouped(period, e->period);
	if (snapshot_event_thinned(e))
		item->style = STYLE_WARN;
	if (e->frequency_hz)
		item_print(item, "%llu Hz", (unsigned long long)e->frequency_hz);
	else if (snapshot_event_thinned(e))
		item_print(item, _("1 in %s"), period);
	else if (e->period)
		item_print(item, _("every %s"), period);
}

/* "1 994 samples". */
static struct line_item *add_count(struct line *l, int priority, uint64_t count, const char *what)
{
	struct line_item *item = line_add(l, priority, "");
	char digits[32];

	text_grouped(digits, count);
	item_print(item, "%s %s", digits, what);
	return item;
}

/* The samples of the event that the line names; those of others are not its. */
static void add_event_samples(struct line *l, const struct snapshot_event *e)
{
	const char *what = ngettext("sample", "samples", (unsigned long)e->samples);

	if (e->enabled && !e->error)
		add_count(l, 3, e->samples, what);
	else
		item_print(line_add(l, 3, ""), "- %s", what);
}

/* Samples that the kernel dropped: in this interval, and in total if earlier ones were dropped. */
static void add_lost(struct line *l, const struct snapshot_sampling *m)
{
	bool any = m->lost || m->total_lost;
	struct line_item *item = line_add(l, any ? 1 : 3, _("lost"));
	char now[32], all[32];

	text_grouped(now, m->lost);
	text_grouped(all, m->total_lost);
	if (m->total_lost > m->lost)
		item_print(item, _("%s, %s in all"), now, all);
	else
		item_print(item, "%s", now);
	item->style = any ? STYLE_WARN : STYLE_NORMAL;
}

/* Figures shown as absent, because they are impossible. */
static void add_violations(struct line *l, const struct snapshot *s)
{
	struct buf names = { 0 };
	struct line_item *item;

	for (size_t i = 0; i < s->violation_count; i++)
		buf_printf(&names, "%s%s %" PRIu64, i ? ", " : "", s->violations[i].name,
			   s->violations[i].total);
	if (s->violation_count) {
		item = line_add(l, 1, _("impossible"));
		item->style = STYLE_WARN;
		item_print(item, "%.100s", names.bytes);
	}
	buf_fini(&names);
}

static void add_percent(struct line *l, int priority, const char *label, double percent)
{
	struct line_item *item = line_add(l, priority, label);

	if (isnan(percent))
		item_print(item, "%s", "-");
	else
		item_print(item, "%.1f %%", percent);
}

/* Adds the number of samples and the losses. */
static void add_samples(struct line *l, const struct header_request *q)
{
	const struct snapshot_sampling *m = &q->snapshot->sampling;

	if (*q->filter_text) {
		struct line_item *item = line_add(l, 1, "");

		item->style = STYLE_MATCH;
		item_print(item, "%.100s", q->filter_text);
	}
	add_rate(l, q->snapshot, q->event);
	if (q->event < 0)
		return;
	add_event_samples(l, &q->snapshot->events[q->event]);
	add_lost(l, m);
	if (m->total_lost_sideband)
		add_count(l, 1, m->total_lost_sideband, _("side-band lost"))->style = STYLE_WARN;
	if (m->throttled)
		add_count(l, 4, m->throttled, _("throttled"))->style = STYLE_WARN;
	if (m->foreign_times)
		add_count(l, 4, m->foreign_times, _("timed by another clock"))->style = STYLE_WARN;
	add_percent(l, 5, _("unresolved"), m->unresolved_percent);
	if (m->unnamed_percent > 0)
		add_percent(l, 7, _("unnamed"), m->unnamed_percent);
	if (!q->past || !isnan(m->stacks_complete_percent)) /* not known of a window */
		add_percent(l, 6, _("stacks"), m->stacks_complete_percent);
	if (!isnan(m->python_percent))
		add_percent(l, 7, _("python"), m->python_percent);
}

static double event_value(const struct snapshot *s, enum event_id id)
{
	int event = s->counter_event[id];

	return event >= 0 && (size_t)event < s->event_count ? s->events[event].value : NAN;
}

static void add_ratios(struct line *l, const struct snapshot *s)
{
	double ipc =
		number_divide(event_value(s, EVENT_INSTRUCTIONS), event_value(s, EVENT_CYCLES));
	struct line_item *item;

	if (!s->sampling.hardware) {
		item_print(line_add(l, 1, ""), "%s", _("no hardware counters"));
		return;
	}
	item = line_add(l, 2, _("IPC"));
	if (isnan(ipc))
		item_print(item, "%s", "-");
	else
		item_print(item, "%.2f", ipc);
	add_percent(l, 4, _("MISS"),
		    100 * number_divide(event_value(s, EVENT_CACHE_MISSES),
					event_value(s, EVENT_CACHE_REFERENCES)));
}

/*
 * Adds the coverage of the event that had a counter for the shortest time, if events share
 * counters.
 */
static void add_coverage(struct line *l, const struct snapshot *s)
{
	double least = 100;

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->enabled && !e->error && e->running_percent < least)
			least = e->running_percent;
	}
	if (least < 99.5)
		item_print(line_add(l, 3, _("coverage")), "%.0f %%", least);
}

static const struct {
	const char *tier, *words;
} tier_words[] = {
	{ "cpu-group", N_("per-CPU group") },
	{ "per-task", N_("per-task") },
	{ "proc", N_("/proc only") },
	{ "file", N_("recording") },
};

static void add_tier(struct line *l, const struct snapshot_sampling *m)
{
	struct line_item *item = line_add(l, 2, "");
	const char *words = m->tier ? m->tier : "-";

	for (size_t i = 0; i < sizeof(tier_words) / sizeof(tier_words[0]); i++) {
		if (!strcmp(tier_words[i].tier, words))
			words = _(tier_words[i].words);
	}
	item_print(item, m->user_only ? _("%s, user only") : "%s", words);
	if (m->waits_summed)
		item_print(line_add(l, 2, _("engine")), "bpf");
}

/* Adds the cost if it exceeds the budget. */
static void add_over_budget(struct line *l, const struct snapshot_sampling *m)
{
	struct line_item *item;

	if (!m->over_budget)
		return;
	item = line_add(l, 1, "");
	item->style = STYLE_WARN;
	item_print(item, _("over budget: %.1f %% of %g %%"), m->cost_percent, m->budget_percent);
}

/* Adds the events with a raised period.  The shown event is left out: its rate says so. */
static void add_thinned(struct line *l, const struct header_request *q)
{
	const struct snapshot *s = q->snapshot;

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];
		struct line_item *item;
		char period[32];

		if ((int)i == q->event || !snapshot_event_thinned(e))
			continue;
		text_grouped(period, e->period);
		item = line_add(l, 1, e->name);
		item->style = STYLE_WARN;
		item_print(item, _("1 in %s"), period);
	}
}

static struct line_item *add_warning(struct line *l)
{
	struct line_item *item = line_add(l, 1, "");

	item->style = STYLE_WARN;
	return item;
}

/* Adds what the budget leaves out of system calls. */
static void add_calls(struct line *l, const struct snapshot_sampling *m)
{
	if (m->call_part > 1)
		item_print(add_warning(l), _("syscalls of 1 thread in %u"), m->call_part);
	if (m->call_threads)
		item_print(add_warning(l),
			   ngettext("syscalls of %u busy thread sampled",
				    "syscalls of %u busy threads sampled", m->call_threads),
			   m->call_threads);
	else if (m->calls_without_stacks)
		item_print(add_warning(l), _("syscalls without stacks"));
}

/* Adds the user whose samples the budget thins most. */
static void add_user(struct line *l, const struct snapshot_sampling *m)
{
	struct line_item *item;

	if (!m->thinned_user)
		return;
	item = line_add(l, 1, m->thinned_user);
	item->style = STYLE_WARN;
	if (m->thinned_users == 1)
		item_print(item, _("1 sample in %u"), m->thinned_part);
	else
		item_print(item, _("1 sample in %u, of %u users"), m->thinned_part,
			   m->thinned_users);
}

/* Adds what the budget reduced. */
static void add_reduction(struct line *l, const struct snapshot_sampling *m)
{
	struct line_item *item;

	if (m->sampled_counters)
		item_print(add_warning(l), _("sampled counters: budget %g %%"), m->budget_percent);
	if (m->stack_period > 1 && m->stack_threads) {
		item = line_add(l, 1, "");
		item->style = STYLE_WARN;
		if (m->stack_threads == UINT32_MAX)
			item_print(item, _("stacks of 1 wait in %u: budget %g %%"), m->stack_period,
				   m->budget_percent);
		else
			item_print(
				item,
				ngettext("stacks of 1 wait in %u of %u busy thread: budget %g %%",
					 "stacks of 1 wait in %u of %u busy threads: budget %g %%",
					 m->stack_threads),
				m->stack_period, m->stack_threads, m->budget_percent);
	}
	add_calls(l, m);
	add_user(l, m);
	if (!m->frequency_hz || m->asked_hz <= m->frequency_hz)
		return;
	item = line_add(l, 1, "");
	item->style = STYLE_WARN;
	item_print(item, _("rate reduced to %llu Hz: budget %g %%"),
		   (unsigned long long)m->frequency_hz, m->budget_percent);
}

/* Adds the tables that shed, because all had more than --max-memory. */
static void add_shed(struct line *l, const struct account_sums *a)
{
	struct buf names = { 0 };
	char limit[16];

	for (size_t i = 0; i < ACCOUNT_TABLES; i++)
		if (a->shed[i])
			buf_printf(&names, "%s%s", names.size ? ", " : "", _(account_rows[i].text));
	if (names.size) {
		struct line_item *item = line_add(l, 1, "");

		item->style = STYLE_WARN;
		text_bytes(limit, (int64_t)a->limit);
		item_print(item, _("memory %s full: %.80s shed"), limit, names.bytes);
	}
	buf_fini(&names);
}

/* Adds the way of measuring and its cost. */
static void add_method(struct line *l, const struct header_request *q)
{
	const struct snapshot_sampling *m = &q->snapshot->sampling;

	add_ratios(l, q->snapshot);
	add_coverage(l, q->snapshot);
	add_tier(l, m);
	add_violations(l, q->snapshot);
	add_over_budget(l, m);
	add_thinned(l, q);
	add_reduction(l, m);
	add_shed(l, &m->account);
	add_percent(l, 3, "ptop", m->own_cpu_percent);
	if (*q->mode_text)
		item_print(line_add(l, 5, ""), "%.60s", q->mode_text);
	if (*q->push_text) {
		struct line_item *item = line_add(l, q->push_bad ? 1 : 4, "");

		item->style = q->push_bad ? STYLE_WARN : STYLE_NORMAL;
		item_print(item, "%.60s", q->push_text);
	}
	for (size_t i = 0; i < LOSSES; i++) {
		if (m->losses[i])
			add_count(l, 3, m->losses[i], _(losses[i].text));
	}
	if (m->merged_cells)
		add_count(l, 6, m->merged_cells, _("cells merged"));
}

static void measurement_draw(struct grid *g, int row, bool two, const struct header_request *q)
{
	struct line l = { .count = 0 };

	add_samples(&l, q);
	if (two) {
		line_draw(g, row++, &l);
		l.count = 0;
	}
	add_method(&l, q);
	line_draw(g, row, &l);
}

static bool in_two_lines(int rows, int columns)
{
	return rows >= ROWS_FOR_TWO && columns < COLUMNS_FOR_ONE;
}

int header_rows(int rows, int columns, const struct header_meters *meters, enum cpu_meter meter,
		size_t cpus)
{
	int more = cpu_meter_rows(meter, cpus, rows, columns) - 1;

	more += meter == METER_NONE ? 0 : header_meters_rows(meters, rows);

	if (rows < ROWS_FOR_ANY)
		return 0;
	if (rows < ROWS_FOR_HOST)
		return 2 + more;
	return (in_two_lines(rows, columns) ? 4 : 3) + more;
}

void header_draw(struct grid *g, const struct header_request *q)
{
	int rows = q->screen_rows, row = 0, height;

	if (rows < ROWS_FOR_ANY)
		return;
	if (!q->snapshot) {
		grid_text(g, row, 1, -1, STYLE_DIM, _("measuring"));
		return;
	}
	if (rows >= ROWS_FOR_HOST)
		host_draw(g, row++, q);
	if (q->meter != METER_NONE) {
		height = header_meters_rows(q->meters, rows);
		header_meters_draw(g, row, height, q->meters, q->snapshot, q->meter_past);
		row += height;
	}
	height = cpu_meter_rows(q->meter, q->snapshot->host.cpus, rows, grid_columns(g));
	cpu_meter_draw(g, row, height, q->meter, q->snapshot);
	row += height;
	measurement_draw(g, row, in_two_lines(rows, grid_columns(g)), q);
}
