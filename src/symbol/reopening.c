/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/reopening.h"

#include <string.h>

#include "base/hash.h"
#include "symbol/loader.h"

/* Two objects of one hash would only rest together. */
static uint64_t hash_of(const struct dso_key *k)
{
	uint64_t hash = hash_u64(k->inode ^ hash_u64((uint64_t)k->major << 32 | k->minor));

	hash = hash_u64(hash ^ k->inode_generation);
	hash ^= hash_bytes(k->build_id.bytes, k->build_id.size);
	if (!k->inode)
		hash ^= hash_bytes(k->path, strlen(k->path));
	return hash_u64(hash ^ (uint64_t)k->kind << 32 ^ (k->kind == DSO_JIT ? k->pid : 0));
}

static size_t find(const struct reopenings *r, uint64_t object)
{
	size_t i = 0;

	while (i < r->count && r->known[i].object != object)
		i++;
	return i;
}

/* A place for one more.  If there is none, that of the object which has the least to wait for. */
static size_t make_room(struct reopenings *r)
{
	size_t first = 0;

	if (r->count < REOPENINGS_MAX)
		return r->count++;
	for (size_t i = 1; i < r->count; i++)
		if (r->known[i].due_ns < r->known[first].due_ns)
			first = i;
	return first;
}

static size_t others_that_rest(const struct reopenings *r, uint64_t object, uint64_t now_ns)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		count += r->known[i].due_ns > now_ns && r->known[i].object != object;
	return count;
}

uint64_t reopenings_due(const struct reopenings *r, const struct dso_key *key)
{
	size_t i = find(r, hash_of(key));

	return i < r->count ? r->known[i].due_ns : 0;
}

void reopenings_charge(struct reopenings *r, const struct dso_key *key, uint64_t now_ns,
		       uint64_t cost_ns)
{
	const uint64_t object = hash_of(key);
	const uint64_t resting = others_that_rest(r, object, now_ns) + 1;
	size_t i = find(r, object);

	if (i == r->count)
		i = make_room(r);
	r->known[i] = (struct reopening){ object, now_ns + cost_ns * LOADER_REST * resting };
}
