/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cell.h"

#include "profile/calltree.h"

bool cell_key_has_callers(const struct cell_key *key, const struct calltree *t)
{
	uint32_t caller = calltree_at(t, key->node).parent;

	return caller != CALL_ROOT && caller != CALL_OTHERS;
}
