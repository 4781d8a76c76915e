/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time-share.h"
#include "proc/cgroup.h"
#include "proc/container.h"
#include "proc/group-name.h"
#include "proc/group-stat.h"
#include "proc/pressure.h"

#define REST 100                       /* times as long as the work that nobody waits for took */
#define BURST_NS (NS_PER_S / 100)      /* of that work at once */
#define SHOWN_NS (NS_PER_S / 50)       /* for the files of groups that are on the screen */
#define FILE_BYTES ((size_t)256 << 10) /* io.stat has a line for each device */
#define MOUNTS_BYTES ((size_t)1 << 20)
#define NAME_TRIES 3 /* the file with a name may come after the group */

enum tree { TREE_SECOND, TREE_MEMORY, TREE_PIDS, TREE_CPU, TREE_BLKIO, TREES };

#define WALKED 2 /* the tree of version 2, and one of version 1 */

struct groups {
	const struct procfs *procfs;
	const struct clock *clock;
	struct container_names names;
	struct map by_path, by_id;
	struct group_entry **items;
	size_t count, capacity;
	uint32_t last_id;
	int trees[TREES];   /* directories; -1: not mounted */
	int walked[WALKED]; /* of these */
	struct time_share share;
	size_t walk_at, read_at; /* items that come next */
	uint64_t refreshes, refused;
	struct buf text;
};

/* The trees that there are. */

static void open_tree(int *tree, const char *path)
{
	if (*tree < 0)
		*tree = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void open_trees(struct groups *g)
{
	static const char *const controllers[TREES] = {
		[TREE_MEMORY] = "memory",
		[TREE_PIDS] = "pids",
		[TREE_CPU] = "cpu",
		[TREE_BLKIO] = "blkio",
	};
	struct cgroup_mounted m;
	struct scanner lines;

	if (procfs_read_whole(g->procfs, "mounts", &g->text, MOUNTS_BYTES) <= 0)
		return;
	lines = scanner_of(g->text.bytes, g->text.size);
	while (cgroup_mount_next(&lines, &m)) {
		if (m.second)
			open_tree(&g->trees[TREE_SECOND], m.path);
		for (int i = TREE_MEMORY; i < TREES; i++) {
			if (cgroup_mount_has(&m, controllers[i]))
				open_tree(&g->trees[i], m.path);
		}
	}
	g->walked[0] = g->trees[TREE_SECOND];
	for (int i = TREE_MEMORY; i < TREES && g->walked[1] < 0; i++)
		g->walked[1] = g->trees[i];
}

struct groups *groups_new(const struct procfs *procfs, const struct clock *clock,
			  const char *names_root)
{
	struct groups *g = mem_alloc(sizeof(*g));

	g->procfs = procfs;
	g->clock = clock;
	g->by_path.seed = hash_seed();
	container_names_init(&g->names, names_root);
	for (int i = 0; i < TREES; i++)
		g->trees[i] = -1;
	for (int i = 0; i < WALKED; i++)
		g->walked[i] = -1;
	open_trees(g);
	groups_find(g, "/");
	return g;
}

static void entry_free(struct group_entry *e)
{
	mem_free((char *)e->path, (char *)e->name, e->reading, e);
}

void groups_free(struct groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->count; i++)
		entry_free(g->items[i]);
	for (int i = 0; i < TREES; i++) {
		if (g->trees[i] >= 0)
			close(g->trees[i]);
	}
	free(g->items);
	map_fini(&g->by_path);
	map_fini(&g->by_id);
	container_names_fini(&g->names);
	buf_fini(&g->text);
	free(g);
}

/* The table. */

static uint64_t path_key(const struct groups *g, const char *path, size_t size)
{
	return hash_bytes_seeded(g->by_path.seed, path, size);
}

static struct group_entry *entry_make(struct groups *g, const char *path, size_t size)
{
	struct group_entry *e;
	struct group_name name;

	if (g->count == GROUPS_MAX) {
		g->refused++;
		return NULL;
	}
	e = mem_alloc(sizeof(*e));
	e->id = ++g->last_id;
	e->path = mem_strndup(path, size);
	e->facts = group_unknown;
	e->used = g->refreshes;
	group_name_parse(e->path, &name);
	e->kind = name.kind;
	e->name = mem_strdup(name.text);
	e->tries = name.kind == GROUP_CONTAINER || name.kind == GROUP_POD ? NAME_TRIES : 0;
	e->slot = g->count;
	mem_grow((void **)&g->items, &g->capacity, g->count + 1, sizeof(*g->items));
	g->items[g->count++] = e;
	map_put(&g->by_path, path_key(g, path, size), e);
	map_put(&g->by_id, e->id, e);
	return e;
}

static bool is_path(const struct group_entry *e, const char *path, size_t size)
{
	return strlen(e->path) == size && !memcmp(e->path, path, size);
}

/* The group of the first SIZE bytes of PATH, in a table that has those above it; PARENT: its number. */
static struct group_entry *entry_of(struct groups *g, const char *path, size_t size,
				    uint32_t parent)
{
	struct group_entry *e = map_find(&g->by_path, path_key(g, path, size));

	if (e)
		return is_path(e, path, size) ? e : NULL;
	e = entry_make(g, path, size);
	if (e)
		e->parent = parent;
	return e;
}

uint32_t groups_find(struct groups *g, const char *path)
{
	struct group_entry *e = map_find(&g->by_path, path_key(g, path, strlen(path)));
	size_t size = 0;

	if (e)
		return is_path(e, path, strlen(path)) ? e->id : 0;
	if (*path != '/' || strlen(path) >= PATH_MAX)
		return 0;
	e = entry_of(g, "/", 1, 0);
	while (e && path[size] && path[size + 1]) {
		size += 1 + strcspn(path + size + 1, "/");
		e = entry_of(g, path, size, e->id);
	}
	return e ? e->id : 0;
}

struct group_entry *groups_at(const struct groups *g, uint32_t id)
{
	return map_find(&g->by_id, id);
}

void groups_use(struct groups *g, uint32_t id)
{
	struct group_entry *e = groups_at(g, id);

	while (e && e->used != g->refreshes) {
		e->used = g->refreshes;
		e = groups_at(g, e->parent);
	}
}

bool groups_used(const struct groups *g, const struct group_entry *e)
{
	return e->used == g->refreshes;
}

struct group_entry *groups_next(const struct groups *g, size_t *cursor)
{
	return *cursor < g->count ? g->items[(*cursor)++] : NULL;
}

size_t groups_count(const struct groups *g)
{
	return g->count;
}

uint64_t groups_refused(const struct groups *g)
{
	return g->refused;
}

/* The walk. */

/*
 * The path from a tree's root, or NULL: it leads out of it.  In a name space of control groups the
 * kernel calls those outside "/../other".
 */
static const char *inside(const struct group_entry *e)
{
	for (const char *at = e->path; (at = strstr(at, "/..")); at++) {
		if (!at[3] || at[3] == '/')
			return NULL;
	}
	return e->path[1] ? e->path + 1 : ".";
}

static void list_groups(struct groups *g, int tree, const struct group_entry *e)
{
	int fd = openat(tree, inside(e), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const char *above = e->path[1] ? e->path : "";
	struct dirent *entry;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (entry = readdir(dir))) {
		char path[PATH_MAX];

		if (entry->d_type != DT_DIR || *entry->d_name == '.')
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", above, entry->d_name) < (int)sizeof(path))
			groups_find(g, path);
	}
	if (dir)
		closedir(dir);
}

/*
 * Lists a directory whose number of directories has changed: its links, but on some file systems, where
 * it is always 1.
 */
static void visit(struct groups *g, struct group_entry *e)
{
	const char *path = inside(e);
	bool found = !path;
	struct stat st;

	for (int i = 0; i < WALKED && path; i++) {
		if (g->walked[i] < 0 || fstatat(g->walked[i], path, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		found = true;
		if (st.st_nlink >= 2 && st.st_nlink == e->links[i])
			continue;
		e->links[i] = st.st_nlink;
		list_groups(g, g->walked[i], e);
	}
	e->gone = !found;
}

static bool time_is_left(const struct groups *g, uint64_t end_ns)
{
	return clock_monotonic_ns(g->clock) < end_ns;
}

static void find_name(struct groups *g, struct group_entry *e)
{
	char text[CONTAINER_NAME_BYTES];
	struct group_name name;

	e->tries--;
	group_name_parse(e->path, &name);
	if (!container_name_find(&g->names, &name, text))
		return;
	e->tries = 0;
	free((char *)e->name);
	e->name = mem_strdup(text);
}

/* New entries come last, and are looked at in the same walk. */
static void walk(struct groups *g, uint64_t end_ns)
{
	for (size_t done = 0; done < g->count && time_is_left(g, end_ns); done++) {
		struct group_entry *e = g->items[g->walk_at < g->count ? g->walk_at : 0];

		g->walk_at = e->slot + 1;
		visit(g, e);
		if (e->tries && !e->gone)
			find_name(g, e);
	}
}

/* Files. */

typedef void parser(const char *text, size_t size, enum group_value what,
		    int64_t values[GROUP_VALUES]);

/* clang-format off */
static const struct file {
	enum group_files of;
	enum group_value what;
	const char *second;  /* its name in version 2 */
	parser *parse;
	enum tree tree;      /* of version 1, and its name there; NULL: there is none */
	const char *first;
	parser *parse_first;
} files[] = {
	{ GROUP_FILE_MEMORY, GROUP_MEMORY, "memory.current", group_number_parse,
	  TREE_MEMORY, "memory.usage_in_bytes", group_number_parse },
	{ GROUP_FILE_MEMORY, GROUP_MEMORY_MAX, "memory.max", group_number_parse,
	  TREE_MEMORY, "memory.limit_in_bytes", group_number_parse },
	{ GROUP_FILE_PIDS, GROUP_PIDS, "pids.current", group_number_parse,
	  TREE_PIDS, "pids.current", group_number_parse },
	{ GROUP_FILE_PIDS, GROUP_PIDS_MAX, "pids.max", group_number_parse,
	  TREE_PIDS, "pids.max", group_number_parse },
	{ GROUP_FILE_IO, GROUP_READ, "io.stat", group_io_parse,
	  TREE_BLKIO, "blkio.throttle.io_service_bytes_recursive", group_blkio_parse },
	{ GROUP_FILE_CPU, GROUP_PERIODS, "cpu.stat", group_cpu_parse,
	  TREE_CPU, "cpu.stat", group_cpu_parse },
	{ GROUP_FILE_PRESSURE, GROUP_CPU_SOME, "cpu.pressure", group_pressure_parse,
	  TREE_SECOND, NULL, NULL },
	{ GROUP_FILE_PRESSURE, GROUP_MEMORY_SOME, "memory.pressure", group_pressure_parse,
	  TREE_SECOND, NULL, NULL },
	{ GROUP_FILE_PRESSURE, GROUP_IO_SOME, "io.pressure", group_pressure_parse,
	  TREE_SECOND, NULL, NULL },
};
/* clang-format on */

/* Replaces the text by FILE of the group in TREE.  False: there is none. */
static bool read_file(struct groups *g, enum tree tree, const struct group_entry *e,
		      const char *file)
{
	const struct procfs dir = { .fd = g->trees[tree] };
	const char *path = inside(e);
	char name[PATH_MAX];

	if (dir.fd < 0 || !path || !file ||
	    snprintf(name, sizeof(name), "%s/%s", path, file) >= (int)sizeof(name))
		return false;
	return procfs_read_whole(&dir, name, &g->text, FILE_BYTES) > 0;
}

static void read_values(struct groups *g, const struct group_entry *e, unsigned wanted,
			int64_t values[GROUP_VALUES])
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const struct file *f = &files[i];

		if (!(wanted & f->of))
			continue;
		if (read_file(g, TREE_SECOND, e, f->second))
			f->parse(g->text.bytes, g->text.size, f->what, values);
		else if (read_file(g, f->tree, e, f->first))
			f->parse_first(g->text.bytes, g->text.size, f->what, values);
	}
}

static void set_facts(struct group_facts *f, const struct group_reading *r)
{
	double seconds = (double)(r->now_ns - r->before_ns) / NS_PER_S;
	double periods = group_reading_grown(r, GROUP_PERIODS);

	f->memory_bytes = r->now[GROUP_MEMORY];
	f->memory_max_bytes = r->now[GROUP_MEMORY_MAX];
	f->pids = r->now[GROUP_PIDS];
	f->pids_max = r->now[GROUP_PIDS_MAX];
	f->read_rate = group_reading_grown(r, GROUP_READ) / seconds;
	f->write_rate = group_reading_grown(r, GROUP_WRITTEN) / seconds;
	f->throttled_percent =
		periods > 0 ? 100 * group_reading_grown(r, GROUP_THROTTLED) / periods : 0 * periods;
	if (f->throttled_percent > 100) /* the quota's period was changed between two lines */
		f->throttled_percent = 100;
	f->pressure = pressure_between(r);
}

static void read_entry(struct groups *g, struct group_entry *e, unsigned wanted)
{
	struct group_reading *r = e->reading;

	if (!r)
		r = e->reading = mem_alloc(sizeof(*r));
	group_reading_next(r, clock_monotonic_ns(g->clock));
	read_values(g, e, wanted, r->now);
	set_facts(&e->facts, r);
}

static void read_shown(struct groups *g, const struct groups_request *q, uint64_t end_ns)
{
	for (size_t i = 0; i < q->shown_count && time_is_left(g, end_ns); i++) {
		struct group_entry *e = groups_at(g, q->shown[i]);

		if (!e || e->wanted)
			continue;
		e->wanted = true;
		read_entry(g, e, q->files);
	}
}

static void read_others(struct groups *g, unsigned wanted, uint64_t end_ns)
{
	for (size_t done = 0; done < g->count && time_is_left(g, end_ns); done++) {
		struct group_entry *e = g->items[g->read_at < g->count ? g->read_at : 0];

		g->read_at = e->slot + 1;
		if (!e->wanted && !e->gone)
			read_entry(g, e, wanted);
	}
}

/* Values that nobody requests any more would be compared with a reading of long ago. */
static void forget_readings(struct groups *g, const struct groups_request *q)
{
	for (size_t i = 0; i < g->count; i++) {
		struct group_entry *e = g->items[i];

		if (e->reading && !e->wanted && !(q->all && q->files)) {
			free(e->reading);
			e->reading = NULL;
			e->facts = group_unknown;
		}
		e->wanted = false;
	}
}

static void forget_gone(struct groups *g)
{
	for (size_t i = 0; i < g->count;) {
		struct group_entry *e = g->items[i];

		if (!e->gone || e->used + 1 >= g->refreshes || !e->parent) {
			i++;
			continue;
		}
		map_remove(&g->by_path, path_key(g, e->path, strlen(e->path)));
		map_remove(&g->by_id, e->id);
		g->items[i] = g->items[--g->count];
		g->items[i]->slot = i;
		entry_free(e);
	}
}

void groups_refresh(struct groups *g, const struct groups_request *q)
{
	uint64_t now_ns = clock_monotonic_ns(g->clock), from_ns;

	g->refreshes++;
	if (q->files)
		read_shown(g, q, now_ns + SHOWN_NS);
	from_ns = clock_monotonic_ns(g->clock);
	if (time_share_due(&g->share, BURST_NS, REST) <= from_ns) {
		walk(g, from_ns + BURST_NS / 2);
		if (q->all && q->files)
			read_others(g, q->files, from_ns + BURST_NS);
		time_share_charge(&g->share, from_ns, clock_monotonic_ns(g->clock) - from_ns, REST);
	}
	forget_readings(g, q);
	forget_gone(g);
}
