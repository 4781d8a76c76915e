/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/account.h"
#include "unit.h"
#include "base/spare-time.h"
#include "fixture.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/dso.h"
#include "symbol/load.h"
#include "symbol/loader.h"
#include "symbol/object.h"

#define DEADLINE_MS 20000

/* A function that this program is sure to have. */
__attribute__((noinline)) int dso_test_marker(int x);
int dso_test_marker(int x)
{
	return x + 1;
}

static struct dso_key key_of_self(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	return fixture_key(path);
}

static int bias_of_first(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static void own_function_is_named(struct dso_cache *c)
{
	struct dso_key key = key_of_self();
	uint32_t dso = dso_cache_get(c, &key);
	uint64_t bias = 0, address = (uint64_t)(uintptr_t)dso_test_marker;

	dl_iterate_phdr(bias_of_first, &bias);
	assert_int_equal(dso_state(c, dso), DSO_NEW);
	assert_null(dso_symtab(c, dso));
	fixture_load(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_string_equal(fixture_find(dso_symtab(c, dso), address - bias), "dso_test_marker");
	assert_string_equal(dso_symbol_source(c, dso), ".symtab");
}

UNIT_TEST(loads_in_the_callers_thread)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true });

	own_function_is_named(c);
	assert_int_equal(dso_cache_loaded(c), 1);
	assert_int_equal(dso_cache_loaded(c), 0);
	dso_cache_free(c);
}

UNIT_TEST(loads_in_the_loader)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ 0 });

	own_function_is_named(c);
	dso_cache_free(c);
}

UNIT_TEST(description_says_what_is_known)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true });
	struct dso_key key = key_of_self();
	uint32_t dso = dso_cache_get(c, &key);
	struct dso_description d;

	dso_describe(c, dso, &d);
	assert_int_equal(d.state, DSO_NEW);
	assert_string_equal(d.source, "");
	assert_int_equal(d.symbols, 0);
	assert_int_equal(d.bytes, 0);
	dso_request(c, dso);
	dso_describe(c, dso, &d);
	assert_int_equal(d.number, dso);
	assert_int_equal(d.state, DSO_READY);
	assert_string_equal(d.path, key.path);
	assert_string_equal(d.name, dso_name(c, dso));
	assert_string_equal(d.source, ".symtab");
	assert_string_equal(d.missing, "");
	assert_int_equal(d.symbols, symtab_count(dso_symtab(c, dso)));
	assert_true(d.bytes > d.symbols);
	assert_int_equal(d.left_out, 0);
	assert_int_equal(d.key.inode, key.inode);
	dso_cache_free(c);
}

static uint32_t marker_id(struct dso_cache *c, uint32_t dso, const char *name)
{
	const struct symtab *t = dso_symtab(c, dso);

	assert_non_null(t);
	return dso_symbol_id(c, dso, symtab_find(t, fixture_address(t, name)));
}

UNIT_TEST(symbols_of_old_objects_go_and_come_back)
{
	struct dso_cache *c =
		dso_cache_new(&(struct dso_cache_options){ .synchronous = true, .bytes_max = 1 });
	struct dso_key key = key_of_self();
	uint32_t self = dso_cache_get(c, &key), id;
	uint32_t vdso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_VDSO });

	dso_request(c, self);
	id = marker_id(c, self, "dso_test_marker");
	dso_request(c, vdso);
	assert_int_equal(dso_state(c, self), DSO_NEW);
	assert_null(dso_symtab(c, self));
	dso_request(c, self);
	assert_int_equal(dso_state(c, self), DSO_READY);
	assert_int_equal(marker_id(c, self, "dso_test_marker"), id);
	assert_int_equal(dso_state(c, vdso), DSO_READY); /* small, and always needed */
	dso_cache_free(c);
}

/* Symbols with old numbers must keep their names, so other symbols get other numbers. */
UNIT_TEST(other_symbols_get_other_ids)
{
	struct dso_cache *c = dso_cache_new(
		&(struct dso_cache_options){ .synchronous = true, .bytes_max = 1, .kallsyms = "" });
	struct dso_key self = key_of_self(), key;
	struct fixture f;
	uint32_t dso, id;

	if (!fixture_init(&f)) {
		dso_cache_free(c);
		skip();
	}
	key = fixture_key(fixture_path(&f, "probe"));
	dso = dso_cache_get(c, &key);
	dso_request(c, dso);
	id = marker_id(c, dso, "hot_function");
	dso_request(c, dso_cache_get(c, &self));
	assert_int_equal(dso_state(c, dso), DSO_NEW);
	/* The same inode with other symbols: as when a debug file appeared. */
	assert_true(fixture_run(&f, "strip -o other -K hot_function probe && cat other >probe"));
	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_true(marker_id(c, dso, "hot_function") > id);
	fixture_fini(&f);
	dso_cache_free(c);
}

/*
 * The package manager of the process's root: dpkg's lists may have the file by either of its names; with rpm
 * its build id says it, and nothing of a database is read.
 */
UNIT_TEST(the_package_to_install_is_named)
{
	static const char dpkg[] = "/var/lib/dpkg/info";
	static const struct {
		const char *list, *line, *advice, *folder;
	} cases[] = {
		{ "libfoo1:amd64.list", "/stripped", "install libfoo1-dbgsym: stripped", dpkg },
		{ "libc6:amd64.list", "/stripped", "install libc6-dbg", dpkg },
		{ "plain.list", "/stripped", "install plain-dbgsym", dpkg },
		{ "other.list", "/stripped-not", NULL, dpkg },
		{ "other.list", "x/stripped", NULL, dpkg },
		{ "other.md5sums", "/stripped", NULL, dpkg },
		{ "rpmdb.sqlite", "", "install debuginfo(build-id) = ", "/usr/lib/sysimage/rpm" },
		{ "Packages", "", "install debuginfo(build-id) = ", "/var/lib/rpm" },
		{ "other", "", NULL, "/var/lib/neither" },
	};
	struct fixture f;

	if (!fixture_init(&f))
		skip();
	assert_true(fixture_run(&f, "strip -o stripped probe"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dso_key key = fixture_key(fixture_path(&f, "stripped"));
		struct dso_cache *c;
		char root[128];
		uint32_t dso;

		assert_true(fixture_run(&f,
					"rm -rf proc; d=proc/55/root%s; "
					"mkdir -p $d; printf '/.\\n%%s%%s\\n/z\\n' %s '%s' >$d/%s",
					cases[i].folder, *cases[i].line == '/' ? f.directory : "x",
					cases[i].line, cases[i].list));
		key.pid = 55;
		key.path = strdup(key.path);
		snprintf(root, sizeof(root), "%s", fixture_path(&f, "proc"));
		c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true,
							       .kallsyms = "",
							       .complete = true,
							       .debug_root = "/nonexistent",
							       .proc_root = root });
		dso = dso_cache_get(c, &key);
		fixture_load(c, dso);
		dso_cache_loaded(c);
		dso_complete(c, dso);
		assert_int_equal(dso_cache_loaded(c), dso);
		if (cases[i].advice)
			assert_non_null(strstr(dso_missing(c, dso), cases[i].advice));
		else
			assert_null(strstr(dso_missing(c, dso), "install"));
		dso_complete(c, dso); /* not again */
		assert_int_equal(dso_cache_loaded(c), 0);
		dso_cache_free(c);
		free((char *)key.path);
	}
	fixture_fini(&f);
}

#ifdef HAVE_DEBUGINFOD
/* A server as a directory: libdebuginfod knows file:// too. */
static bool serve(struct fixture *f)
{
	char urls[128], cache[128];

	snprintf(urls, sizeof(urls), "file://%s/served", f->directory);
	snprintf(cache, sizeof(cache), "%s/fetched", f->directory);
	setenv("DEBUGINFOD_URLS", urls, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	return fixture_run(f, "id=$(readelf -n probe | sed -n 's/.*Build ID: //p'); "
			      "mkdir -p served/buildid/$id && strip -o stripped probe && "
			      "objcopy --only-keep-debug probe served/buildid/$id/debuginfo");
}

static void wait_for_news(struct dso_cache *c, uint32_t dso)
{
	struct pollfd fd = { .fd = dso_cache_fd(c), .events = POLLIN };
	uint32_t loaded;

	while ((loaded = dso_cache_loaded(c)) != dso) {
		assert_int_equal(loaded, 0);
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
	}
}

UNIT_TEST(hot_objects_are_fetched)
{
	struct dso_key key;
	struct fixture f;

	if (!fixture_init(&f))
		skip();
	assert_true(serve(&f));
	key = fixture_key(fixture_path(&f, "stripped"));
	for (int synchronous = 0; synchronous < 2; synchronous++) {
		struct dso_cache *c =
			dso_cache_new(&(struct dso_cache_options){ .synchronous = synchronous,
								   .kallsyms = "",
								   .complete = true,
								   .fetch = true,
								   .debug_root = "/nonexistent" });
		uint32_t dso = dso_cache_get(c, &key);

		dso_complete(c, dso); /* nothing is known of it yet */
		fixture_load(c, dso);
		assert_int_equal(fixture_address(dso_symtab(c, dso), "local_function"), 0);
		assert_string_not_equal(dso_missing(c, dso), "");
		dso_cache_loaded(c);
		dso_complete(c, dso);
		wait_for_news(c, dso);
		assert_int_not_equal(fixture_address(dso_symtab(c, dso), "local_function"), 0);
		assert_string_equal(dso_symbol_source(c, dso), "debug file (debuginfod)");
		assert_string_equal(dso_missing(c, dso), "");
		dso_cache_free(c);
	}
	fixture_fini(&f);
}

struct greedy_work {
	struct dso_work work; /* must be first */
	bool done;
};

/* It says that it took all that is spare, and half as much more: with SPARE_RATE_TEST the owner rests for two seconds. */
#define SPARE_RATE_TEST 1.0
static void greedy_run(struct dso_work *w, struct load *load)
{
	(void)w;
	load->cpu_ns = SPARE_CREDIT_NS * 3 / 2;
}

static void greedy_done(struct dso_work *w)
{
	((struct greedy_work *)w)->done = true;
}

static void greedy_drop(struct dso_work *w)
{
	(void)w;
}

/* The owner of DSO's file has to rest for some two seconds. */
static void let_owner_rest(struct dso_cache *c, uint32_t dso)
{
	struct greedy_work w = {
		.work = { .run = greedy_run, .done = greedy_done, .drop = greedy_drop }
	};
	struct pollfd fd = { .fd = dso_cache_fd(c), .events = POLLIN };

	dso_submit(c, dso, &w.work);
	while (!w.done) {
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
		assert_int_equal(dso_cache_loaded(c), 0);
	}
}

/* The object has been read, so it does not wait; its debug file does. */
UNIT_TEST(a_debug_file_is_read_after_its_owners_rest)
{
	const uint64_t end_ns = clock_monotonic_ns(&clock_system) + DEADLINE_MS / 1000 * NS_PER_S;
	struct spare_time *spare;
	struct dso_key key;
	struct dso_cache *c;
	struct fixture f;
	struct pollfd fd;
	uint32_t dso;

	if (geteuid() || !fixture_init(&f))
		skip();
	assert_true(serve(&f));
	if (!fixture_run(&f, "chown 65533 stripped 2>/dev/null")) {
		fixture_fini(&f);
		skip(); /* a container without that user */
	}
	key = fixture_key(fixture_path(&f, "stripped"));
	spare = spare_time_new(&clock_system, SPARE_RATE_TEST);
	c = dso_cache_new(&(struct dso_cache_options){ .kallsyms = "",
						       .complete = true,
						       .fetch = true,
						       .spare = spare,
						       .debug_root = "/nonexistent" });
	dso = dso_cache_get(c, &key);
	fixture_load(c, dso);
	let_owner_rest(c, dso);
	fd = (struct pollfd){ .fd = dso_cache_fd(c), .events = POLLIN };
	for (dso_complete(c, dso); dso_cache_loaded(c) != dso; dso_complete(c, dso)) {
		assert_false(dso_rests(c, dso));
		assert_string_not_equal(dso_missing(c, dso), load_rest_text());
		assert_true(clock_monotonic_ns(&clock_system) < end_ns);
		poll(&fd, 1, 10);
	}
	assert_int_not_equal(fixture_address(dso_symtab(c, dso), "local_function"), 0);
	assert_string_equal(dso_missing(c, dso), "");
	dso_cache_free(c);
	spare_time_put(spare);
	fixture_fini(&f);
}

UNIT_TEST(what_no_server_has_is_said)
{
	struct dso_key key;
	struct fixture f;

	if (!fixture_init(&f))
		skip();
	assert_true(serve(&f));
	assert_true(fixture_run(&f, "rm -r served/*"));
	key = fixture_key(fixture_path(&f, "stripped"));
	for (int fetch = 0; fetch < 2; fetch++) {
		struct dso_cache *c =
			dso_cache_new(&(struct dso_cache_options){ .synchronous = true,
								   .kallsyms = "",
								   .complete = fetch,
								   .fetch = true,
								   .debug_root = "/nonexistent" });
		uint32_t dso = dso_cache_get(c, &key);

		fixture_load(c, dso);
		dso_cache_loaded(c);
		dso_complete(c, dso);
		assert_int_equal(dso_cache_loaded(c), fetch ? dso : 0);
		assert_int_equal(dso_state(c, dso), DSO_READY);
		assert_int_equal(strstr(dso_missing(c, dso), "debuginfod: ") != NULL, fetch);
		dso_cache_free(c);
	}
	fixture_fini(&f);
}
#endif

/* Work that counts the bytes of the object's file. */
struct count_work {
	struct dso_work work; /* must be first */
	uint64_t *bytes;
	int *dropped;
	uint64_t found;
};

static void count_run(struct dso_work *w, struct load *load)
{
	((struct count_work *)w)->found = load->object ? load->object->size : 0;
}

static void count_done(struct dso_work *w)
{
	struct count_work *count = (struct count_work *)w;

	*count->bytes = count->found;
	free(w);
}

static void count_drop(struct dso_work *w)
{
	++*((struct count_work *)w)->dropped;
	free(w);
}

static void submit_count(struct dso_cache *c, uint32_t dso, uint64_t *bytes, int *dropped)
{
	struct count_work *w = malloc(sizeof(*w));

	*w = (struct count_work){
		{ .run = count_run, .done = count_done, .drop = count_drop }, bytes, dropped, 0
	};
	dso_submit(c, dso, &w->work);
}

UNIT_TEST(others_may_read_the_file)
{
	struct dso_key key = key_of_self();
	struct stat st;

	assert_int_equal(stat(key.path, &st), 0);
	for (int synchronous = 0; synchronous < 2; synchronous++) {
		struct dso_cache *c =
			dso_cache_new(&(struct dso_cache_options){ .synchronous = synchronous });
		struct pollfd fd = { .fd = dso_cache_fd(c), .events = POLLIN };
		uint32_t dso = dso_cache_get(c, &key);
		uint64_t bytes = 0;
		int dropped = 0;

		submit_count(c, dso, &bytes, &dropped);
		while (!bytes) {
			assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
			assert_int_equal(dso_cache_loaded(c), 0);
		}
		assert_int_equal(bytes, st.st_size);
		assert_int_equal(dso_state(c, dso), DSO_NEW);
		assert_int_equal(dropped, 0);
		dso_cache_free(c);
	}
}

UNIT_TEST(work_is_dropped_at_the_end)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ 0 });
	struct dso_key key = key_of_self();
	uint64_t bytes = 0;
	int dropped = 0;

	submit_count(c, dso_cache_get(c, &key), &bytes, &dropped);
	dso_cache_free(c);
	assert_int_equal(dropped, 1);
	assert_int_equal(bytes, 0);
}

UNIT_TEST(vdso_has_symbols)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true });
	struct dso_key key = { .kind = DSO_VDSO };
	uint32_t dso = dso_cache_get(c, &key);

	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_true(symtab_count(dso_symtab(c, dso)) > 0);
	assert_string_equal(dso_name(c, dso), "[vdso]");
	dso_cache_free(c);
}

static uint32_t get(struct dso_cache *c, struct dso_key key)
{
	return dso_cache_get(c, &key);
}

UNIT_TEST(identity_is_the_file_not_the_path)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true });
	struct dso_key a = { .kind = DSO_FILE,
			     .path = "/lib/a.so",
			     .major = 8,
			     .minor = 1,
			     .inode = 10,
			     .inode_generation = 5,
			     .pid = 1 };
	struct dso_key b = a;
	uint32_t first = get(c, a), second;

	assert_int_not_equal(first, 0);
	b.path = "/container/rootfs/lib/renamed.so";
	b.pid = 2;
	assert_int_equal(get(c, b), first);
	assert_string_equal(dso_path(c, first), "/lib/a.so");
	assert_string_equal(dso_name(c, first), "a.so");
	b.inode = 11;
	assert_int_not_equal(get(c, b), first);
	b = a;
	b.minor = 2;
	assert_int_not_equal(get(c, b), first);
	b = a;
	b.inode_generation = 6;
	second = get(c, b);
	assert_int_not_equal(second, first);
	b.inode_generation = 0; /* not known: the newest of that inode */
	b.path = "/other/a.so (deleted)";
	assert_int_equal(get(c, b), second);
	b.path = "/lib/b.so";
	assert_int_not_equal(get(c, b), first);
	dso_cache_free(c);
}

UNIT_TEST(a_user_has_a_share_of_the_objects)
{
	enum { PATH_BYTES = 4000 };
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true });
	char path[PATH_BYTES + 1], known[PATH_BYTES];
	struct dso_key key = { .kind = DSO_FILE, .path = path, .pid = 1, .uid = 1000 };
	uint32_t first, last = 0, number;

	memset(path, 'p', PATH_BYTES);
	path[PATH_BYTES] = '\0';
	*path = '/';
	key.inode = 1;
	snprintf(known, sizeof(known), "%s", path + 1);
	first = dso_cache_get(c, &key);
	for (number = first; !dso_cache_merged(c) && key.inode < 100000; key.inode++) {
		last = number;
		snprintf(path + 1, 16, "%014u", (unsigned)key.inode);
		path[15] = 'p';
		number = dso_cache_get(c, &key);
	}
	assert_int_not_equal(number, last);
	assert_string_equal(dso_name(c, number), "[others]");
	assert_in_range(dso_cache_count(c), account_user(0, ACCOUNT_OBJECTS) / PATH_BYTES / 4,
			account_user(0, ACCOUNT_OBJECTS) / PATH_BYTES);
	key.uid = 1001; /* others have theirs */
	assert_int_not_equal(dso_cache_get(c, &key), number);
	key.inode = 1; /* what is known stays */
	key.inode_generation = 0;
	snprintf(path, sizeof(path), "/%s", known);
	assert_int_equal(dso_cache_get(c, &key), first);
	dso_cache_free(c);
}

UNIT_TEST(build_ids_tell_files_apart)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true });
	struct dso_key a = { .kind = DSO_FILE,
			     .path = "/lib/a.so",
			     .build_id = { { 1, 2, 3 }, 20 } };
	struct dso_key b = a;
	uint32_t first = get(c, a);

	b.path = "/elsewhere/a.so";
	assert_int_equal(get(c, b), first);
	b.build_id.bytes[19] = 1;
	assert_int_not_equal(get(c, b), first);
	dso_cache_free(c);
}

UNIT_TEST(other_kinds_have_their_own_identity)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true });
	uint32_t jit = get(c, (struct dso_key){ .kind = DSO_JIT, .pid = 7, .path = "//anon" });
	uint32_t kernel = get(c, (struct dso_key){ .kind = DSO_KERNEL });
	uint32_t unknown = get(c, (struct dso_key){ .kind = DSO_UNKNOWN }), dso = 0;
	size_t count = 0;

	assert_int_equal(get(c, (struct dso_key){ .kind = DSO_JIT, .pid = 7, .path = "[heap]" }),
			 jit);
	assert_int_not_equal(get(c, (struct dso_key){ .kind = DSO_JIT, .pid = 8 }), jit);
	assert_int_equal(get(c, (struct dso_key){ .kind = DSO_KERNEL, .pid = 9 }), kernel);
	assert_int_not_equal(get(c, (struct dso_key){ .kind = DSO_UNKNOWN, .path = "[stack]" }),
			     unknown);
	assert_string_equal(dso_name(c, unknown), "[unknown]");
	assert_int_equal(dso_kind(c, jit), DSO_JIT);
	dso_request(c, unknown);
	assert_int_equal(dso_state(c, unknown), DSO_NEW);
	while ((dso = dso_cache_next(c, dso)))
		count++;
	assert_int_equal(count, dso_cache_count(c));
	assert_int_equal(count, 5);
	dso_cache_free(c);
}

UNIT_TEST(paths_have_kinds)
{
	static const struct {
		const char *path;
		enum dso_kind kind;
	} cases[] = {
		{ "", DSO_JIT },
		{ "//anon", DSO_JIT },
		{ "[heap]", DSO_JIT },
		{ "[anon:v8]", DSO_JIT },
		{ "/dev/zero (deleted)", DSO_JIT },
		{ "/memfd:doublemapper (deleted)", DSO_JIT },
		{ "[vdso]", DSO_VDSO },
		{ "/usr/bin/a (deleted)", DSO_FILE },
		{ "/memfd:runc (deleted)", DSO_FILE },
		{ "[stack]", DSO_UNKNOWN },
		{ "[vsyscall]", DSO_UNKNOWN },
		{ "/SYSV00000000 (deleted)", DSO_UNKNOWN },
		{ "anon_inode:[x]", DSO_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(dso_kind_of_path(cases[i].path), cases[i].kind);
}

/*
 * A file of LARGE_BYTES, all zero, whose symbol table is the whole of it: reading it takes a second,
 * whatever its symbols say.
 */
#define LARGE_BYTES (1500ull << 20)

static void write_large(const char *path)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[3];
	} file = {
		.header = { .e_ident = ELFMAG,
			    .e_type = ET_EXEC,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_shoff = sizeof(Elf64_Ehdr),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 3,
			    .e_shstrndx = 2 },
		.sections = { [1] = { .sh_type = SHT_SYMTAB,
				      .sh_offset = 4096,
				      .sh_link = 2,
				      .sh_size = LARGE_BYTES - 4096,
				      .sh_entsize = 24 },
			      [2] = { .sh_type = SHT_STRTAB, .sh_offset = 2048, .sh_size = 16 } },
	};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	file.header.e_ident[EI_CLASS] = ELFCLASS64;
	file.header.e_ident[EI_VERSION] = EV_CURRENT;
	file.header.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	/* Not a hole: what a hole claims is refused. */
	assert_int_equal(fallocate(fd, 0, 0, LARGE_BYTES), 0);
	close(fd);
}

/* While BIG is being loaded, this program is. */
static void big_holds_up_no_small_one(struct dso_cache *c, uint32_t big)
{
	struct dso_key self = key_of_self();
	uint32_t small;

	dso_request(c, big);
	/* It is being read once a first small one is done, or the small one went first. */
	fixture_load(c, get(c, (struct dso_key){ .kind = DSO_VDSO }));
	small = dso_cache_get(c, &self);
	fixture_load(c, small);
	assert_int_equal(dso_state(c, small), DSO_READY);
	assert_int_equal(dso_state(c, big), DSO_LOADING);
}

UNIT_TEST(a_huge_file_holds_up_no_small_one)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ 0 });
	struct dso_key large;
	char path[64];

	snprintf(path, sizeof(path), "test-dso-%d-large", (int)getpid());
	write_large(path);
	large = fixture_key(path);
	large.path = realpath(path, NULL);
	big_holds_up_no_small_one(c, dso_cache_get(c, &large));
	/* Ends although it is being read; what were left behind the leak check would see. */
	dso_cache_free(c);
	free((char *)large.path);
	unlink(path);
}

/* The same file as a list of the kernel's symbols: a second of reading lines that are none. */
UNIT_TEST(the_kernel_holds_up_no_program)
{
	char path[64];
	struct dso_cache *c;

	snprintf(path, sizeof(path), "test-dso-%d-kallsyms", (int)getpid());
	write_large(path);
	c = dso_cache_new(&(struct dso_cache_options){ .kallsyms = path });
	big_holds_up_no_small_one(c, get(c, (struct dso_key){ .kind = DSO_KERNEL }));
	dso_cache_free(c);
	unlink(path);
}

/* A process whose root is a directory of its own, with a copy of this program that is only there. */
static pid_t start_in_other_root(const char *directory, int *input)
{
	int ends[2], ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(ready), 0);
	pid = unit_fork();
	if (pid == 0) {
		close(ends[1]);
		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("none", directory, "tmpfs", 0, NULL) || chdir(directory) ||
		    symlink("nowhere", "gone") ||
		    system("cp /proc/$PPID/exe inner 2>/dev/null") != 0)
			_exit(1);
		if (write(ready[1], "r", 1) == 1)
			(void)!read(ends[0], &byte, 1);
		_exit(0);
	}
	close(ends[0]);
	close(ready[1]);
	*input = ends[1];
	if (read(ready[0], &byte, 1) != 1) {
		close(ends[1]);
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(ready[0]);
	return pid;
}

UNIT_TEST(another_mount_namespace_is_looked_into)
{
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true });
	char directory[64], path[128], outside[192];
	struct dso_key key;
	uint32_t dso;
	int input;
	pid_t pid;

	snprintf(directory, sizeof(directory), "/tmp/ptop-symbol-ns-%d", (int)getpid());
	snprintf(path, sizeof(path), "%s/inner", directory);
	assert_int_equal(mkdir(directory, 0700), 0);
	pid = start_in_other_root(directory, &input);
	if (!pid) {
		rmdir(directory);
		dso_cache_free(c);
		skip();
	}
	snprintf(outside, sizeof(outside), "/proc/%d/root%s", (int)pid, path);
	key = fixture_key(outside);
	key.path = path;
	key.pid = pid;
	assert_int_not_equal(access(path, F_OK), 0);
	dso = dso_cache_get(c, &key);
	dso_request(c, dso);
	close(input);
	waitpid(pid, NULL, 0);
	rmdir(directory);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_true(fixture_address(dso_symtab(c, dso), "dso_test_marker") != 0);
	dso_cache_free(c);
}

/* Work that keeps the loader until a byte comes, and then tells of its end by one. */
struct gate_work {
	struct dso_work work; /* must be first */
	int begin, end;
	bool done; /* the cache has given it back */
};

static void gate_run(struct dso_work *w, struct load *load)
{
	const struct gate_work *gate = (struct gate_work *)w;
	char byte;

	(void)load;
	assert_int_equal(read(gate->begin, &byte, 1), 1);
	assert_int_equal(write(gate->end, "e", 1), 1);
}

static void gate_done(struct dso_work *w)
{
	((struct gate_work *)w)->done = true;
}

static uint32_t jit_of(struct dso_cache *c, uint32_t pid)
{
	return get(c, (struct dso_key){ .kind = DSO_JIT, .pid = pid, .path = "//anon" });
}

/* Appends functions [FIRST, END) to the map of process PID, which has a root of its own. */
static void grow_map(struct fixture *f, uint32_t pid, unsigned first, unsigned end)
{
	char path[64];
	FILE *map;

	assert_true(fixture_run(f, "mkdir -p proc/%u/root/tmp", pid));
	snprintf(path, sizeof(path), "proc/%u/root/tmp/perf-%u.map", pid, pid);
	map = fopen(fixture_path(f, path), "a");
	assert_non_null(map);
	for (unsigned i = first; i < end; i++)
		fprintf(map, "%x 10 compiled_%u\n", (i + 1) * 16, i);
	assert_int_equal(fclose(map), 0);
}

static void names_are_those_of_the_map(const struct symtab *t, size_t count)
{
	char name[32];

	assert_non_null(t);
	assert_int_equal(symtab_count(t), count);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "compiled_%zu", i);
		assert_string_equal(fixture_find(t, (i + 1) * 16), name);
	}
}

/* Both are asked for while the loader is busy, OTHER first; it has done both when this returns. */
static void read_both(struct dso_cache *c, uint32_t other, uint32_t grown, int patience_ms)
{
	struct gate_work first = { .work = { .run = gate_run,
					     .done = gate_done,
					     .drop = gate_done } },
			 last;
	struct pollfd fd = { .events = POLLIN };
	int begin[2], end[2];
	char byte;

	assert_int_equal(pipe(begin) | pipe(end), 0);
	first.begin = begin[0];
	first.end = end[1];
	fd.fd = end[0];
	last = first;
	dso_submit(c, other, &first.work);
	dso_request(c, other);
	/* A map is looked at again at most five times a second, or for a tenth of the time. */
	for (int ms = 0; ms < patience_ms; ms += 5) {
		dso_request(c, grown);
		poll(NULL, 0, 5);
	}
	dso_submit(c, other, &last.work);
	assert_int_equal(write(begin[1], "bb", 2), 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
		assert_int_equal(read(end[0], &byte, 1), 1);
	}
	fd.fd = dso_cache_fd(c);
	while (!first.done || !last.done) {
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
		while (dso_cache_loaded(c))
			;
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(close(begin[i]) | close(end[i]), 0);
}

/*
 * Two results wait.  The first makes the cache drop what was not used lately.  The second is a map that has
 * grown: it must not lose its names to that.
 */
UNIT_TEST(a_result_that_waits_keeps_its_names)
{
	unsigned lines = 1000, other = 100;
	struct fixture f;
	struct dso_cache *c;
	uint32_t grown;
	char root[128];

	if (!fixture_init(&f))
		skip();
	snprintf(root, sizeof(root), "%s", fixture_path(&f, "proc"));
	c = dso_cache_new(&(struct dso_cache_options){ .proc_root = root, .bytes_max = 1 });
	grown = jit_of(c, 71);
	grow_map(&f, 71, 0, lines);
	/* Where it was not looked at again, it was dropped rightly: then with more patience. */
	for (int patience_ms = 300; dso_state(c, grown) == DSO_NEW; patience_ms *= 2) {
		assert_true(patience_ms < DEADLINE_MS);
		fixture_load(c, grown);
		grow_map(&f, 71, lines, lines + 1000);
		lines += 1000;
		grow_map(&f, ++other, 0, 10);
		read_both(c, jit_of(c, other), grown, patience_ms);
	}
	assert_int_equal(dso_state(c, grown), DSO_READY);
	names_are_those_of_the_map(dso_symtab(c, grown), lines);
	dso_cache_free(c);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_in_the_callers_thread),
		cmocka_unit_test(loads_in_the_loader),
		cmocka_unit_test(description_says_what_is_known),
		cmocka_unit_test(symbols_of_old_objects_go_and_come_back),
		cmocka_unit_test(other_symbols_get_other_ids),
		cmocka_unit_test(the_package_to_install_is_named),
#ifdef HAVE_DEBUGINFOD
		cmocka_unit_test(hot_objects_are_fetched),
		cmocka_unit_test(a_debug_file_is_read_after_its_owners_rest),
		cmocka_unit_test(what_no_server_has_is_said),
#endif
		cmocka_unit_test(others_may_read_the_file),
		cmocka_unit_test(work_is_dropped_at_the_end),
		cmocka_unit_test(vdso_has_symbols),
		cmocka_unit_test(identity_is_the_file_not_the_path),
		cmocka_unit_test(a_user_has_a_share_of_the_objects),
		cmocka_unit_test(build_ids_tell_files_apart),
		cmocka_unit_test(other_kinds_have_their_own_identity),
		cmocka_unit_test(paths_have_kinds),
		cmocka_unit_test(a_huge_file_holds_up_no_small_one),
		cmocka_unit_test(the_kernel_holds_up_no_program),
		cmocka_unit_test(another_mount_namespace_is_looked_into),
		cmocka_unit_test(a_result_that_waits_keeps_its_names),
	};

	return unit_run(tests);
}
