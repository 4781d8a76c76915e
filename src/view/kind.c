/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/kind.h"

#include <string.h>

#include "view/list/call-list.h"

bool view_kind_of_stacks(const struct view_kind *kind)
{
	bool found = false;

	for (size_t i = 0; i < kind->pane_count; i++)
		found |= kind->panes[i]->table == &call_table;
	return found;
}

const struct view_kind *view_kind_find(const char *name)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		if (!strcmp(k->name, name))
			return k;
	}
	return NULL;
}

const struct view_kind *view_kind_of_key(char key)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		if (k->key == key)
			return k;
	}
	return NULL;
}
