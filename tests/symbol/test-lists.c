/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "symbol/dso.h"
#include "symbol/kallsyms.h"
#include "symbol/jitlist.h"
#include "symbol/perfmap.h"

static const char *find(const struct symtab *t, uint64_t address)
{
	uint32_t number = symtab_find(t, address);

	return number == SYMBOL_NONE ? "-" : symtab_at(t, number).name;
}

static const char kallsyms_text[] = "ffffffff81000000 T _stext\n"
				    "ffffffff81000000 T _text\n"
				    "ffffffff81000100 t local_function\n"
				    "ffffffff81000200 W weak_function\n"
				    "ffffffff81000280 D data\n"
				    "ffffffff81000300 T with space\n"
				    "0000000000000000 A absolute\n"
				    "not a line\n"
				    "\n"
				    "ffffffff81000400T glued\n"
				    "fffffffffff81000500 T seventeen_digits_and_more\n"
				    "ffffffffc0a01000 t nft_do_chain\t[nf_tables]\n"
				    "ffffffffc0a02000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
				    "ffffffffc0b00000 T cut";

UNIT_TEST(kallsyms_lines_are_parsed)
{
	struct symtab_builder *b = symtab_builder_new();
	struct kallsyms_count count = { 0 };
	size_t used = kallsyms_parse(b, kallsyms_text, sizeof(kallsyms_text) - 1, true, &count);
	struct symtab *t = symtab_builder_finish(b);

	assert_int_equal(count.added, 7);
	assert_int_equal(count.skipped, 4);
	assert_int_equal(count.hidden, 0);
	assert_string_equal(kallsyms_text + used, "ffffffffc0b00000 T cut");
	assert_string_equal(find(t, 0xffffffff810000ff), "_text");
	assert_string_equal(find(t, 0xffffffff81000100), "local_function");
	assert_string_equal(find(t, 0xffffffff81000290), "weak_function");
	assert_string_equal(find(t, 0xffffffff81000300), "with space");
	assert_string_equal(find(t, 0xffffffffc0a01000), "nft_do_chain");
	assert_string_equal(symtab_at(t, symtab_find(t, 0xffffffffc0a01000)).module, "[nf_tables]");
	assert_string_equal(symtab_at(t, symtab_find(t, 0xffffffffc0a02000)).module, "[bpf]");
	symtab_free(t);
}

/* Code at their addresses is nobody's then, but for the end of the last module. */
UNIT_TEST(programs_of_now_are_left_out)
{
	struct symtab_builder *b = symtab_builder_new();
	struct kallsyms_count count = { 0 };
	struct symtab *t;

	kallsyms_parse(b, kallsyms_text, sizeof(kallsyms_text) - 1, false, &count);
	t = symtab_builder_finish(b);
	assert_int_equal(count.added, 6);
	assert_string_equal(find(t, 0xffffffffc0a01000), "nft_do_chain");
	assert_string_equal(find(t, 0xffffffffc0a03000), "-");
	symtab_free(t);
}

UNIT_TEST(kallsyms_in_any_pieces_is_the_same)
{
	for (size_t piece = 1; piece < sizeof(kallsyms_text); piece++) {
		struct symtab_builder *b = symtab_builder_new();
		struct kallsyms_count count = { 0 };
		struct buf have = { 0 };

		for (size_t at = 0; at < sizeof(kallsyms_text) - 1; at += piece) {
			size_t left = sizeof(kallsyms_text) - 1 - at, used;

			buf_add(&have, kallsyms_text + at, left < piece ? left : piece);
			used = kallsyms_parse(b, have.bytes, have.size, true, &count);
			memmove(have.bytes, have.bytes + used, have.size - used);
			have.size -= used;
		}
		assert_int_equal(count.added, 7);
		assert_int_equal(count.skipped, 4);
		buf_fini(&have);
		symtab_builder_free(b);
	}
}

/* A file in the test's own directory; removed at once when the test ends by unlink. */
static char *write_file(const char *name, const char *text, size_t size)
{
	char *path = malloc(256);
	int fd;

	snprintf(path, 256, "test-lists-%d-%s", (int)getpid(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	close(fd);
	return path;
}

static struct dso_cache *cache_with(const char *kallsyms, const char *proc_root)
{
	return dso_cache_new(&(struct dso_cache_options){
		.kallsyms = kallsyms, .proc_root = proc_root, .synchronous = true });
}

UNIT_TEST(kernel_is_read_from_the_given_list)
{
	char *path = write_file("kallsyms", kallsyms_text, sizeof(kallsyms_text) - 1);
	struct dso_cache *c = cache_with(path, NULL);
	uint32_t dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_KERNEL });

	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_string_equal(dso_name(c, dso), "[kernel]");
	assert_string_equal(dso_symbol_source(c, dso), "kallsyms");
	assert_string_equal(find(dso_symtab(c, dso), 0xffffffff81000150), "local_function");
	dso_cache_free(c);
	unlink(path);
	free(path);
}

#define MODULES "nf_tables 303104 3 nft_ct,nft_nat, Live 0xffffffffc0a00000 (E)\n"

/* A module that is loaded while ptop runs: the kernel tells nobody, but has it in both its lists. */
UNIT_TEST(the_list_is_read_again_when_a_module_came)
{
	static const char late[] = "ffffffffc0c01000 t late_function\t[late]\n";
	char *path = write_file("kallsyms", kallsyms_text, sizeof(kallsyms_text) - 1);
	char *modules = write_file("modules", MODULES, sizeof(MODULES) - 1);
	struct dso_cache *c = dso_cache_new(&(struct dso_cache_options){
		.kallsyms = path, .modules = modules, .synchronous = true });
	uint32_t dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_KERNEL });
	time_t deadline = time(NULL) + 30;

	assert_false(dso_may_grow(c, dso));
	dso_request(c, dso);
	assert_int_equal(dso_cache_loaded(c), dso);
	assert_true(dso_may_grow(c, dso));
	free(write_file("kallsyms", late, sizeof(late) - 1));
	dso_request(c, dso);
	assert_int_equal(dso_cache_loaded(c), 0); /* the modules are the same */
	assert_string_equal(find(dso_symtab(c, dso), 0xffffffffc0c01010), "-");
	free(write_file("modules", "late 1 0 - Live 0xffffffffc0c00000\n", 35));
	while (!dso_cache_loaded(c) && time(NULL) < deadline)
		dso_request(c, dso);
	assert_string_equal(find(dso_symtab(c, dso), 0xffffffffc0c01010), "late_function");
	free(write_file("kallsyms", kallsyms_text, sizeof(kallsyms_text) - 1));
	free(write_file("modules", MODULES, sizeof(MODULES) - 1));
	dso_request(c, dso);
	assert_int_equal(dso_cache_loaded(c), 0); /* not that soon again */
	dso_cache_free(c);
	unlink(path);
	unlink(modules);
	free(path);
	free(modules);
}

UNIT_TEST(hidden_addresses_are_explained)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 t other\n";
	char *path = write_file("hidden", text, sizeof(text) - 1);
	struct dso_cache *c = cache_with(path, NULL);
	uint32_t dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_KERNEL });

	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_FAILED);
	assert_null(dso_symtab(c, dso));
	assert_non_null(strstr(dso_missing(c, dso), "kptr_restrict"));
	dso_cache_free(c);
	unlink(path);
	free(path);
}

UNIT_TEST(a_missing_list_is_explained)
{
	struct dso_cache *c = cache_with("/nonexistent/kallsyms", NULL);
	uint32_t dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_KERNEL });

	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_FAILED);
	assert_non_null(strstr(dso_missing(c, dso), "/nonexistent/kallsyms"));
	dso_cache_free(c);
}

UNIT_TEST(hostile_map_lines_are_skipped)
{
	static const char text[] =
		"7f0000001000 20 plain\n"
		"7f0000001020 10 LazyCompile:*render /srv/app.js:12\n"
		"7F0000002000 1A0 \033[2Jescape\n"
		"7f0000003000 0 empty\n"
		"7f0000003000 10\n"
		"7f0000003000 10 \n"
		"7f0000003000  10 two spaces\n"
		"0x00007f0000005000 0x0000000000000020 long Hot.hotInJava(long)\n"
		"0x 10 prefix alone\n"
		"-1 10 negative\n"
		"10000000000000000 10 seventeen digits\n"
		"\n"
		"fffffffffffffff0 ffffffffffffffff last\n"
		"ffffffffffffffff 1 behind the last\n"
		"7f0000004000 10 cut";
	struct jitlist *j = jitlist_new(JIT_MAP);
	struct jit_parser p = { .skipped = 0 };
	size_t used = perfmap_parse(&p, text, sizeof(text) - 1, sizeof(text) - 1);
	struct symtab *t;

	jitlist_take(j, &p.entries);
	jit_entries_fini(&p.entries);
	t = jitlist_make(j);
	assert_string_equal(text + used, "7f0000004000 10 cut");
	assert_int_equal(symtab_count(t), 5);
	assert_int_equal(p.skipped, 9);
	assert_string_equal(find(t, 0x7f000000101f), "plain");
	assert_string_equal(find(t, 0x7f000000501f), "long Hot.hotInJava(long)");
	assert_string_equal(find(t, 0x7f0000001020), "LazyCompile:*render /srv/app.js:12");
	assert_string_equal(find(t, 0x7f000000219f), "\033[2Jescape");
	assert_string_equal(find(t, 0x7f0000003000), "-");
	symtab_free(t);
	jitlist_free(j);
}

/* A /proc of one process, 77, that is 7 in its namespace. */
struct fake_proc {
	char root[64], map[192];
};

static void fake_proc_init(struct fake_proc *p)
{
	char path[192];

	snprintf(p->root, sizeof(p->root), "test-lists-%d-proc", (int)getpid());
	mkdir(p->root, 0700);
	snprintf(path, sizeof(path), "%s/77", p->root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/77/root", p->root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/77/root/tmp", p->root);
	mkdir(path, 0700);
	snprintf(p->map, sizeof(p->map), "%s/77/root/tmp/perf-7.map", p->root);
}

static void fake_proc_fini(struct fake_proc *p)
{
	static const char *const below[] = { "77/root/tmp", "77/root", "77" };
	char path[192];

	unlink(p->map);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", p->root, below[i]);
		rmdir(path);
	}
	rmdir(p->root);
}

static void append(const char *path, const char *text, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Asks until the map was looked at: it is left alone for a while after each time. */
static void request_until(struct dso_cache *c, uint32_t dso, uint64_t address, const char *name)
{
	for (int i = 0; i < 20000; i++) {
		dso_request(c, dso);
		if (dso_symtab(c, dso) && !strcmp(find(dso_symtab(c, dso), address), name))
			return;
		while (dso_cache_loaded(c))
			;
		usleep(1000);
	}
	fail_msg("no %s at %lx", name, (unsigned long)address);
}

UNIT_TEST(a_map_that_grows_is_read_on)
{
	struct fake_proc p;
	struct dso_cache *c;
	uint32_t dso, number;
	const char *name;

	fake_proc_init(&p);
	c = cache_with("", p.root);
	dso = dso_cache_get(
		c, &(struct dso_key){ .kind = DSO_JIT, .pid = 77, .nspid = 7, .path = "//anon" });
	assert_string_equal(dso_name(c, dso), "perf-7.map");
	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_FAILED);
	assert_int_equal(dso_cache_loaded(c), dso);

	append(p.map, "1000 10 first\n2000 10 second\n3000 10 th", O_APPEND);
	request_until(c, dso, 0x2000, "second");
	assert_int_equal(dso_state(c, dso), DSO_READY);
	number = symtab_find(dso_symtab(c, dso), 0x2000);
	name = symtab_at(dso_symtab(c, dso), number).name;

	append(p.map, "ird\n500 10 fourth\n", O_APPEND);
	request_until(c, dso, 0x3000, "third");
	assert_string_equal(find(dso_symtab(c, dso), 0x500), "fourth");
	assert_int_equal(symtab_find(dso_symtab(c, dso), 0x2000), number);
	assert_ptr_equal(symtab_at(dso_symtab(c, dso), number).name, name);

	append(p.map, "2000 10 second\n4000 10 new\n", O_TRUNC);
	request_until(c, dso, 0x4000, "new");
	assert_int_equal(symtab_find(dso_symtab(c, dso), 0x2000), number);
	assert_string_equal(find(dso_symtab(c, dso), 0x1000), "-");
	dso_cache_free(c);
	fake_proc_fini(&p);
}

/* Another map may be there by then: its symbols are not those of before. */
UNIT_TEST(a_map_that_was_dropped_is_read_anew)
{
	struct dso_cache_options options = { .synchronous = true, .kallsyms = "", .bytes_max = 1 };
	struct fake_proc p;
	struct dso_cache *c;
	uint32_t dso, vdso, number;

	fake_proc_init(&p);
	append(p.map, "1000 10 first\n", 0);
	options.proc_root = p.root;
	c = dso_cache_new(&options);
	vdso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_VDSO });
	dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_JIT, .pid = 77, .nspid = 7 });
	dso_request(c, dso);
	number = symtab_find(dso_symtab(c, dso), 0x1000);
	assert_int_equal(dso_symbol_id(c, dso, number), number);
	dso_request(c, vdso);
	assert_int_equal(dso_state(c, dso), DSO_NEW);
	append(p.map, "1000 10 other\n", O_TRUNC);
	request_until(c, dso, 0x1000, "other");
	number = symtab_find(dso_symtab(c, dso), 0x1000);
	assert_int_equal(dso_symbol_id(c, dso, number), 1);
	dso_cache_free(c);
	fake_proc_fini(&p);
}

UNIT_TEST(a_map_of_somebody_else_is_not_read)
{
	struct fake_proc p;
	struct dso_cache *c;
	uint32_t dso;

	if (geteuid() != 0)
		skip();
	fake_proc_init(&p);
	append(p.map, "1000 10 first\n", 0);
	assert_int_equal(chown(p.map, 12345, 12345), 0);
	c = cache_with("", p.root);
	dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_JIT, .pid = 77, .nspid = 7 });
	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_FAILED);
	dso_cache_free(c);

	/* The process is that user's. */
	p.map[strlen(p.root) + 3] = '\0';
	assert_int_equal(chown(p.map, 12345, 12345), 0);
	p.map[strlen(p.root) + 3] = '/';
	c = cache_with("", p.root);
	dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_JIT, .pid = 77, .nspid = 7 });
	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	dso_cache_free(c);
	fake_proc_fini(&p);
}

UNIT_TEST(a_map_that_is_a_link_or_a_fifo_is_not_read)
{
	struct fake_proc p;
	struct dso_cache *c;
	uint32_t dso;

	for (int fifo = 0; fifo < 2; fifo++) {
		fake_proc_init(&p);
		if (fifo)
			assert_int_equal(mkfifo(p.map, 0600), 0);
		else
			assert_int_equal(symlink("/etc/passwd", p.map), 0);
		c = cache_with("", p.root);
		dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_JIT, .pid = 77, .nspid = 7 });
		dso_request(c, dso);
		assert_int_equal(dso_state(c, dso), DSO_FAILED);
		dso_cache_free(c);
		fake_proc_fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kallsyms_lines_are_parsed),
		cmocka_unit_test(programs_of_now_are_left_out),
		cmocka_unit_test(kallsyms_in_any_pieces_is_the_same),
		cmocka_unit_test(kernel_is_read_from_the_given_list),
		cmocka_unit_test(the_list_is_read_again_when_a_module_came),
		cmocka_unit_test(hidden_addresses_are_explained),
		cmocka_unit_test(a_missing_list_is_explained),
		cmocka_unit_test(hostile_map_lines_are_skipped),
		cmocka_unit_test(a_map_that_grows_is_read_on),
		cmocka_unit_test(a_map_that_was_dropped_is_read_anew),
		cmocka_unit_test(a_map_of_somebody_else_is_not_read),
		cmocka_unit_test(a_map_that_is_a_link_or_a_fifo_is_not_read),
	};

	return unit_run(tests);
}
