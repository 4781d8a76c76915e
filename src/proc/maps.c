/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/process-table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/spare-time.h"
#include "base/time-share.h"

#define MAPS_LIMIT_BYTES (64 * 1024 * 1024)
#define ANCESTOR_LIMIT 8
#define MAPS_AGE_NS (NS_PER_S / 10) /* minimum time between two readings of one file */

/*
 * A user may have a quarter of the time, since a process can delay the read of its file, and spare CPU time.  Beside tasks
 * that run, a read takes much more time than CPU: neither alone is fair.  At once it may be as much as thousands of
 * usual files take.
 */
#define USER_REST 3u
#define USER_BURST_NS (NS_PER_S / 2)

/*
 * A command line is in memory that its process can keep locked, and the records of all others wait meanwhile: he may hold
 * ptop up for 2 % of the time.
 */
#define HELD_REST 49u
#define HELD_BURST_NS (NS_PER_S / 10)

/* Files of the same user have a share of their own. */
#define MAPS_OWNER(uid) (1ull << 32 | (uid))

struct maps_share {
	uint32_t uid;
	struct time_share time, held;
};

static void maps_add(void *space, const struct mapping *m)
{
	space_insert(space, m);
}

/* Returns P's space, and makes it if there is none. */
static struct space *space_of(struct process_table *t, struct process *p, enum process_maps kind)
{
	if (!p->maps[kind].space)
		p->maps[kind].space = space_new(t->spaces);
	p->maps[kind].used_at = t->refreshes;
	return p->maps[kind].space;
}

/* A process is the user's that /proc says; its own figures may not be read yet. */
static struct maps_share *share_of(struct process_table *t, const struct process *p)
{
	uint32_t uid = p->uid;
	struct maps_share *share;

	if (uid == UINT32_MAX)
		procfs_owner(t->procfs, p->pid, &uid);
	share = map_find(&t->shares, (uint64_t)uid + 1);
	if (!share) {
		share = mem_alloc(sizeof(*share));
		share->uid = uid;
		map_put(&t->shares, (uint64_t)uid + 1, share);
	}
	return share;
}

void maps_fini(struct process_table *t)
{
	map_fini_each(&t->shares, free);
	space_store_free(t->spaces);
}

static void charge_reading(struct process_table *t, const struct process *p, uint64_t began_ns,
			   uint64_t cpu_ns)
{
	uint64_t now_ns = clock_monotonic_ns(t->clock), used_ns = clock_thread_cpu_ns() - cpu_ns;
	struct maps_share *share = share_of(t, p);

	time_share_charge(&share->time, now_ns, now_ns - began_ns, USER_REST);
	t->maps_cpu_ns += used_ns;
	if (t->spare)
		spare_time_charge(t->spare, MAPS_OWNER(share->uid), used_ns);
}

/* Fills P's space from /proc.  Returns false if P has gone. */
static bool process_read_maps(struct process_table *t, struct process *p, enum process_maps kind)
{
	struct space *space = space_of(t, p, kind);
	uint64_t began_ns = clock_monotonic_ns(t->clock), cpu_ns = clock_thread_cpu_ns();
	char name[32];
	ssize_t size;

	p->maps[kind].read_ns = began_ns;
	if (!t->procfs || p->kernel || p->exited)
		return false;
	snprintf(name, sizeof(name), "%u/maps", p->pid);
	size = procfs_read_whole(t->procfs, name, &t->text, MAPS_LIMIT_BYTES);
	if (size > 0) {
		if (p->maps[kind].doubted)
			space_clear(space);
		p->maps[kind].doubted = false;
		maps_parse(t->text.bytes, t->text.size, kind == MAPS_ALL, maps_add, space);
	}
	charge_reading(t, p, began_ns, cpu_ns);
	return size > 0;
}

/*
 * A child that ended before its maps were read, and that never ran another program than its parent.
 */
static void process_borrow_maps(struct process_table *t, struct process *p, enum process_maps kind)
{
	struct process *ancestor = p;

	for (int i = 0; i < ANCESTOR_LIMIT && ancestor->born && !ancestor->execed; i++) {
		struct process *child = ancestor;

		ancestor = map_find(&t->pids, child->stat.ppid);
		if (!ancestor || ancestor->serial > child->serial)
			return;
		if (!ancestor->maps[kind].read)
			ancestor->maps[kind].read = process_read_maps(t, ancestor, kind);
		if (ancestor->maps[kind].read) {
			space_free(p->maps[kind].space);
			p->maps[kind].space = space_copy(space_of(t, ancestor, kind));
			return;
		}
	}
}

/* The bytes of one user's spaces; an array that several spaces share counts for each. */
struct user_bytes {
	uint32_t uid;
	size_t bytes;
};

static size_t process_maps_bytes(const struct process *p)
{
	size_t bytes = 0;

	for (int kind = 0; kind < MAPS_KINDS; kind++)
		bytes += p->maps[kind].space ? space_bytes(p->maps[kind].space) : 0;
	return bytes;
}

/* The user whose mappings take most. */
static uint32_t largest_user(const struct process_table *t)
{
	struct user_bytes *users = mem_array(t->count, sizeof(*users)), *largest = users;
	struct map known = { .seed = hash_seed() };
	size_t count = 0;
	uint32_t uid;

	for (size_t i = 0; i < t->count; i++) {
		uint64_t key = (uint64_t)t->items[i]->uid + 1;
		struct user_bytes *user = map_find(&known, key);

		if (!user) {
			user = &users[count++];
			user->uid = t->items[i]->uid;
			map_put(&known, key, user);
		}
		user->bytes += process_maps_bytes(t->items[i]);
		largest = user->bytes > largest->bytes ? user : largest;
	}
	uid = count ? largest->uid : UINT32_MAX;
	map_fini(&known);
	free(users);
	return uid;
}

/* Drops the mappings of user UID, but those that were wanted since refresh number SINCE. */
static void maps_drop(struct process_table *t, uint32_t uid, uint64_t since)
{
	for (size_t i = 0; i < t->count; i++) {
		struct process *p = t->items[i];

		for (int kind = 0; p->uid == uid && !p->exited && kind < MAPS_KINDS; kind++) {
			if (!p->maps[kind].space || p->maps[kind].used_at >= since)
				continue;
			space_clear(p->maps[kind].space);
			p->maps[kind].read = false;
		}
	}
}

/* Mappings can be read again, but for those of a recording. */
void process_table_shed_maps(struct process_table *t, size_t bytes)
{
	uint32_t uid;

	if (!t->procfs || space_store_bytes(t->spaces) < bytes)
		return;
	uid = largest_user(t);
	maps_drop(t, uid, t->refreshes);
	if (space_store_bytes(t->spaces) >= bytes)
		maps_drop(t, uid, UINT64_MAX);
}

/* Returns true if P's user may have mappings read now.  A recording has none to read. */
static bool may_read(struct process_table *t, const struct process *p)
{
	const struct maps_share *share;
	uint64_t now_ns;

	if (!t->procfs)
		return false;
	share = share_of(t, p);
	now_ns = clock_monotonic_ns(t->clock);
	return time_share_due(&share->time, USER_BURST_NS, USER_REST) <= now_ns &&
	       (!t->spare || !spare_time_due(t->spare, MAPS_OWNER(share->uid), false));
}

void process_table_spare(struct process_table *t, struct spare_time *spare)
{
	t->spare = spare;
}

ssize_t process_read_locked(struct process_table *t, struct process *p, const char *name,
			    char *text, size_t size)
{
	const uint64_t began_ns = clock_monotonic_ns(t->clock), cpu_ns = clock_thread_cpu_ns();
	struct maps_share *share = share_of(t, p);
	uint64_t now_ns, used_ns;
	ssize_t n;

	if (time_share_due(&share->held, HELD_BURST_NS, HELD_REST) > began_ns)
		return -EAGAIN;
	n = procfs_read_task(t->procfs, p->pid, 0, name, text, size);
	now_ns = clock_monotonic_ns(t->clock);
	used_ns = clock_thread_cpu_ns() - cpu_ns;
	if (now_ns - began_ns > used_ns)
		time_share_charge(&share->held, now_ns, now_ns - began_ns - used_ns, HELD_REST);
	return n;
}

struct space *process_space(struct process_table *t, struct process *p, enum process_maps kind)
{
	if (p->maps[kind].read)
		return space_of(t, p, kind);
	if (t->procfs && !may_read(t, p)) {
		t->maps_postponed++;
		return space_of(t, p, kind);
	}
	process_table_shed_maps(t, space_store_most(t->spaces) / 4 * 3);
	p->maps[kind].read = true;
	if (!process_read_maps(t, p, kind))
		process_borrow_maps(t, p, kind);
	return space_of(t, p, kind);
}

struct process_maps_stats process_table_maps_stats(const struct process_table *t)
{
	return (struct process_maps_stats){
		.postponed = t->maps_postponed,
		.refused = space_store_refused(t->spaces),
		.bytes = space_store_bytes(t->spaces),
		.cpu_ns = t->maps_cpu_ns,
	};
}

void process_table_doubt_maps(struct process_table *t)
{
	struct process *p;

	for (size_t i = 0; t->procfs && (p = process_table_next(t, &i));) {
		for (int kind = 0; kind < MAPS_KINDS && !p->kernel && !p->exited; kind++) {
			p->maps[kind].doubted = p->maps[kind].read;
			p->maps[kind].read = false;
		}
		p->owner.current = false; /* it may have made an exec */
	}
}

struct mapping *process_mapping(struct process_table *t, struct process *p, uint64_t address)
{
	struct mapping *found = space_find(process_space(t, p, MAPS_ALL), address);
	uint64_t age_ns = clock_monotonic_ns(t->clock) - p->maps[MAPS_ALL].read_ns;

	if (found || age_ns < MAPS_AGE_NS || !may_read(t, p) || !process_read_maps(t, p, MAPS_ALL))
		return found;
	return space_find(p->maps[MAPS_ALL].space, address);
}
