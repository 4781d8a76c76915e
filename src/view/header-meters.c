/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/header-meters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "view/header-bar.h"
#include "view/widget/text.h"

#define GIB (1024.0 * 1024 * 1024)
#define COLUMNS_FOR_SWAP 140
/* The least width of a bar with its words. */
#define BAR_FOR_WORDS 26
#define BAR_FOR_USER 40
#define BAR_FOR_ALL 70
/* They take at most this part of the screen. */
#define SCREEN_PART 4

static void fill_cpu(const struct snapshot *s, int width, struct header_bar *b)
{
	const struct snapshot_host *h = &s->host;

	b->style[0] = STYLE_BAR_USER;
	b->style[1] = STYLE_BAR_SYSTEM;
	b->part[0] = h->user_percent;
	b->part[1] = h->cpu_percent - h->user_percent;
	if (isnan(h->cpu_percent))
		return;
	if (width >= BAR_FOR_ALL)
		snprintf(b->text, sizeof(b->text),
			 _("%5.1f %%  user %3.0f sys %3.0f iowait %3.0f steal %3.0f"),
			 h->cpu_percent, h->user_percent, h->system_percent, h->iowait_percent,
			 h->steal_percent);
	else if (width >= BAR_FOR_USER)
		snprintf(b->text, sizeof(b->text), _("%5.1f %%  user %3.0f sys %3.0f"),
			 h->cpu_percent, h->user_percent, h->system_percent);
	else
		snprintf(b->text, sizeof(b->text), "%5.1f %%", h->cpu_percent);
}

static void fill_bytes(int width, int64_t used, int64_t total, struct header_bar *b)
{
	if (total <= 0 || used < 0)
		return;
	b->part[0] = 100.0 * (double)used / (double)total;
	if (width < BAR_FOR_WORDS)
		snprintf(b->text, sizeof(b->text), "%5.1f %%", b->part[0]);
	else if (total >= (int64_t)GIB)
		snprintf(b->text, sizeof(b->text), _("%.1f of %.1f GiB"), (double)used / GIB,
			 (double)total / GIB);
	else
		snprintf(b->text, sizeof(b->text), _("%.0f of %.0f MiB"), (double)used * 1024 / GIB,
			 (double)total * 1024 / GIB);
}

static void fill_memory(const struct snapshot *s, int width, struct header_bar *b)
{
	fill_bytes(width, s->host.memory_used_bytes, s->host.memory_total_bytes, b);
}

static void fill_swap(const struct snapshot *s, int width, struct header_bar *b)
{
	fill_bytes(width, s->host.swap_used_bytes, s->host.swap_total_bytes, b);
}

/* A whole bar is a task for each CPU. */
static void fill_load(const struct snapshot *s, int width, struct header_bar *b)
{
	const double *load = s->host.load;

	if (isnan(load[0]))
		return;
	if (s->host.cpus)
		b->part[0] = 100 * load[0] / s->host.cpus;
	snprintf(b->text, sizeof(b->text), width < BAR_FOR_WORDS ? "%.2f" : "%.2f %.2f %.2f",
		 load[0], load[1], load[2]);
}

static void fill_tasks(const struct snapshot *s, int width, struct header_bar *b)
{
	const struct snapshot_host *h = &s->host;

	if (h->tasks < 0 || h->running < 0)
		return;
	if (h->cpus)
		b->part[0] = 100.0 * (double)h->running / h->cpus;
	if (width < BAR_FOR_WORDS)
		snprintf(b->text, sizeof(b->text), "%lld", (long long)h->running);
	else
		snprintf(b->text, sizeof(b->text), _("%lld running of %lld"), (long long)h->running,
			 (long long)h->tasks);
}

static void fill_percent(double percent, struct header_bar *b)
{
	b->part[0] = percent;
	if (!isnan(percent))
		snprintf(b->text, sizeof(b->text), "%5.1f %%", percent);
}

static void fill_psi_cpu(const struct snapshot *s, int width, struct header_bar *b)
{
	(void)width;
	fill_percent(s->host.pressure.cpu_some_percent, b);
}

static void fill_psi_memory(const struct snapshot *s, int width, struct header_bar *b)
{
	(void)width;
	fill_percent(s->host.pressure.memory_some_percent, b);
}

static void fill_psi_io(const struct snapshot *s, int width, struct header_bar *b)
{
	(void)width;
	fill_percent(s->host.pressure.io_some_percent, b);
}

static void fill_own(const struct snapshot *s, int width, struct header_bar *b)
{
	(void)width;
	fill_percent(s->sampling.own_cpu_percent, b);
}

enum { KIND_CPU, KIND_MEMORY, KIND_SWAP };

/* clang-format off */
static const struct {
	const char *name, *title, *help;
	void (*fill)(const struct snapshot *s, int width, struct header_bar *b);
} kinds[] = {
	[KIND_CPU] = { "cpu", N_("CPU"), N_("all CPUs: user and system time"), fill_cpu },
	[KIND_MEMORY] = { "mem", N_("MEM"), N_("memory in use"), fill_memory },
	[KIND_SWAP] = { "swap", N_("SWP"), N_("swap space in use"), fill_swap },
	{ "load", N_("load"), N_("tasks that run or wait for it, of 1, 5 and 15 minutes"), fill_load },
	{ "tasks", N_("tasks"), N_("tasks that run, and all"), fill_tasks },
	{ "psi-cpu", "PSI cpu", N_("share of the time in which some task waited for a CPU"), fill_psi_cpu },
	{ "psi-mem", "PSI mem", N_("share of the time in which some task waited for memory"), fill_psi_memory },
	{ "psi-io", "PSI io", N_("share of the time in which some task waited for storage"), fill_psi_io },
	{ "ptop", "ptop", N_("what ptop itself uses of one CPU"), fill_own },
};
/* clang-format on */
#define KINDS (sizeof(kinds) / sizeof(*kinds))

_Static_assert(KINDS <= HEADER_METERS_MAX, "each kind has a past, and can be shown");

static const struct {
	const char *name, *title;
} styles[METER_STYLES] = {
	[METER_BAR] = { "bar", N_("bar") },
	[METER_TEXT] = { "text", N_("figure") },
	[METER_GRAPH] = { "graph", N_("graph") },
};

size_t header_meter_kinds(void)
{
	return KINDS;
}

const char *header_meter_name(size_t kind)
{
	return kinds[kind].name;
}

const char *header_meter_help(size_t kind)
{
	return _(kinds[kind].help);
}

const char *header_meter_style_title(enum header_meter_style style)
{
	return _(styles[style].title);
}

/* The place of the meter of KIND; SIZE_MAX: it is not there. */
static size_t place_of(const struct header_meters *m, size_t kind)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->items[i].kind == kind)
			return i;
	}
	return SIZE_MAX;
}

static bool is_word(const char *name, const char *word, size_t size)
{
	return strlen(name) == size && !memcmp(name, word, size);
}

static int unknown_meter(const char *word, size_t size, struct error *err)
{
	struct buf names = { 0 };

	for (size_t kind = 0; kind < KINDS; kind++)
		buf_printf(&names, "%s%s", kind ? ", " : "", kinds[kind].name);
	error_set(err, _("unknown meter '%.*s': there are %s, each with :text, :graph or neither"),
		  size < 64 ? (int)size : 64, word, names.bytes);
	buf_fini(&names);
	return -1;
}

/* Adds the meter that the SIZE bytes at WORD name: "cpu", "cpu:text". */
static int parse_word(struct header_meters *m, const char *word, size_t size, struct error *err)
{
	const char *colon = memchr(word, ':', size);
	size_t name = colon ? (size_t)(colon - word) : size, kind = 0, style = 0;

	while (kind < KINDS && !is_word(kinds[kind].name, word, name))
		kind++;
	while (colon && style < METER_STYLES &&
	       !is_word(styles[style].name, colon + 1, size - name - 1))
		style++;
	if (kind == KINDS || style == METER_STYLES)
		return unknown_meter(word, size, err);
	if (place_of(m, kind) != SIZE_MAX)
		return error_set(err, _("meter '%s' is there twice"), kinds[kind].name);
	m->items[m->count++] = (struct header_meter){ (uint8_t)kind, (uint8_t)style };
	return 0;
}

int header_meters_parse(struct header_meters *m, const char *text, struct error *err)
{
	struct header_meters found = { .count = 0 };
	bool right = false;

	while (*text) {
		size_t size = strcspn(text, ",|");

		if (size && parse_word(&found, text, size, err))
			return -1;
		text += size;
		if (*text == '|' && right)
			return error_set(err, _("meters: | is there twice"));
		if (*text == '|') {
			right = true;
			found.left = found.count;
		}
		text += *text != '\0';
	}
	if (!right)
		found.left = found.count;
	*m = found;
	return 0;
}

void header_meters_format(const struct header_meters *m, struct buf *out)
{
	for (size_t i = 0; i < m->count; i++) {
		if (i == m->left)
			buf_add_char(out, '|');
		else if (i)
			buf_add_char(out, ',');
		buf_add_str(out, kinds[m->items[i].kind].name);
		if (m->items[i].style != METER_BAR)
			buf_printf(out, ":%s", styles[m->items[i].style].name);
	}
}

static void swap_items(struct header_meters *m, size_t a, size_t b)
{
	struct header_meter item = m->items[a];

	m->items[a] = m->items[b];
	m->items[b] = item;
}

bool header_meters_move(struct header_meters *m, size_t item, int by)
{
	if (item >= m->count)
		return false;
	if (by < 0 && item == m->left)
		m->left++;
	else if (by > 0 && item + 1 == m->left)
		m->left--;
	else if (by < 0 && item)
		swap_items(m, item, item - 1);
	else if (by > 0 && item + 1 < m->count)
		swap_items(m, item, item + 1);
	else
		return false;
	return true;
}

bool header_meters_remove(struct header_meters *m, size_t item)
{
	if (item >= m->count)
		return false;
	memmove(&m->items[item], &m->items[item + 1], (m->count - item - 1) * sizeof(*m->items));
	m->count--;
	m->left -= item < m->left;
	return true;
}

bool header_meters_add(struct header_meters *m, size_t kind)
{
	bool left = m->left <= m->count - m->left;
	size_t at = left ? m->left : m->count;

	if (kind >= KINDS || place_of(m, kind) != SIZE_MAX)
		return false;
	memmove(&m->items[at + 1], &m->items[at], (m->count - at) * sizeof(*m->items));
	m->items[at] = (struct header_meter){ .kind = (uint8_t)kind };
	m->count++;
	m->left += left;
	return true;
}

int header_meters_rows(const struct header_meters *m, int rows)
{
	size_t right = m->count - m->left, height = right > m->left ? right : m->left;
	size_t most = rows > SCREEN_PART ? (size_t)rows / SCREEN_PART : 1;

	if (!m->count)
		return 1;
	return (int)(height < most ? height : most);
}

static struct header_bar bar_of(size_t kind, int width, const struct snapshot *s)
{
	struct header_bar b = { .title = _(kinds[kind].title),
				.part = { NAN, NAN },
				.style = { STYLE_BAR_MEMORY, STYLE_BAR_MEMORY },
				.text = "-" };

	kinds[kind].fill(s, width, &b);
	return b;
}

void meter_past_add(struct meter_past *p, const struct snapshot *s)
{
	if (s->past.to_ns || (p->count && s->time_ns == p->time_ns))
		return;
	for (size_t kind = 0; kind < KINDS; kind++) {
		const struct header_bar b = bar_of(kind, BAR_FOR_ALL, s);
		float *part = p->part[kind];

		memmove(part, part + 1, (METER_PAST - 1) * sizeof(*part));
		part[METER_PAST - 1] =
			(float)((b.part[0] + (isnan(b.part[1]) ? 0 : b.part[1])) / 100);
	}
	p->time_ns = s->time_ns;
	p->count += p->count < METER_PAST;
}

/* The newest intervals of KIND in WIDTH columns, of which the last is at the right end. */
static void graph_draw(struct grid *g, int row, int column, int width, size_t kind,
		       const struct meter_past *past)
{
	int points = grid_points(g), known = past->count;

	for (int i = width - 1; i >= 0; i--) {
		double parts[2] = { NAN, NAN };
		int newest = METER_PAST - (width - 1 - i) * points - 1;

		for (int point = 0; point < points; point++) {
			int at = newest - (points - 1 - point);

			if (at >= METER_PAST - known)
				parts[point] = past->part[kind][at];
		}
		grid_graph(g, row, column + i, STYLE_BAR_USER, parts);
	}
}

static void text_draw(struct grid *g, int row, int column, int width, const struct header_bar *b)
{
	const char *text = b->text + strspn(b->text, " ");
	int title = grid_text(g, row, column, width, STYLE_DIM, b->title);

	grid_text_cut(g, row, column + title + 1, width - title - 1, STYLE_NORMAL, text);
}

static void draw_one(struct grid *g, int row, int column, int width, struct header_meter meter,
		     const struct snapshot *s, const struct meter_past *past)
{
	struct header_bar b = bar_of(meter.kind, width, s);
	int title = text_width(b.title), room = width - title - text_width(b.text) - 4;

	if (meter.style == METER_TEXT) {
		text_draw(g, row, column, width, &b);
		return;
	}
	if (meter.style == METER_GRAPH)
		b.part[0] = b.part[1] = NAN;
	header_bar_draw(g, row, column, width, &b);
	if (meter.style == METER_GRAPH && room > 0)
		graph_draw(g, row, column + title + 2, room, meter.kind, past);
}

/* CPU and memory beside each other; swap space, too, where there is room. */
static void draw_usual(struct grid *g, int row, const struct snapshot *s)
{
	int columns = grid_columns(g), right = columns * 2 / 5;

	if (columns >= COLUMNS_FOR_SWAP) {
		right = columns / 4;
		draw_one(g, row, columns - right, right - 1,
			 (struct header_meter){ .kind = KIND_SWAP }, s, NULL);
		columns -= right + 1;
	}
	draw_one(g, row, 1, columns - right - 3, (struct header_meter){ .kind = KIND_CPU }, s,
		 NULL);
	draw_one(g, row, columns - right, right - 1, (struct header_meter){ .kind = KIND_MEMORY },
		 s, NULL);
}

void header_meters_draw(struct grid *g, int row, int height, const struct header_meters *m,
			const struct snapshot *s, const struct meter_past *past)
{
	int columns = grid_columns(g), half = columns / 2;

	if (!m->count)
		draw_usual(g, row, s);
	for (size_t i = 0; i < m->count; i++) {
		bool right = i >= m->left;
		int line = (int)(right ? i - m->left : i), column = right ? half + 1 : 1;

		if (line < height)
			draw_one(g, row + line, column, (right ? columns : half) - column - 1,
				 m->items[i], s, past);
	}
}
