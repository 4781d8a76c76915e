/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "output/format.h"
#include "profile/callgraph.h"
#include "view/widget/text.h"
#include "view/view.h"

/*
 * A flame graph as one self-contained SVG file.  In a browser a click zooms into a box, and a
 * search marks its matches and shows their share; other programs show the picture.  All stacks of
 * the event that the view shows are in it.
 *
 * A box is a group with its place and width as fractions of all (x, w) and its level (d).  The
 * script moves boxes by these alone.  With a base, widths and colours are as on the screen
 * (view/list/flame.h).
 */
#define WIDTH 1200
#define LEVEL 17 /* pixels from a box to the box on top of it */
#define TOP 52   /* for the title and the box under the pointer */
#define MARGIN 10
#define CHARACTER 7.3   /* pixels of a character, about */
#define SMALLEST 0.0004 /* of all: narrower boxes are left out */
#define DEPTH_MAX 2000
#define DELTA_MIN 0.1   /* percent points: smaller differences have no colour... */
#define DELTA_FULL 20.0 /* ...and from here on the colour is the strongest */

static const char style[] = "<style>\n"
			    ".b text{pointer-events:none}\n"
			    "text{font:12px monospace;fill:#000}\n"
			    ".t{font:bold 15px sans-serif}\n"
			    ".b,#ask{cursor:pointer}\n"
			    ".b rect{stroke:#fff;stroke-width:.6}\n"
			    ".b:hover rect{stroke:#000}\n"
			    ".dim{opacity:.45}\n"
			    ".hit rect{fill:#3b6fd4!important}\n"
			    ".hit text{fill:#fff}\n"
			    "</style>\n";

/* svg.js, made a string by the build. */
static const char script[] = "<script><![CDATA[\n"
#include "output/svg-script.h"
			     "]]></script>\n";

/* Foreign TEXT as an attribute or an element can hold it. */
static void add_escaped(struct buf *out, const char *text, size_t size)
{
	struct buf clean = { 0 };

	text_sanitize(&clean, text, size, false);
	for (size_t i = 0; i < clean.size; i++) {
		switch (clean.bytes[i]) {
		case '<':
			buf_add_str(out, "&lt;");
			break;
		case '>':
			buf_add_str(out, "&gt;");
			break;
		case '&':
			buf_add_str(out, "&amp;");
			break;
		case '"':
			buf_add_str(out, "&quot;");
			break;
		default:
			buf_add_char(out, clean.bytes[i]);
		}
	}
	buf_fini(&clean);
}

/* The number of bytes of TEXT that fit COLUMNS. */
static size_t bytes_that_fit(const char *text, int columns)
{
	const char *at = text, *next = text;
	int used = 0, width;

	while (text_next(&next, &width)) {
		used += width;
		if (used > columns)
			break;
		at = next;
	}
	return (size_t)(at - text);
}

struct svg {
	struct buf *out;
	const struct snapshot *snapshot;
	struct callgraph *graph;
	struct share_sum whole; /* the period that is 100 %: of everything, whatever the filters */
	double width;           /* of all, as width_of() has it */
	int levels;
	struct svg_box *stack; /* to be written, the next one at the end */
	size_t depth, capacity;
};

struct svg_box {
	uint32_t item;
	double x; /* of all */
};

/* The colour depends on the name, so that two files are alike; the kernel has another hue. */
static void add_color(struct buf *out, uint8_t flags, const char *name)
{
	uint64_t hash = hash_bytes(name, strlen(name));

	if (flags & FRAME_KERNEL)
		buf_printf(out, "hsl(%d,45%%,%d%%)", 275 + (int)(hash % 25),
			   68 + (int)(hash >> 8) % 8);
	else if (flags & (FRAME_UNKNOWN | FRAME_PENDING | FRAME_OTHERS))
		buf_printf(out, "hsl(40,10%%,%d%%)", 72 + (int)(hash % 8));
	else
		buf_printf(out, "hsl(%d,85%%,%d%%)", 12 + (int)(hash % 38),
			   58 + (int)(hash >> 8) % 10);
}

/* Red for more, blue for less; the larger the difference, the stronger. */
static void add_difference_color(struct buf *out, double delta)
{
	double share = fmin(fabs(delta) / DELTA_FULL, 1);

	if (fabs(delta) < DELTA_MIN)
		buf_add_str(out, "hsl(40,10%,88%)");
	else
		buf_printf(out, "hsl(%d,75%%,%.0f%%)", delta > 0 ? 8 : 215, 86 - 26 * share);
}

static bool has_base(const struct svg *s)
{
	return !isnan(s->whole.base);
}

/* In percent points. */
static double delta_of(const struct svg *s, const struct callgraph_item *i)
{
	return share_delta(&s->whole, i->total, i->base_total);
}

/* In percent: samples of now by their share now, vanished ones by that in the base. */
static double width_of(const struct svg *s, const struct callgraph_item *i)
{
	return share_width(&s->whole, i->total, i->gone);
}

static void add_label(struct svg *s, const char *name, double x, double width, double y)
{
	int room = (int)((width - 6) / CHARACTER);
	size_t size = room < 3 ? 0 : bytes_that_fit(name, room);

	buf_printf(s->out, "<text x=\"%.2f\" y=\"%.0f\">", x + 3, y + 12);
	if (size && name[size]) {
		add_escaped(s->out, name, bytes_that_fit(name, room - 1));
		buf_add_str(s->out, "…");
	} else {
		add_escaped(s->out, name, size);
	}
	buf_add_str(s->out, "</text></g>\n");
}

static void add_title(struct svg *s, const struct callgraph_item *i, const char *name)
{
	const char *object = i->frame ? frame_object_name(s->snapshot->frames, i->frame) : "";

	buf_add_str(s->out, "<title>");
	add_escaped(s->out, name, strlen(name));
	if (*object) {
		buf_add_str(s->out, " (");
		add_escaped(s->out, object, strlen(object));
		buf_add_char(s->out, ')');
	}
	buf_printf(s->out, ": %.2f %%, self %.2f %%", share_width(&s->whole, i->total, 0),
		   share_width(&s->whole, i->self, 0));
	if (has_base(s))
		buf_printf(s->out, ", delta %+.2f", delta_of(s, i));
	buf_add_str(s->out, "</title>");
}

static void add_box(struct svg *s, const struct callgraph_item *i, double x, int height)
{
	const struct frame_table *frames = s->snapshot->frames;
	const char *name = i->frame ? frame_symbol(frames, i->frame) : "all";
	double share = width_of(s, i) / s->width;
	double y = height - MARGIN - LEVEL * (double)(i->depth + 1);

	buf_printf(s->out, "<g class=\"b\" data-x=\"%.9f\" data-w=\"%.9f\" data-d=\"%u\" data-n=\"",
		   x, share, i->depth);
	add_escaped(s->out, name, strlen(name));
	buf_add_str(s->out, "\">");
	add_title(s, i, name);
	buf_printf(s->out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"",
		   MARGIN + x * WIDTH, y, share * WIDTH > 0.5 ? share * WIDTH : 0.5, LEVEL - 1);
	if (has_base(s))
		add_difference_color(s->out, delta_of(s, i));
	else
		add_color(s->out, i->frame ? frame_flags(frames, i->frame) : FRAME_UNKNOWN, name);
	buf_add_str(s->out, "\"/>");
	add_label(s, name, MARGIN + x * WIDTH, share * WIDTH, y);
}

static int by_name(const void *one, const void *other, void *context)
{
	const struct svg *s = context;
	const struct svg_box *a = one, *b = other;
	const char *x = frame_symbol(s->snapshot->frames, callgraph_at(s->graph, a->item)->frame);
	const char *y = frame_symbol(s->snapshot->frames, callgraph_at(s->graph, b->item)->frame);
	int order = strcmp(y, x);

	return order ? order : (a->item < b->item) - (a->item > b->item);
}

/* Pushes the children of ITEM, the last by name first, and gives them their places. */
static void push_children(struct svg *s, uint32_t item, double x)
{
	uint32_t count = callgraph_expand(s->graph, item);
	uint32_t first = callgraph_at(s->graph, item)->first_child;
	size_t from = s->depth;

	if (callgraph_at(s->graph, item)->depth >= DEPTH_MAX)
		return;
	mem_grow((void **)&s->stack, &s->capacity, s->depth + count, sizeof(*s->stack));
	for (uint32_t i = first; i < first + count; i++) {
		if (width_of(s, callgraph_at(s->graph, i)) >= SMALLEST * s->width)
			s->stack[s->depth++].item = i;
	}
	qsort_r(s->stack + from, s->depth - from, sizeof(*s->stack), by_name, s);
	for (size_t i = s->depth; i-- > from;) {
		s->stack[i].x = x;
		x += width_of(s, callgraph_at(s->graph, s->stack[i].item)) / s->width;
	}
}

/* Calls ADD for every box, callers first. */
static void walk(struct svg *s, void (*add)(struct svg *s, uint32_t item, double x, int height),
		 int height)
{
	mem_grow((void **)&s->stack, &s->capacity, 1, sizeof(*s->stack));
	s->depth = 0;
	s->stack[s->depth++] = (struct svg_box){ 0, 0 };
	while (s->depth) {
		struct svg_box box = s->stack[--s->depth];

		add(s, box.item, box.x, height);
		push_children(s, box.item, box.x);
	}
}

static void measure(struct svg *s, uint32_t item, double x, int height)
{
	int levels = (int)callgraph_at(s->graph, item)->depth + 1;

	(void)x;
	(void)height;
	if (levels > s->levels)
		s->levels = levels;
}

static void write_box(struct svg *s, uint32_t item, double x, int height)
{
	const struct callgraph_item i = *callgraph_at(s->graph, item);

	add_box(s, &i, x, height);
}

static void write_document(struct svg *s, const char *event)
{
	int height = TOP + LEVEL * s->levels + MARGIN;

	buf_printf(s->out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
		   "height=\"%d\" data-width=\"%d\" data-margin=\"%d\">\n",
		   WIDTH + 2 * MARGIN, height, WIDTH + 2 * MARGIN, height, WIDTH, MARGIN);
	buf_add_str(s->out, style);
	buf_add_str(s->out, "<rect width=\"100%\" height=\"100%\" fill=\"#fbfaf7\"/>\n");
	buf_printf(s->out, "<text class=\"t\" x=\"%d\" y=\"22\">", MARGIN);
	add_escaped(s->out, event, strlen(event));
	buf_printf(s->out, "</text>\n<text id=\"info\" x=\"%d\" y=\"42\">%s</text>\n", MARGIN,
		   has_base(s) ? _("red: more than in the base, blue: less, or gone") : " ");
	buf_printf(s->out, "<text id=\"share\" x=\"%d\" y=\"22\" text-anchor=\"end\"> </text>\n",
		   WIDTH + MARGIN - 70);
	buf_printf(s->out,
		   "<text id=\"ask\" x=\"%d\" y=\"22\" text-anchor=\"end\">Search"
		   "</text>\n",
		   WIDTH + MARGIN);
	if (s->width > 0)
		walk(s, write_box, height);
	else
		buf_printf(s->out, "<text x=\"%d\" y=\"42\">%s</text>\n", MARGIN, _("no samples"));
	buf_add_str(s->out, script);
	buf_add_str(s->out, "</svg>\n");
}

static int svg_write(struct buf *out, const struct output_request *request, struct error *err)
{
	const struct snapshot *snapshot = view_snapshot(request->view);
	int event = view_event(request->view);
	const struct callgraph_options options = {
		.direction = CALLGRAPH_TOP_DOWN,
		.event = (uint16_t)event,
		.period = true,
		.base = view_base(request->view, event),
	};
	struct svg s = { .out = out, .snapshot = snapshot };

	(void)err;
	if (event < 0)
		return 0; /* no samples: nothing to draw */
	s.graph = callgraph_new(snapshot, &options);
	s.whole = view_shares(request->view, true).period;
	s.width = width_of(&s, callgraph_at(s.graph, 0));
	if (s.width > 0)
		walk(&s, measure, 0);
	write_document(&s, snapshot->events[event].name);
	callgraph_free(s.graph);
	free(s.stack);
	return 0;
}

/* clang-format off */
const struct output_format format_svg = {
	.name = "svg", .extensions = ".svg", .help = N_("a flame graph for a browser"),
	.series = SERIES_LAST, .write = svg_write, .stacks = true,
};
/* clang-format on */
