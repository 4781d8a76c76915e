/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <locale.h>
#include <time.h>

#include "base/alloc.h"
#include "view/golden.h"

static char *golden_path(const char *name)
{
	const char *top = getenv("abs_srcdir");

	return mem_printf("%s/tests/view/golden/%s.txt", top ? top : ".", name);
}

static void golden_write(const char *path, const struct buf *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text->bytes, 1, text->size, f), text->size);
	assert_int_equal(fclose(f), 0);
}

static void golden_read(const char *path, struct buf *text)
{
	FILE *f = fopen(path, "r");
	char part[4096];
	size_t size;

	buf_add_str(text, "");
	if (!f)
		return;
	while ((size = fread(part, 1, sizeof(part), f)))
		buf_add(text, part, size);
	fclose(f);
}

void golden_check_text(const struct buf *is, const char *name)
{
	struct buf should = { 0 };
	char *path = golden_path(name);

	if (getenv("GENERATE")) {
		golden_write(path, is);
	} else {
		golden_read(path, &should);
		if (is->size != should.size || memcmp(is->bytes, should.bytes, is->size)) {
			fprintf(stderr, "%s should be\n%s\nbut is\n%s", path, should.bytes,
				is->bytes); /* cmocka would cut it */
			fail();
		}
	}
	buf_fini(&should);
	free(path);
}

void golden_check(const struct grid *g, const char *name)
{
	struct buf is = { 0 };

	grid_dump(g, &is);
	golden_check_text(&is, name);
	buf_fini(&is);
}

bool golden_locale(void)
{
	static const char *const locales[] = { "C.UTF-8", "C.utf8", "en_US.UTF-8" };

	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]); i++) {
		if (setlocale(LC_CTYPE, locales[i]))
			return true;
	}
	return false;
}
