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

#include "base/account.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/time-share.h"
#include "proc/cgroup.h"
#include "proc/container.h"
#include "proc/group-name.h"
#include "proc/group-stat.h"
#include "proc/pressure.h"

#define REST 400          /* times as long as the work that nobody waits for took */
#define REST_KNOWN 1000   /* likewise a walk over groups of which all are known */
#define REST_TOLD 4000    /* likewise where the root tells that others came */
#define REST_QUIET 1600   /* likewise the files of groups in which nothing happens */
#define LIVELY_GROUPS 320 /* so many more: those whose processes run are read a refresh later */
#define BURST_NS (NS_PER_S / 100) /* of that work at once */
/* Groups in which something happens may need all of that; they have this much for themselves. */
#define LIVELY_NS (BURST_NS / 8 * 3)
#define SHOWN_NS (NS_PER_S / 50)       /* for the files of groups that are on the screen */
#define FILE_BYTES ((size_t)256 << 10) /* io.stat has a line for each device */
#define MOUNTS_BYTES ((size_t)1 << 20)
#define ROOT_STAT_BYTES 4096
#define PLACE_BYTES 128 /* of a group in the table, the maps and the heap */
#define ROOM_STEPS 64   /* refreshes in which a walk finds again what was shed */
#define NAME_TRIES 3    /* the file with a name may come after the group */

enum tree { TREE_SECOND, TREE_MEMORY, TREE_PIDS, TREE_CPU, TREE_BLKIO, TREES };

#define WALKED 2 /* the tree of version 2, and one of version 1 */

struct groups {
	const struct procfs *procfs;
	const struct clock *clock;
	struct container_names names;
	struct map by_path, by_id;
	struct map by_user; /* uid + 1 to the bytes of his groups */
	uint64_t memory_bytes;
	size_t bytes, room; /* of all groups; up to which a walk adds more */
	bool pressed;       /* a process's group was refused since the last refresh */
	uint64_t missing;   /* groups that the walk saw, without room */
	struct group_entry **items;
	size_t count, capacity;
	uint32_t last_id;
	int trees[TREES];               /* directories; -1: not mounted */
	int walked[WALKED];             /* of these */
	struct time_share share;        /* of all that nobody waits for */
	struct time_share known, quiet; /* of its parts that rarely find something */
	size_t walk_at;                 /* the item that comes next; */
	size_t lively_at, quiet_at;     /* likewise whose files are read */
	size_t unchanged;               /* directories in a row in which a walk found nothing new */
	uint64_t descendants;           /* groups below the root as that tells; 0: it does not */
	size_t readings;                /* entries that have one, */
	size_t wanted;  /* and those of them that were read in this refresh for the screen */
	size_t gone;    /* entries that a walk did not find */
	unsigned files; /* that the last refresh was to read */
	uint64_t refreshes, refused;
	uint64_t changes; /* groups_changes() */
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
			  const char *names_root, uint64_t memory_bytes)
{
	struct groups *g = mem_alloc(sizeof(*g));

	g->procfs = procfs;
	g->clock = clock;
	g->by_path.seed = hash_seed();
	g->memory_bytes = memory_bytes;
	g->room = account_most(memory_bytes, ACCOUNT_GROUPS);
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
	map_fini(&g->by_user);
	container_names_fini(&g->names);
	buf_fini(&g->text);
	free(g);
}

/*
 * The path from a tree's root, or NULL: it leads out of it.  In a name space of control groups the
 * kernel calls those outside "/../other".
 */
static const char *inside(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/..")); at++) {
		if (!at[3] || at[3] == '/')
			return NULL;
	}
	return path[1] ? path + 1 : ".";
}

/* Who pays. */

static size_t bytes_of_user(const struct groups *g, uint32_t uid)
{
	return (uintptr_t)map_find(&g->by_user, (uint64_t)uid + 1);
}

/* From now on E is charged with BYTES. */
static void charge(struct groups *g, struct group_entry *e, size_t bytes)
{
	uint64_t user = (uint64_t)e->uid + 1;
	size_t of_user = bytes_of_user(g, e->uid) + bytes - e->bytes;

	g->bytes += bytes - e->bytes;
	e->bytes = bytes;
	if (of_user)
		map_put(&g->by_user, user, (void *)(uintptr_t)of_user);
	else
		map_remove(&g->by_user, user);
}

static void charge_all(struct groups *g, struct group_entry *e)
{
	charge(g, e,
	       sizeof(*e) + PLACE_BYTES + strlen(e->path) + strlen(e->name) +
		       (e->reading ? sizeof(*e->reading) : 0));
}

static bool has_room(const struct groups *g, const struct group_entry *e)
{
	return g->bytes <= account_most(g->memory_bytes, ACCOUNT_GROUPS) &&
	       bytes_of_user(g, e->uid) <= account_user(g->memory_bytes, ACCOUNT_GROUPS);
}

/* Whose directory it is; his who owns the one above where there is none. */
static uint32_t owner_of(const struct groups *g, const char *path, const struct group_entry *parent)
{
	const char *below = inside(path);
	struct stat st;

	for (int i = 0; i < WALKED && below; i++) {
		if (g->walked[i] >= 0 && !fstatat(g->walked[i], below, &st, AT_SYMLINK_NOFOLLOW))
			return st.st_uid;
	}
	return parent ? parent->uid : 0;
}

/* The table. */

static uint64_t path_key(const struct groups *g, const char *path, size_t size)
{
	return hash_bytes_seeded(g->by_path.seed, path, size);
}

/* So many groups below E in one of the trees have no room. */
static void set_missing(struct groups *g, struct group_entry *e, int tree, uint32_t count)
{
	g->missing += count;
	g->missing -= e->missing[tree];
	e->missing[tree] = count;
}

static void entry_remove(struct groups *g, struct group_entry *e)
{
	charge(g, e, 0);
	g->changes++;
	g->readings -= e->reading != NULL;
	g->wanted -= e->wanted == g->refreshes;
	g->gone -= e->gone;
	set_missing(g, e, 0, 0);
	set_missing(g, e, 1, 0);
	map_remove(&g->by_path, path_key(g, e->path, strlen(e->path)));
	map_remove(&g->by_id, e->id);
	g->items[e->slot] = g->items[--g->count];
	g->items[e->slot]->slot = e->slot;
	if (e->parent)
		e->parent->children--;
	entry_free(e);
}

/* PARENT: NULL for the root. */
static void entry_add(struct groups *g, struct group_entry *e, struct group_entry *parent)
{
	g->changes++;
	e->id = ++g->last_id;
	e->slot = g->count;
	mem_grow((void **)&g->items, &g->capacity, g->count + 1, sizeof(*g->items));
	g->items[g->count++] = e;
	map_put(&g->by_path, path_key(g, e->path, strlen(e->path)), e);
	map_put(&g->by_id, e->id, e);
	if (!parent)
		return;
	e->parent = parent;
	parent->children++;
}

/* PARENT: NULL for the root, which always has room. */
static struct group_entry *entry_make(struct groups *g, const char *path, size_t size,
				      struct group_entry *parent)
{
	struct group_entry *e = mem_alloc(sizeof(*e));
	struct group_name name;

	e->path = mem_strndup(path, size);
	e->facts = group_unknown;
	e->used = g->refreshes;
	group_name_parse(e->path, &name);
	e->kind = name.kind;
	e->name = mem_strdup(name.text);
	e->tries = name.kind == GROUP_CONTAINER || name.kind == GROUP_POD ? NAME_TRIES : 0;
	e->uid = owner_of(g, e->path, parent);
	charge_all(g, e);
	if (parent && !has_room(g, e)) {
		charge(g, e, 0);
		entry_free(e);
		return NULL;
	}
	entry_add(g, e, parent);
	return e;
}

static bool is_path(const struct group_entry *e, const char *path, size_t size)
{
	return strlen(e->path) == size && !memcmp(e->path, path, size);
}

/* The group of the first SIZE bytes of PATH; PARENT: the one above, NULL for the root. */
static struct group_entry *entry_of(struct groups *g, const char *path, size_t size,
				    struct group_entry *parent)
{
	struct group_entry *e = map_find(&g->by_path, path_key(g, path, size));

	if (e)
		return is_path(e, path, size) ? e : NULL;
	return entry_make(g, path, size, parent);
}

/* NULL: there is no room, or PATH is none. */
static struct group_entry *find(struct groups *g, const char *path)
{
	struct group_entry *e = map_find(&g->by_path, path_key(g, path, strlen(path)));
	size_t size = 0;

	if (e)
		return is_path(e, path, strlen(path)) ? e : NULL;
	if (*path != '/' || strlen(path) >= PATH_MAX)
		return NULL;
	e = entry_of(g, "/", 1, NULL);
	while (e && path[size] && path[size + 1]) {
		size += 1 + strcspn(path + size + 1, "/");
		e = entry_of(g, path, size, e);
	}
	return e;
}

uint32_t groups_find(struct groups *g, const char *path)
{
	struct group_entry *e = find(g, path);
	bool refused = !e && *path == '/';

	g->refused += refused;
	g->pressed |= refused;
	return e ? e->id : 0;
}

struct group_entry *groups_at(const struct groups *g, uint32_t id)
{
	return map_find(&g->by_id, id);
}

struct group_entry *groups_near(const struct groups *g, uint32_t id, size_t *slot)
{
	struct group_entry *e = *slot < g->count ? g->items[*slot] : NULL;

	if (e && e->id == id)
		return e;
	e = groups_at(g, id);
	if (e)
		*slot = e->slot;
	return e;
}

void groups_use(struct groups *g, struct group_entry *e, bool ran)
{
	for (struct group_entry *at = e; at && at->used != g->refreshes; at = at->parent)
		at->used = g->refreshes;
	for (; ran && e && e->ran != g->refreshes; e = e->parent)
		e->ran = g->refreshes;
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

size_t groups_bytes(const struct groups *g)
{
	return g->bytes;
}

uint64_t groups_changes(const struct groups *g)
{
	return g->changes;
}

bool groups_some_gone(const struct groups *g)
{
	return g->gone != 0;
}

uint64_t groups_refused(const struct groups *g)
{
	return g->refused;
}

/* The walk. */

static bool is_known(struct groups *g, const char *path)
{
	bool walk_adds = g->bytes < g->room;

	return walk_adds ? find(g, path) != NULL
			 : map_find(&g->by_path, path_key(g, path, strlen(path))) != NULL;
}

/* Returns how many found no room. */
static uint32_t list_groups(struct groups *g, int tree, const struct group_entry *e)
{
	int fd = openat(tree, inside(e->path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const char *above = e->path[1] ? e->path : "";
	struct dirent *entry;
	uint32_t missing = 0;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (entry = readdir(dir))) {
		char path[PATH_MAX];

		if (entry->d_type != DT_DIR || *entry->d_name == '.')
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", above, entry->d_name) < (int)sizeof(path))
			missing += !is_known(g, path);
	}
	if (dir)
		closedir(dir);
	return missing;
}

/* Below PARENT others may have come in place of one that went: the number of directories may be the same. */
static void list_again(struct groups *g, struct group_entry *parent)
{
	if (parent)
		memset(parent->links, 0, sizeof(parent->links));
	g->unchanged = 0;
}

/*
 * Lists a directory whose number of directories has changed: its links, but on some file systems, where
 * it is always 1.  Those without room are listed again.
 */
static void visit(struct groups *g, struct group_entry *e)
{
	const char *path = inside(e->path);
	bool found = !path;
	struct stat st;

	for (int i = 0; i < WALKED && path; i++) {
		if (g->walked[i] < 0 || fstatat(g->walked[i], path, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		found = true;
		if (st.st_nlink >= 2 && st.st_nlink == e->links[i])
			continue;
		g->unchanged = 0;
		set_missing(g, e, i, list_groups(g, g->walked[i], e));
		e->links[i] = e->missing[i] ? 0 : st.st_nlink;
	}
	if (!found && !e->gone)
		list_again(g, e->parent);
	g->changes += found == e->gone;
	g->gone += !found;
	g->gone -= e->gone;
	e->gone = !found;
}

/*
 * Version 2 tells how many groups there are: another number than before means that there is something to find.
 *
 *	nr_descendants 10100
 */
static void ask_root(struct groups *g)
{
	const struct procfs root = { .fd = g->trees[TREE_SECOND] };
	struct scanner lines, line, word;
	uint64_t descendants = 0;
	char text[ROOT_STAT_BYTES];
	ssize_t n = root.fd < 0 ? 0 : procfs_read(&root, "cgroup.stat", text, sizeof(text));

	lines = scanner_of(text, n > 0 ? (size_t)n : 0);
	while (scanner_line(&lines, &line)) {
		if (scanner_part(&line, ' ', &word) && scanner_is(&word, "nr_descendants"))
			scanner_u64(&line, &descendants);
	}
	if (descendants != g->descendants)
		g->unchanged = 0;
	g->descendants = descendants;
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
	g->changes++;
	charge_all(g, e);
}

/* New entries come last, and are looked at in the same walk. */
static void walk(struct groups *g, uint64_t end_ns)
{
	for (size_t done = 0; done < g->count && time_is_left(g, end_ns); done++) {
		struct group_entry *e = g->items[g->walk_at < g->count ? g->walk_at : 0];

		g->walk_at = e->slot + 1;
		g->unchanged++;
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
	const char *path = inside(e->path);
	char name[PATH_MAX];

	if (dir.fd < 0 || !path || !file ||
	    snprintf(name, sizeof(name), "%s/%s", path, file) >= (int)sizeof(name))
		return false;
	return procfs_read_record(&dir, name, &g->text, FILE_BYTES) > 0;
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

	if (!r) {
		r = e->reading = mem_alloc(sizeof(*r));
		g->readings++;
		charge_all(g, e);
	}
	group_reading_next(r, clock_monotonic_ns(g->clock));
	read_values(g, e, wanted, r->now);
	set_facts(&e->facts, r);
	e->read = g->refreshes;
	e->changed = !r->before_ns || memcmp(r->now, r->before, sizeof(r->now));
}

static void read_shown(struct groups *g, const struct groups_request *q, uint64_t end_ns)
{
	for (size_t i = 0; i < q->shown_count && time_is_left(g, end_ns); i++) {
		struct group_entry *e = groups_at(g, q->shown[i]);

		if (!e || e->wanted == g->refreshes)
			continue;
		e->wanted = g->refreshes;
		g->wanted++;
		read_entry(g, e, q->files);
	}
}

/*
 * Where no process ran since the last reading, which found what the one before had found, there will hardly be
 * something else.  Where one ran but nothing changed, a machine with many groups waits for some refreshes.
 */
static bool is_lively(const struct groups *g, const struct group_entry *e)
{
	return !e->reading || e->changed ||
	       (e->ran >= e->read && g->refreshes - e->read > g->count / LIVELY_GROUPS);
}

/* Reads, from item *AT on, the files of groups that are LIVELY or of the others. */
static void read_others(struct groups *g, unsigned wanted, bool lively, size_t *at, uint64_t end_ns)
{
	for (size_t done = 0; done < g->count; done++) {
		struct group_entry *e = g->items[*at < g->count ? *at : 0];
		bool due = e->wanted != g->refreshes && e->read != g->refreshes && !e->gone &&
			   is_lively(g, e) == lively;

		if (due && !time_is_left(g, end_ns))
			return;
		*at = e->slot + 1;
		if (due)
			read_entry(g, e, wanted);
	}
}

/* Figures that were not read before are to be there soon, also of groups in which nothing happens. */
static void want_files(struct groups *g, unsigned wanted)
{
	bool more = wanted & ~g->files;

	g->files = wanted;
	for (size_t i = 0; more && i < g->count; i++)
		g->items[i]->changed = true;
}

/* Values that nobody requests any more would be compared with a reading of long ago. */
static void forget_readings(struct groups *g, const struct groups_request *q)
{
	if ((q->all && q->files) || g->readings == g->wanted)
		return;
	for (size_t i = 0; i < g->count; i++) {
		struct group_entry *e = g->items[i];

		if (!e->reading || e->wanted == g->refreshes)
			continue;
		free(e->reading);
		e->reading = NULL;
		g->readings--;
		charge_all(g, e);
		e->facts = group_unknown;
	}
}

/* Backwards: those below were mostly found later, and go first. */
static void forget_gone(struct groups *g)
{
	for (size_t i = g->gone ? g->count : 0; i-- > 0;) {
		struct group_entry *e = g->items[i];

		if (e->gone && !e->children && e->parent && e->used + 1 < g->refreshes)
			entry_remove(g, e);
	}
}

/* Who was used longest ago comes first, those below, which were made later, before those above. */
static int by_age(const void *a, const void *b)
{
	const struct group_entry *x = *(struct group_entry *const *)a;
	const struct group_entry *y = *(struct group_entry *const *)b;

	if (x->used != y->used)
		return x->used < y->used ? -1 : 1;
	return x->id > y->id ? -1 : x->id < y->id;
}

/*
 * Until all have BYTES, drops groups of users with more than OF_USER that were not used since refresh SINCE.
 * The walk will find them again, as there is room.
 */
static void drop_oldest(struct groups *g, size_t bytes, size_t of_user, uint64_t since)
{
	size_t count = g->count;
	struct group_entry **oldest = mem_array(count, sizeof(struct group_entry *));

	memcpy(oldest, g->items, count * sizeof(struct group_entry *));
	qsort(oldest, count, sizeof(struct group_entry *), by_age);
	for (size_t i = 0; i < count && g->bytes > bytes && oldest[i]->used < since; i++) {
		struct group_entry *e = oldest[i], *parent = e->parent;

		if (!parent || e->children || bytes_of_user(g, e->uid) <= of_user)
			continue;
		list_again(g, parent);
		entry_remove(g, e);
	}
	free(oldest);
	g->room = g->bytes;
}

void groups_shed(struct groups *g, size_t bytes)
{
	drop_oldest(g, bytes, bytes / 2, UINT64_MAX);
	if (g->bytes > bytes)
		drop_oldest(g, bytes, 0, UINT64_MAX);
}

/* Groups without a process make room for one that has one, where their user has many. */
static void make_room(struct groups *g)
{
	size_t most = account_most(g->memory_bytes, ACCOUNT_GROUPS);

	if (g->pressed)
		drop_oldest(g, g->bytes / 4 * 3, most / 4, g->refreshes - 1);
	g->pressed = false;
	g->room = g->room + most / ROOM_STEPS < most ? g->room + most / ROOM_STEPS : most;
}

/* Returns true if a part of the work that nobody waits for may be done now. */
static bool may(const struct groups *g, const struct time_share *own, unsigned rest)
{
	return time_share_due(own, BURST_NS, rest) <= clock_monotonic_ns(g->clock);
}

/* The work since FROM_NS is charged to all of it, and to the share OWN of its part; NULL: it has none. */
static void pay(struct groups *g, uint64_t from_ns, struct time_share *own, unsigned rest)
{
	uint64_t cost_ns = clock_monotonic_ns(g->clock) - from_ns;

	time_share_charge(&g->share, from_ns, cost_ns, REST);
	if (own)
		time_share_charge(own, from_ns, cost_ns, rest);
}

static void walk_in_time(struct groups *g, uint64_t end_ns)
{
	uint64_t from_ns = clock_monotonic_ns(g->clock);
	unsigned rest = g->descendants && g->walked[1] < 0 ? REST_TOLD : REST_KNOWN;
	bool known = g->unchanged >= g->count;

	if (known && !may(g, &g->known, rest))
		return;
	walk(g, end_ns);
	pay(g, from_ns, known ? &g->known : NULL, rest);
}

static void read_in_time(struct groups *g, unsigned wanted, uint64_t end_ns)
{
	uint64_t from_ns = clock_monotonic_ns(g->clock);

	if (may(g, &g->quiet, REST_QUIET)) {
		read_others(g, wanted, false, &g->quiet_at, end_ns - LIVELY_NS);
		pay(g, from_ns, &g->quiet, REST_QUIET);
		from_ns = clock_monotonic_ns(g->clock);
	}
	read_others(g, wanted, true, &g->lively_at, end_ns);
	pay(g, from_ns, NULL, 0);
}

void groups_refresh(struct groups *g, const struct groups_request *q)
{
	uint64_t now_ns = clock_monotonic_ns(g->clock), from_ns;

	g->refreshes++;
	g->wanted = 0;
	g->refused += g->missing;
	make_room(g);
	ask_root(g);
	want_files(g, q->files);
	if (q->files)
		read_shown(g, q, now_ns + SHOWN_NS);
	from_ns = clock_monotonic_ns(g->clock);
	if (time_share_due(&g->share, BURST_NS, REST) <= from_ns) {
		walk_in_time(g, from_ns + BURST_NS / 2);
		if (q->all && q->files)
			read_in_time(g, q->files, from_ns + BURST_NS);
	}
	forget_readings(g, q);
	forget_gone(g);
}
