/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cell.h"

#include "base/hash.h"
#include "profile/calltree.h"

bool cell_key_equal(const struct cell_key *a, const struct cell_key *b)
{
	return a->process == b->process && a->tid == b->tid && a->frame == b->frame &&
	       a->node == b->node && a->data == b->data && a->event == b->event;
}

uint64_t cell_key_hash(const struct cell_key *key)
{
	uint64_t task = (uint64_t)key->process << 32 | key->tid;
	uint64_t place = (uint64_t)key->data << 48 ^ (uint64_t)key->event << 32 ^ key->frame;

	place ^= (uint64_t)key->node << 24;
	return hash_u64(task * 0x9e3779b97f4a7c15u ^ place);
}

bool cell_key_has_callers(const struct cell_key *key, const struct calltree *t)
{
	uint32_t caller = calltree_at(t, key->node).parent;

	return caller != CALL_ROOT && caller != CALL_OTHERS;
}
