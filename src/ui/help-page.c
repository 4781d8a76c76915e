/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "ui/key.h"
#include "ui/ui-state.h"
#include "view/explain.h"
#include "view/kind.h"

static void add_key(struct page *p, const struct ui *u, const struct key_row *row)
{
	struct buf names = { 0 };

	keymap_names(&u->keys, &(struct key_binding){ 0, row, NULL }, &names);
	page_add_pair(p, names.size ? names.bytes : "-", _(row->help));
	buf_fini(&names);
}

/* First the keys that are of use on this row of this view, then all. */
static void add_keys(struct page *p, const struct ui *u)
{
	unsigned where = ui_where(u);
	bool some = false;

	for (const struct key_row *row = key_table; row->act; row++) {
		if (!row->where || row->where & ~where)
			continue;
		if (!some)
			page_add_heading(p, _("Keys here"));
		some = true;
		add_key(p, u, row);
	}
	page_add_heading(p, _("Keys"));
	page_add_pair(p, "--keys", _(u->keys.scheme->help));
	for (const struct key_row *row = key_table; row->act; row++)
		add_key(p, u, row);
}

static void add_views(struct page *p, const struct keymap *keys)
{
	page_add_heading(p, _("Views"));
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct buf names = { 0 };
		char *key;

		keymap_names(keys, &(struct key_binding){ 0, NULL, k }, &names);
		key = mem_printf("%s %s", names.size ? names.bytes : " ", _(k->title));
		page_add_pair(p, key, _(k->help));
		free(key);
		buf_fini(&names);
	}
}

void page_help(struct ui *u, const struct key_row *row)
{
	const struct snapshot *s = view_snapshot(u->view);

	(void)row;
	if (u->mode == &ui_page_mode)
		return;
	u->page = page_new(_("Help"), _("arrows move   : or / search   any other key back"));
	add_keys(u->page, u);
	add_views(u->page, &u->keys);
	if (s) {
		explain_tier(u->page, s);
		explain_stacks(u->page, s);
	}
	explain_columns(u->page, s);
	u->mode = &ui_page_mode;
}

/*
 * A person who does not know the way out presses any key, so every key that does not scroll leaves.  The palette
 * searches what the page says.
 */
static void page_mode_key(struct ui *u, uint32_t key)
{
	const struct key_binding *b = ui_binding(u, key);

	ui_leave_mode(u);
	if (b && b->row && (b->row->act == palette_open || b->row->act == ask_search))
		palette_open(u, b->row);
}

static void page_mode_draw(struct ui *u)
{
	page_draw(u->page, u->grid);
}

bool page_mode_move(struct ui *u, long rows)
{
	return page_move(u->page, rows);
}

bool page_mode_page(struct ui *u, int pages)
{
	return page_turn(u->page, pages);
}

/* The hint says that any other key leads back. */
void page_mode_click(struct ui *u, int row, int column, bool twice)
{
	(void)column;
	(void)twice;
	if (ui_in_last_row(u, row))
		ui_press(u, KEY_ESC);
}

const struct ui_mode ui_page_mode = { page_mode_key,  page_mode_draw,  page_mode_move,
				      page_mode_page, page_mode_click, false };
