/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/list/column-table.h"

static void columns_add(struct page *p, const struct column *table, uint32_t counted)
{
	for (const struct column *c = table; c->name; c++) {
		char *text = mem_printf("%s (%s)%s", _(c->help), _(c->unit),
					c->needs & ~counted ? _(", not counted here") : "");

		page_add_pair(p, c->title, text);
		free(text);
	}
}

void explain_columns(struct page *p, const struct snapshot *s)
{
	uint32_t counted = s ? column_counted(s) : UINT32_MAX;

	for (int table = 0; column_table(table); table++) {
		page_add_heading(p, _(column_table(table)->title));
		columns_add(p, column_table(table)->columns, counted);
	}
}

static void event_add(struct page *p, const struct snapshot_event *e)
{
	const char *role = e->sampled ? _("sampled") : _("counted");
	char *text;

	if (e->error)
		text = mem_printf(_("not available: %s"), e->error);
	else if (!e->enabled)
		text = mem_printf(_("%s, switched off"), role);
	else if (e->running_percent < 99.95)
		text = mem_printf(_("%s, on the counter %.0f %% of the time"), role,
				  e->running_percent);
	else
		text = mem_strdup(role);
	page_add_pair(p, e->name, text);
	free(text);
}

static const struct {
	const char *tier, *meaning;
} tier_meanings[] = {
	{ "cpu-group", N_("one group of counters on each CPU: every task's counts are exact, "
			  "kernel included") },
	{ "per-task", N_("counters on the tasks that may be watched; others show what /proc "
			 "knows") },
	{ "proc", N_("nothing can be counted or sampled: all figures are from /proc") },
	{ "file", N_("a recording") },
};

void explain_tier(struct page *p, const struct snapshot *s)
{
	const char *tier = s->sampling.tier ? s->sampling.tier : "";

	page_add_heading(p, _("What is measured, and how"));
	for (size_t i = 0; i < sizeof(tier_meanings) / sizeof(tier_meanings[0]); i++) {
		if (!strcmp(tier_meanings[i].tier, tier))
			page_add_text(p, _(tier_meanings[i].meaning));
	}
	if (!s->sampling.hardware && strcmp(tier, "proc"))
		page_add_text(p, _("no hardware counters: columns that need them show -"));
	if (s->sampling.tier_reason && *s->sampling.tier_reason)
		page_add_text(p, s->sampling.tier_reason);
	for (size_t i = 0; i < s->event_count; i++)
		event_add(p, &s->events[i]);
}

static void python_add(struct page *p, double percent, double bpf_percent)
{
	char *share;

	if (isnan(percent))
		return;
	page_add_heading(p, _("Stacks with Python, in the last interval"));
	share = mem_printf("%.1f %%", percent);
	page_add_pair(p, share, _("functions of Python in place of the interpreter's"));
	free(share);
	if (bpf_percent > 0) {
		share = mem_printf("%.1f %%", bpf_percent);
		page_add_pair(p, share,
			      _("of these: the kernel walked the frames at the sample (BPF)"));
		free(share);
	}
	share = mem_printf("%.1f %%", 100 - percent);
	page_add_pair(p, share,
		      _("python: not sure, the thread had run on; the interpreter's frames stand"));
	free(share);
}

void explain_stacks(struct page *p, const struct snapshot *s)
{
	double all = 0;

	for (size_t i = 0; i < s->stack_end_count; i++)
		all += (double)s->stack_ends[i].stacks;
	if (!(all > 0))
		return;
	python_add(p, s->sampling.python_percent, s->sampling.python_bpf_percent);
	page_add_heading(p, _("How stacks ended, in the last interval"));
	for (size_t i = 0; i < s->stack_end_count; i++) {
		const struct snapshot_stack_end *end = &s->stack_ends[i];
		char *share = mem_printf("%.1f %%", 100 * (double)end->stacks / all);

		if (end->stacks)
			page_add_pair(p, share, _(end->text));
		free(share);
	}
}
