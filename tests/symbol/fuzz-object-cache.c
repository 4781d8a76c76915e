/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/bytes.h"
#include "symbol/dso.h"
#include "symbol/jitlist.h"

/*
 * Input: a byte, how the cache is made (its low bit: it loads at once; the next one: with little memory); then steps of
 * two bytes, what is done and to what.  The loader's thread runs beside, so the input chooses an order, and waits choose
 * another one.  Objects are programs, processes with a perf map and a dump, and the kernel's own.
 *
 * After each step all that is known of each object is looked at, and a name that was found before, which must live on
 * until the next dso_cache_loaded(), dso_request() or shedding.
 */
#define STEPS_MAX 256
#define PROCESSES 4u
#define FIRST_PID 71u
#define KEYS 16u
#define WAIT_MS 20
#define LITTLE_BYTES (1u << 20) /* of --max-memory: its parts are some KiB */
enum { SYNCHRONOUS = 1, LITTLE = 2 };

/* A wait costs no CPU time. */
const struct fuzz_bound fuzz_bound = { 2000000, 20000000, 65536, 4096 };

static struct {
	char root[64]; /* of its own /proc, with lists of functions; "" not made yet */
} world;

struct scene {
	struct dso_cache *cache;
	uint32_t objects[KEYS]; /* by key; 0: not asked for yet */
	const char *name;       /* of a table that is there, or NULL */
	size_t length;
	uint64_t works, done;
	unsigned editions;
};

static void make_world(void)
{
	char path[128];

	snprintf(world.root, sizeof(world.root), "/tmp/ptop-fuzz-cache-%d", (int)getpid());
	mkdir(world.root, 0700);
	for (uint32_t pid = FIRST_PID; pid < FIRST_PID + PROCESSES; pid++) {
		static const char *const folders[] = { "", "/root", "/root/tmp" };

		for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
			snprintf(path, sizeof(path), "%s/%u%s", world.root, pid, folders[i]);
			mkdir(path, 0700);
		}
	}
}

static void remove_world(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", world.root);
	if (system(command))
		abort();
}

/* Writes the perf map of a process, anew or behind what is there. */
static void write_map(struct scene *s, uint8_t what)
{
	uint32_t pid = FIRST_PID + what % PROCESSES;
	char path[128], text[256];
	int fd, size;

	snprintf(path, sizeof(path), "%s/%u/root/tmp/perf-%u.map", world.root, pid, pid);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (what & 16 ? O_TRUNC : O_APPEND), 0600);
	size = snprintf(text, sizeof(text), "%x 40 function_%u\n%x 20 other_%u\n",
			0x1000u + what * 64u, s->editions, 0x8000u + s->editions % 64 * 64u, what);
	s->editions++;
	if (fd < 0 || write(fd, text, (size_t)size) != size)
		abort();
	close(fd);
}

/* A program, nothing, a text and a folder; the inode says that some are others than were mapped. */
static struct dso_key file_key(uint32_t n)
{
	static const char *const paths[] = { "/bin/true", "/bin/sh", "/nonexistent", "/etc/passwd",
					     "/tmp" };
	const char *path = paths[n % (sizeof(paths) / sizeof(*paths))];
	struct stat st = { .st_ino = n };
	struct dso_key key = {
		.kind = DSO_FILE, .pid = (uint32_t)getpid(), .path = path, .uid = n
	};

	if (stat(path, &st) < 0)
		st.st_dev = 0;
	key.major = major(st.st_dev);
	key.minor = minor(st.st_dev);
	key.inode = st.st_ino + n / 10;
	return key;
}

static struct dso_key key_of(uint8_t what)
{
	const uint32_t n = what % KEYS;

	if (n < PROCESSES)
		return (struct dso_key){ .kind = DSO_JIT, .pid = FIRST_PID + n, .path = "//anon" };
	if (n == PROCESSES)
		return (struct dso_key){ .kind = DSO_KERNEL, .path = "" };
	if (n == PROCESSES + 1)
		return (struct dso_key){ .kind = DSO_VDSO, .path = "[vdso]" };
	return file_key(n);
}

static uint32_t object_of(struct scene *s, uint8_t what)
{
	const struct dso_key key = key_of(what);
	uint32_t *object = &s->objects[what % KEYS];

	if (!*object)
		*object = dso_cache_get(s->cache, &key);
	return *object;
}

static void keep_name(struct scene *s, uint32_t object)
{
	const struct symtab *t = dso_symtab(s->cache, object);

	s->name = t && symtab_count(t) ? symtab_at(t, symtab_count(t) / 2).name : NULL;
	s->length = s->name ? strlen(s->name) : 0;
}

struct work {
	struct dso_work work; /* first */
	struct scene *scene;
};

static void work_run(struct dso_work *w, struct load *load)
{
	(void)w;
	(void)load;
}

static void work_done(struct dso_work *w)
{
	((struct work *)w)->scene->done++;
	free(w);
}

static void work_dropped(struct dso_work *w)
{
	free(w);
}

static void submit(struct scene *s, uint32_t object)
{
	struct work *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	w->work = (struct dso_work){ .run = work_run, .done = work_done, .drop = work_dropped };
	w->scene = s;
	s->works++;
	dso_submit(s->cache, object, &w->work);
}

static void take_loaded(struct scene *s, uint8_t what)
{
	struct pollfd loaded = { .fd = dso_cache_fd(s->cache), .events = POLLIN };

	poll(&loaded, 1, what % WAIT_MS);
	s->name = NULL;
	dso_cache_loaded(s->cache);
}

static void tell_kernel_symbol(struct scene *s, uint8_t what)
{
	char name[32];
	const struct dso_kernel_symbol symbol = { .address =
							  0xffffffffc0000000ull + what % 64 * 64u,
						  .size = what % 3 * 64u,
						  .name = name,
						  .gone = what & 128 };

	snprintf(name, sizeof(name), "bpf_prog_%u", what);
	s->name = NULL; /* it may be of that object */
	dso_kernel_symbol(s->cache, &symbol);
	dso_kernel_symbol_at(s->cache, symbol.address);
}

static void shed(struct scene *s, uint8_t what)
{
	s->name = NULL;
	dso_cache_shed(s->cache, what & 1 ? 0 : 1000000000ull, what & 2 ? 0 : UINT64_MAX);
}

static void set_dump(struct scene *s, uint8_t what)
{
	const struct dso_key dump = { .kind = DSO_FILE,
				      .path = "/tmp/jit-71.dump",
				      .pid = FIRST_PID };

	dso_set_jitdump(s->cache, object_of(s, what % 4), &dump);
}

static void request(struct scene *s, uint8_t what)
{
	s->name = NULL;
	dso_request(s->cache, object_of(s, what));
}

static void step(struct scene *s, uint8_t how, uint8_t what)
{
	switch (how % 11) {
	case 0:
	case 1:
		request(s, what);
		break;
	case 2:
	case 3:
		take_loaded(s, what);
		break;
	case 4:
		keep_name(s, object_of(s, what));
		break;
	case 5:
		write_map(s, what);
		break;
	case 6:
		shed(s, what);
		break;
	case 7:
		submit(s, object_of(s, what));
		break;
	case 8:
		tell_kernel_symbol(s, what);
		break;
	case 9:
		set_dump(s, what);
		break;
	default:
		dso_set_missing(s->cache, object_of(s, what), what % DSO_PARTS, "missing");
	}
}

static void look_at(const struct scene *s, uint32_t object)
{
	const struct symtab *t = dso_symtab(s->cache, object);
	struct dso_description d;

	dso_describe(s->cache, object, &d);
	if ((d.state == DSO_READY && !t) || !d.name || !d.missing || !d.source ||
	    d.number != object)
		abort();
	if (!t || !symtab_count(t))
		return;
	for (uint32_t i = 0; i < symtab_count(t); i += 1 + symtab_count(t) / 8) {
		struct symbol symbol = symtab_at(t, i);

		if (symbol.end < symbol.start || !symbol.name)
			abort();
		dso_symbol_id(s->cache, object, i);
	}
	dso_jitframe(s->cache, object, 0x1000);
}

static void look(const struct scene *s)
{
	size_t count = 0;

	for (uint32_t at = 0; (at = dso_cache_next(s->cache, at)); count++)
		look_at(s, at);
	if (count > dso_cache_count(s->cache) || s->done > s->works ||
	    (s->name && strlen(s->name) != s->length))
		abort();
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct scene s = { .name = NULL };
	struct bytes in = bytes_of(data, size);
	uint8_t how = bytes_u8(&in);

	if (!*world.root) {
		make_world();
		atexit(remove_world);
	}
	s.cache = dso_cache_new(
		&(struct dso_cache_options){ .proc_root = world.root,
					     .debug_root = "/nonexistent",
					     .kallsyms = "",
					     .modules = "",
					     .synchronous = how & SYNCHRONOUS,
					     .memory_bytes = how & LITTLE ? LITTLE_BYTES : 0 });
	for (int i = 0; i < STEPS_MAX && in.left >= 2; i++) {
		uint8_t what = bytes_u8(&in);

		step(&s, what, bytes_u8(&in));
		look(&s);
	}
	dso_cache_free(s.cache);
	return 0;
}
