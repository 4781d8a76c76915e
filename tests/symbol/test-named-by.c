/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each source of names is told with the names that it gave.  A new source needs a row here. */
#include "unit.h"
#include "fixture.h"

#include <poll.h>

#include "symbol/dump.h"

#define DEADLINE_MS 60000
#define PID 77
#define JIT_START 0x7f0000001000u

/* What tells of an object: made by a shell, or written by the test. */
struct source {
	enum named_by name;
	const char *make; /* makes "made" of "probe", which is not stripped; NULL: see `object` */
	const char *function; /* that is named; "" one without a name */
	uint32_t (*object)(struct fixture *f, struct dso_cache *c);
	bool fetched;
};

#define TAKE_OFF "objcopy --only-keep-debug probe apart && strip -o made probe && "
#define BUILD_ID "$(readelf -n probe | sed -n 's/.*Build ID: //p')"

static uint32_t kernel_object(struct fixture *f, struct dso_cache *c)
{
	static const char list[] = "ffffffff81000000 T hot_function\nffffffff81000100 T other\n";

	fixture_write(f, "kallsyms", list, sizeof(list) - 1);
	return dso_cache_get(c, &(struct dso_key){ .kind = DSO_KERNEL, .path = "[kernel]" });
}

static uint32_t reported_object(struct fixture *f, struct dso_cache *c)
{
	(void)f;
	dso_kernel_symbol(
		c, &(struct dso_kernel_symbol){ 0xffffffffc0000000, 64, "hot_function", false });
	return dso_kernel_symbol_at(c, 0xffffffffc0000010);
}

static const struct dso_key jit_key = { .kind = DSO_JIT, .pid = PID, .path = "//anon" };

static uint32_t map_object(struct fixture *f, struct dso_cache *c)
{
	static const char map[] = "7f0000001000 20 hot_function\n";

	assert_true(fixture_run(f, "mkdir -p %d/root/tmp", PID));
	fixture_write(f, "77/root/tmp/perf-77.map", map, sizeof(map) - 1);
	return dso_cache_get(c, &jit_key);
}

static uint32_t dump_object(struct fixture *f, struct dso_cache *c)
{
	static const char name[] = "hot_function", code[32] = "";
	const uint64_t numbers[] = { JIT_START, JIT_START, sizeof(code), 1 };
	uint32_t object = dso_cache_get(c, &jit_key);
	struct dump d = { .swap = false };
	struct dso_key key;

	dump_put_header(&d);
	dump_put_record(&d, 0, 40 + sizeof(name) + sizeof(code));
	dump_put(&d, PID, 4);
	dump_put(&d, PID, 4);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		dump_put(&d, numbers[i], 8);
	buf_add(&d.bytes, name, sizeof(name));
	buf_add(&d.bytes, code, sizeof(code));
	fixture_write(f, "jit-77.dump", d.bytes.bytes, d.bytes.size);
	free(d.bytes.bytes);
	key = fixture_key(fixture_path(f, "jit-77.dump"));
	dso_set_jitdump(c, object, &key);
	return object;
}

/* clang-format off */
static const struct source sources[] = {
	{ NAMED_BY_KALLSYMS, NULL, "hot_function", kernel_object, false },
	{ NAMED_BY_SYMTAB, "cp probe made", "local_function", NULL, false },
	{ NAMED_BY_DEBUG_FILE, TAKE_OFF "id=" BUILD_ID " && mkdir -p debug/.build-id/${id%${id#??}} && "
	  "mv apart debug/.build-id/${id%${id#??}}/${id#??}.debug", "local_function", NULL, false },
	{ NAMED_BY_DEBUG_FILE, TAKE_OFF "objcopy --add-gnu-debuglink=apart made", "local_function", NULL, false },
#ifdef HAVE_DEBUGINFOD
	{ NAMED_BY_DEBUGINFOD, TAKE_OFF "id=" BUILD_ID " && mkdir -p served/buildid/$id && "
	  "mv apart served/buildid/$id/debuginfo", "local_function", NULL, true },
#endif
#ifdef HAVE_LZMA
	{ NAMED_BY_MINIDEBUG, TAKE_OFF "objcopy -S -K local_function apart mini && xz mini && "
	  "objcopy --add-section .gnu_debugdata=mini.xz made", "local_function", NULL, false },
#endif
	{ NAMED_BY_DYNSYM, "${CC:-cc} -fPIC -shared -O1 -o made program.c && strip made", "hot_function", NULL, false },
	{ NAMED_BY_PCLNTAB, TAKE_OFF "objcopy --add-section .gopclntab=$abs_srcdir/tests/corpus/pclntab/go1.18-64 made",
	  "main.hot", NULL, false },
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
	{ NAMED_BY_PLT, "strip -o made probe", "read@plt", NULL, false },
#endif
	{ NAMED_BY_CFI, "strip -o made probe", "", NULL, false },
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
	{ NAMED_BY_CALLS, "strip -o made probe && objcopy -R .eh_frame -R .eh_frame_hdr made", "", NULL, false },
#endif
	{ NAMED_BY_PERF_MAP, NULL, "hot_function", map_object, false },
	{ NAMED_BY_JITDUMP, NULL, "hot_function", dump_object, false },
	{ NAMED_BY_KERNEL, NULL, "hot_function", reported_object, false },
};
/* clang-format on */

/* No file tells these: tests/engine/test-inlines and tests/live/test-python have them. */
#define TOLD_ELSEWHERE (1u << NAMED_BY_DEBUG_INFO | 1u << NAMED_BY_PYTHON)
#define NOT_BUILT                                                                    \
	(1u << NAMED_BY_DEBUGINFOD | 1u << NAMED_BY_MINIDEBUG | 1u << NAMED_BY_PLT | \
	 1u << NAMED_BY_CALLS)

/* Several sources tell of functions without a name. */
static struct symbol find(const struct symtab *t, const struct source *s)
{
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		const struct symbol symbol = symtab_at(t, i);

		if (!strcmp(symbol.name, s->function) &&
		    (*s->function || symbol.named_by == s->name))
			return symbol;
	}
	fail_msg("%s: no '%s'", named_by_word(s->name), s->function);
	return (struct symbol){ .name = NULL };
}

/* Waits for what a server has. */
static void complete(struct dso_cache *c, uint32_t object)
{
	struct pollfd fd = { .fd = dso_cache_fd(c), .events = POLLIN };

	while (dso_cache_loaded(c))
		;
	dso_complete(c, object);
	while (dso_cache_loaded(c) != object)
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
}

static void assert_told(struct fixture *f, struct dso_cache *c, const struct source *s)
{
	uint32_t object;
	struct symbol symbol;

	if (s->make) {
		const struct dso_key key = fixture_key(fixture_path(f, "made"));

		object = dso_cache_get(c, &key);
	} else {
		object = s->object(f, c);
	}
	fixture_load(c, object);
	if (s->fetched)
		complete(c, object);
	assert_non_null(dso_symtab(c, object));
	symbol = find(dso_symtab(c, object), s);
	if (symbol.named_by != s->name)
		fail_msg("%s: told is %s", named_by_word(s->name), named_by_word(symbol.named_by));
	/* PLT and bounds complete a file's symbols, and are no source of its own. */
	if (s->name != NAMED_BY_PLT && s->name != NAMED_BY_CFI && s->name != NAMED_BY_CALLS &&
	    !strstr(dso_symbol_source(c, object), named_by_word(s->name)))
		fail_msg("%s: of the object, %s", named_by_word(s->name),
			 dso_symbol_source(c, object));
}

static bool make(struct fixture *f, const char *script)
{
	fixture_write(f, "script", script, strlen(script));
	return fixture_run(f, "sh -e script");
}

static void open_and_assert(struct fixture *f, const struct source *s)
{
	char debug[128], kallsyms[128], proc[128];
	struct dso_cache *c;

	snprintf(debug, sizeof(debug), "%s/debug", f->directory);
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", f->directory);
	snprintf(proc, sizeof(proc), "%s", f->directory);
	c = dso_cache_new(&(struct dso_cache_options){ .synchronous = true,
						       .proc_root = proc,
						       .debug_root = debug,
						       .kallsyms = kallsyms,
						       .modules = "",
						       .complete = s->fetched,
						       .fetch = s->fetched });
	assert_told(f, c, s);
	dso_cache_free(c);
}

UNIT_TEST(each_source_is_told)
{
	uint32_t told = TOLD_ELSEWHERE | 1u << NAMED_BY_NONE;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		struct fixture f;

		told |= 1u << sources[i].name;
		if (!fixture_init(&f))
			skip();
		setenv("DEBUGINFOD_URLS", "", 1);
		if (sources[i].fetched) {
			char urls[128];

			snprintf(urls, sizeof(urls), "file://%s/served", f.directory);
			setenv("DEBUGINFOD_URLS", urls, 1);
			setenv("DEBUGINFOD_CACHE_PATH", fixture_path(&f, "fetched"), 1);
		}
		if (sources[i].make && !make(&f, sources[i].make))
			print_message("not made here: %s\n", named_by_word(sources[i].name));
		else
			open_and_assert(&f, &sources[i]);
		fixture_fini(&f);
	}
	assert_int_equal((told | NOT_BUILT) & ((1u << NAMED_BY_COUNT) - 1),
			 (1u << NAMED_BY_COUNT) - 1);
}

/* A word is what a person and a script read of it. */
UNIT_TEST(each_source_has_a_word_of_its_own)
{
	for (unsigned i = NAMED_BY_NONE + 1; i < NAMED_BY_COUNT; i++) {
		assert_non_null(named_by_word(i));
		for (unsigned other = NAMED_BY_NONE + 1; other < i; other++)
			assert_string_not_equal(named_by_word(i), named_by_word(other));
	}
	assert_null(named_by_word(NAMED_BY_NONE));
	assert_null(named_by_word(NAMED_BY_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_source_is_told),
		cmocka_unit_test(each_source_has_a_word_of_its_own),
	};

	return unit_run(tests);
}
