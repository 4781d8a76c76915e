/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/resctrl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/scanner.h"
#include "proc/procfs.h"

#define REST 100 /* times as long as a reading took */
#define BURST_NS (NS_PER_S / 100)
#define FILES 8192     /* most of a reading: more groups and caches than any CPU can tell apart */
#define PATH_BYTES 384 /* a name of 255 bytes, and what stands around it */
#define TEXT_BYTES 32

static const char *const files[RESCTRL_EVENTS] = {
	[RESCTRL_TOTAL] = "mbm_total_bytes",
	[RESCTRL_LOCAL] = "mbm_local_bytes",
	[RESCTRL_HELD] = "llc_occupancy",
};

/* A reading. */
struct reading {
	struct resctrl *r;
	struct procfs root; /* of resctrl */
	struct map now;     /* as `last`, */
	uint64_t *values;   /* and its values */
	size_t count, capacity;
	size_t files; /* that were read */
};

void resctrl_init(struct resctrl *r, const struct clock *clock)
{
	memset(r, 0, sizeof(*r));
	r->clock = clock;
	r->last.seed = hash_seed();
}

void resctrl_forget(struct resctrl *r)
{
	map_fini(&r->last);
	r->count = 0;
	r->read_ns = 0;
}

void resctrl_fini(struct resctrl *r)
{
	map_fini(&r->last);
	mem_free(r->caches, r->values);
}

const struct resctrl_cache *resctrl_find(const struct resctrl *r, uint32_t id)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->caches[i].id == id)
			return &r->caches[i];
	}
	return NULL;
}

static struct resctrl_cache *cache_of(struct resctrl *r, uint32_t id)
{
	struct resctrl_cache *c = (struct resctrl_cache *)resctrl_find(r, id);

	if (c)
		return c;
	mem_grow((void **)&r->caches, &r->capacity, r->count + 1, sizeof(*r->caches));
	c = &r->caches[r->count++];
	*c = (struct resctrl_cache){ .id = id };
	return c;
}

/* False: there is no such file, or it says "Unavailable", "Error" or "Unassigned". */
static bool read_number(const struct reading *now, const char *path, uint64_t *number)
{
	char text[TEXT_BYTES];
	char *end;

	if (procfs_read(&now->root, path, text, sizeof(text)) <= 0 || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !strcmp(end, "\n");
}

/* The counter of the file PATH has VALUE.  A sum of what is there now needs no reading before. */
static void count(struct reading *now, struct resctrl_cache *c, enum resctrl_event event,
		  const char *path, uint64_t value)
{
	struct resctrl *r = now->r;
	uint64_t key = hash_bytes_seeded(r->last.seed, path, strlen(path));
	uintptr_t place = (uintptr_t)map_find(&r->last, key);
	uint64_t before = event == RESCTRL_HELD || !place ? 0 : r->values[place - 1];

	mem_grow((void **)&now->values, &now->capacity, now->count + 1, sizeof(*now->values));
	now->values[now->count++] = value;
	map_put(&now->now, key, (void *)now->count);
	c->found[event]++;
	c->again[event] += place && value >= before;
	c->sum[event] += value >= before ? (double)(value - before) : 0;
}

/* The files of a control group, "" or "NAME/", for the cache whose folder is NAME. */
static void read_cache(struct reading *now, const char *group, const char *name)
{
	struct scanner s = scanner_of(name, strlen(name));
	struct resctrl_cache *c;
	char path[PATH_BYTES];
	uint64_t id, value;

	if (!scanner_word(&s, "mon_L3_") || !scanner_at_digit(&s) || !scanner_u64(&s, &id) ||
	    scanner_left(&s) || id > INT32_MAX || now->files >= FILES)
		return;
	c = cache_of(now->r, (uint32_t)id);
	for (int event = 0; event < RESCTRL_EVENTS; event++) {
		snprintf(path, sizeof(path), "%smon_data/%s/%s", group, name, files[event]);
		now->files++;
		if (read_number(now, path, &value))
			count(now, c, event, path, value);
		else
			c->sum[event] = NAN;
	}
}

static DIR *folder_open(const struct reading *now, const char *path)
{
	int fd = openat(now->root.fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

static void read_group(struct reading *now, const char *group)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%smon_data", group);
	dir = folder_open(now, path);
	while (dir && (entry = readdir(dir)))
		read_cache(now, group, entry->d_name);
	if (dir)
		closedir(dir);
}

/* Control groups are folders of the root, beside those that the kernel makes. */
static void read_groups(struct reading *now)
{
	static const char *const others[] = { "info", "mon_data", "mon_groups" };
	DIR *dir = folder_open(now, ".");
	char group[PATH_BYTES / 4 * 3];
	struct dirent *entry;

	read_group(now, "");
	while (dir && (entry = readdir(dir))) {
		bool other = entry->d_type != DT_DIR || *entry->d_name == '.';

		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
			other |= !strcmp(entry->d_name, others[i]);
		if (other)
			continue;
		snprintf(group, sizeof(group), "%s/", entry->d_name);
		read_group(now, group);
	}
	if (dir)
		closedir(dir);
}

static void caches_begin(struct resctrl *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct resctrl_cache *c = &r->caches[i];

		memcpy(c->counters, c->found, sizeof(c->counters));
		memset(c->found, 0, sizeof(c->found));
		memset(c->again, 0, sizeof(c->again));
		memset(c->sum, 0, sizeof(c->sum));
	}
}

/* A sum is whole if each counter was there before, and none of those before is missing. */
static void caches_end(struct resctrl *r, double passed_s, bool all)
{
	for (size_t i = 0; i < r->count; i++) {
		struct resctrl_cache *c = &r->caches[i];

		for (int event = 0; event < RESCTRL_EVENTS; event++) {
			bool whole = c->found[event] == c->again[event] &&
				     c->again[event] == c->counters[event] && passed_s > 0;

			if (event == RESCTRL_HELD)
				c->figure[event] = c->sum[event];
			else
				c->figure[event] = whole ? c->sum[event] / passed_s : NAN;
			if (!all || !c->found[event])
				c->figure[event] = NAN;
		}
	}
}

static void read_all(struct resctrl *r, int root)
{
	struct reading now = { .r = r, .root = { .fd = root }, .now = { .seed = r->last.seed } };
	uint64_t now_ns = clock_monotonic_ns(r->clock);

	caches_begin(r);
	read_groups(&now);
	caches_end(r, r->read_ns ? (double)(now_ns - r->read_ns) / NS_PER_S : 0, now.files < FILES);
	map_fini(&r->last);
	free(r->values);
	r->last = now.now;
	r->values = now.values;
	r->read_ns = now_ns;
}

void resctrl_refresh(struct resctrl *r, int fd, const char *root)
{
	uint64_t from_ns = clock_monotonic_ns(r->clock);
	int dir;

	if (time_share_due(&r->reading, BURST_NS, REST) > from_ns)
		return;
	dir = openat(fd, root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		resctrl_forget(r);
		return;
	}
	read_all(r, dir);
	close(dir);
	time_share_charge(&r->reading, from_ns, clock_monotonic_ns(r->clock) - from_ns, REST);
}
