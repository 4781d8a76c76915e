/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screens in other languages, two of which have wide characters: columns stay where they are. */
#include "unit.h"

#include <libintl.h>
#include <locale.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "profile/sample-snapshot.h"
#include "view/explain.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/view.h"
#include "view/widget/page.h"

static const char *const languages[] = { "es", "ja", "zh_CN" };

#define EACH(i)                                       \
	size_t i = 0;                                 \
	i < sizeof(languages) / sizeof(languages[0]); \
	i++

/* A folder of catalogues as they are installed, made of those in po/ as they are now. */
static char *catalogues_make(void)
{
	const char *source = getenv("abs_srcdir");
	char *where = mem_strdup("/tmp/ptop-languages-XXXXXX");

	assert_non_null(mkdtemp(where));
	for (EACH(i)) {
		char *folder = mem_printf("%s/%s", where, languages[i]);
		char *messages = mem_printf("%s/LC_MESSAGES", folder);
		char *make = mem_printf("msgfmt -o '%s/ptop.mo' '%s/po/%s.po'", messages,
					source ? source : ".", languages[i]);

		assert_int_equal(mkdir(folder, 0700), 0);
		assert_int_equal(mkdir(messages, 0700), 0);
		assert_int_equal(system(make), 0);
		mem_free(folder, messages, make);
	}
	return where;
}

static void catalogues_remove(char *where)
{
	for (EACH(i)) {
		char *folder = mem_printf("%s/%s", where, languages[i]);
		char *messages = mem_printf("%s/LC_MESSAGES", folder);
		char *path = mem_printf("%s/ptop.mo", messages);

		assert_int_equal(unlink(path), 0);
		assert_int_equal(rmdir(messages), 0);
		assert_int_equal(rmdir(folder), 0);
		mem_free(folder, messages, path);
	}
	assert_int_equal(rmdir(where), 0);
	free(where);
}

static void check(struct grid *g, const char *screen, const char *language)
{
	char *name = mem_printf("%s-%s-80x24", screen, language);

	golden_check(g, name);
	free(name);
	grid_free(g);
}

static void check_processes(const char *language)
{
	const struct view_options options = { .full_command = true };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);
	struct grid *g = grid_new(24, 80);

	assert_non_null(v);
	view_set_snapshot(v, sample_snapshot(false));
	view_draw(v, g);
	check(g, "language", language);
	view_free(v);
}

static void check_explanations(const char *language)
{
	struct snapshot *s = sample_snapshot(false);
	struct page *p = page_new("ptop", "");
	struct grid *g = grid_new(24, 80);

	explain_columns(p, s);
	page_draw(p, g);
	check(g, "language-columns", language);
	page_free(p);
	snapshot_free(s);
}

UNIT_TEST(test_screens)
{
	char *where = catalogues_make();

	assert_non_null(bindtextdomain("ptop", where));
	for (EACH(i)) {
		setenv("LANGUAGE", languages[i], 1);
		assert_non_null(textdomain("ptop")); /* what was looked up is forgotten */
		if (!*gettext("")) {
			catalogues_remove(where);
			puts("the C library translates nothing in this locale");
			skip();
		}
		check_processes(languages[i]);
		check_explanations(languages[i]);
	}
	catalogues_remove(where);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),
	};

	if (!golden_locale() || !setlocale(LC_MESSAGES, setlocale(LC_CTYPE, NULL))) {
		puts("no UTF-8 locale");
		return UNIT_SKIP;
	}
#ifndef ENABLE_NLS
	puts("built without translations");
	return UNIT_SKIP;
#endif
	if (system("msgfmt --version >/dev/null 2>&1") != 0) {
		puts("no msgfmt");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
