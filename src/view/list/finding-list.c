/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/list/findings.h"
#include "view/list/list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

/* The findings of the snapshot, and the text at the right end of the title line. */
struct finding_rows {
	struct findings findings;
	struct buf note;
};

static const struct finding *finding_of(const struct column_row *r)
{
	return r->item;
}

static const char *level_text(const struct column_row *r)
{
	return finding_level_name(finding_of(r)->rule->level);
}

static void level_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	enum grid_style style = at->style;

	if (!style && finding_of(r)->rule->level == FINDING_BAD)
		style = STYLE_WARN;
	grid_text_cut(g, at->row, at->column, at->width, style, _(level_text(r)));
}

static const char *rule_text(const struct column_row *r)
{
	return finding_of(r)->rule->name;
}

static double limit_number(const struct column_row *r)
{
	return finding_of(r)->rule->tests[0].limit;
}

static const char *unit_text(const struct column_row *r)
{
	return finding_of(r)->rule->tests[0].unit;
}

static void unit_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	grid_text_cut(g, at->row, at->column, at->width, at->style, _(unit_text(r)));
}

static const char *reason_text(const struct column_row *r)
{
	return finding_of(r)->rule->reason;
}

static void reason_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	grid_text_cut(g, at->row, at->column, at->width, at->style, _(reason_text(r)));
}

static const char *view_text(const struct column_row *r)
{
	return finding_of(r)->rule->view;
}

/* clang-format off */
static const struct column finding_columns[] = {
	{ .name = "level", .title = "LEVEL", .unit = N_("word"),
	  .help = N_("bad: something is lost or waits; notice: worth a look"),
	  .width = 6, .priority = 1, .type = COLUMN_TEXT, .shown = true, .text = level_text,
	  .draw = level_draw },
	{ .name = "rule", .title = "RULE", .unit = N_("name"),
	  .help = N_("as FINDINGS in ptop(1) has it, with its limits"),
	  .width = 15, .priority = 8, .type = COLUMN_TEXT, .text = rule_text },
	{ .name = "number", .title = "NUMBER", .unit = N_("in the unit of the row"),
	  .help = N_("the figure that stands out"),
	  .width = 8, .priority = 9, COLUMN_OF_NUMBERS, .descending = true, COLUMN_ITEM(struct finding, number),
	  .format = number_any },
	{ .name = "limit", .title = "LIMIT", .unit = N_("in the unit of the row"),
	  .help = N_("from which on it does"),
	  .width = 8, .priority = 9, COLUMN_OF_NUMBERS, .number = limit_number,
	  .format = number_any },
	{ .name = "unit", .title = "UNIT", .unit = N_("text"), .help = N_("the unit of both"),
	  .width = 16, .grow = 30, .priority = 10, .type = COLUMN_TEXT, .text = unit_text, .draw = unit_draw },
	{ .name = "reason", .title = "REASON", .unit = N_("text"), .help = N_("why this is the limit"),
	  .width = 30, .grow = 40, .priority = 10, .type = COLUMN_TEXT, .text = reason_text,
	  .draw = reason_draw },
	{ .name = "finding", .title = "FINDING", .unit = N_("text"),
	  .help = N_("what stands out, and what else was measured of it"),
	  .width = 0, .comfort = 60, .priority = 0, .type = COLUMN_TEXT, .shown = true,
	  COLUMN_TEXT_ITEM(struct finding, line) },
	{ .name = "view", .title = "VIEW", .unit = N_("name"), .help = N_("the view that Enter opens"),
	  .width = 9, .priority = 4, .type = COLUMN_TEXT, .shown = true, .text = view_text },
	{ .name = "command", .title = "COMMAND", .unit = N_("text"),
	  .help = N_("a command that tells more"),
	  .width = 26, .grow = 24, .priority = 5, .type = COLUMN_TEXT, .shown = true,
	  COLUMN_TEXT_ITEM(struct finding, command) },
	{ .name = NULL }
};
/* clang-format on */

static size_t findings_make(struct lists *l, const struct list_kind *k)
{
	struct finding_rows *r = list_data(l, k);

	findings_build(&r->findings, l->scene.snapshot);
	return r->findings.count;
}

static const struct finding *finding_at(const struct lists *l, const struct list_kind *k, size_t i)
{
	return &((const struct finding_rows *)list_data(l, k))->findings.items[i];
}

static void finding_fill(const struct lists *l, const struct list_kind *k, size_t i,
			 struct column_row *row)
{
	row->item = finding_at(l, k, i);
}

static uint64_t finding_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	return finding_at(l, k, i)->key;
}

static bool finding_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	const struct finding *f = finding_of(row);

	(void)l;
	return text_contains(f->line, text) || text_contains(f->rule->name, text);
}

static const char *findings_note(const struct lists *l, const struct list_kind *k, const char *note)
{
	struct finding_rows *r = list_data(l, k);

	(void)note;
	buf_clear(&r->note);
	buf_add_str(&r->note, "");
	if (r->findings.more)
		buf_printf(&r->note, _("%zu more like these"), r->findings.more);
	return r->note.bytes;
}

static const char *findings_empty(const struct lists *l)
{
	return snapshot_is_start(l->scene.snapshot) ? list_measuring()
						    : _("nothing stands out in what is measured");
}

static void findings_free(void *data)
{
	struct finding_rows *r = data;

	findings_fini(&r->findings);
	buf_fini(&r->note);
}

/* clang-format off */
static const struct column_table finding_table = {
	.name = "findings", .prefix = "finding.", .title = N_("Columns of findings"),
	.filter = N_("findings"), .columns = finding_columns, .sort = "",
};

const struct list_kind list_findings = {
	.table = &finding_table, .name = "findings", .data_size = sizeof(struct finding_rows),
	.fini = findings_free, .arranged = true,
	.extras = EXTRA_OBJECTS | EXTRA_DELAYS | EXTRA_SWITCHES_ELSE | EXTRA_CPU_TIMES | EXTRA_GROUPS | EXTRA_GROUP_CPU | EXTRA_GROUP_MEMORY | EXTRA_GROUP_PIDS,
	.build = findings_make, .fill = finding_fill, .key = finding_key,
	.matches = finding_matches, .note = findings_note,
	.unmatched = N_("no finding passes the filter; {filter} changes it"),
	.empty = findings_empty,
};
/* clang-format on */
