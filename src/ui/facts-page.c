/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of facts about one process.  It grows while files of /proc answer late. */
#include "base/alloc.h"
#include "base/i18n.h"
#include "ui/key.h"
#include "ui/ui-state.h"

#include <stdio.h>
#include <stdlib.h>

/* Shows the page of u->described. */
static void open_page(struct ui *u)
{
	const struct ui_task *t = &u->described;
	char label[16], *title, *hint;

	key_label(keymap_key(&u->keys, key_named("facts"), ON_PROCESS), label);
	title = mem_printf("%u %s", t->tid ? t->tid : t->pid, t->comm);
	hint = u->environment_shown || !*label
		       ? mem_strdup(_("arrows move   any other key back"))
		       : mem_printf(_("%s its environment   arrows move   any other key back"),
				    label);
	u->page = page_new(title, hint);
	u->mode = &ui_facts_mode;
	mem_free(title, hint);
}

/* Begins before the page before it goes, so that a refusal leaves that. */
static void describe(struct ui *u, const struct ui_task *t, bool environment)
{
	struct error err = { "" };

	if (u->actions.facts->begin(u->actions.context, t, environment, &err)) {
		ui_leave_mode(u);
		ui_say(u, "%s", err.text);
		return;
	}
	ui_leave_mode(u);
	u->described = *t;
	u->environment_shown = environment;
	u->facts_complete = false;
	open_page(u);
}

void page_facts(struct ui *u, const struct key_row *row)
{
	const struct snapshot_process *p = view_living_process(u->view);
	struct ui_task t;

	(void)row;
	if (!u->actions.facts) {
		ui_say(u, _("facts are of what runs now; a recording has none"));
	} else if (!p) {
		ui_say(u, _("select a process that still runs: the views with the keys 1, 2, 3 and "
			    "0 have them"));
	} else {
		t = ui_task_of(u, p);
		describe(u, &t, false);
	}
}

static void facts_mode_key(struct ui *u, uint32_t key)
{
	const struct key_binding *b = ui_binding(u, key);
	struct ui_task t = u->described;

	if (b && b->row && b->row->act == page_facts && !u->environment_shown)
		describe(u, &t, true);
	else
		ui_leave_mode(u);
}

static void facts_mode_draw(struct ui *u)
{
	if (!u->facts_complete)
		u->facts_complete = u->actions.facts->add_to(u->actions.context, u->page);
	page_draw(u->page, u->grid);
	if (!u->facts_complete)
		grid_text_right(u->grid, 0, 0, grid_columns(u->grid) - 1, STYLE_TITLE,
				_("still being read"));
}

const struct ui_mode ui_facts_mode = { facts_mode_key, facts_mode_draw, page_mode_move,
				       page_mode_page, page_mode_click, false };
