/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "symbol/demangle.h"

static const struct {
	const char *raw, *name; /* NULL: is not mangled */
} cases[] = {
	{ "main", NULL },
	{ "", NULL },
	{ "_", NULL },
	{ "_start", NULL },
	{ "__libc_start_main", NULL },
	{ "_Z", NULL },
	{ "_D", NULL },
	{ "_R", NULL },
	{ ".text", NULL },
	{ "malloc@plt", NULL },
	{ "_Z3foov", "foo" },
	{ "_ZN4shop5Order5totalEi", "shop::Order::total" },
	{ "_ZN4shop5OrderC1Ev", "shop::Order::Order" },
	{ "_ZN4shop5Order5totalEi@plt", "shop::Order::total@plt" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  "std::vector<int, std::allocator<int> >::push_back" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
	{ "_D3std5stdio7writelnFZv", "std.stdio.writeln()" },
};

UNIT_TEST(names_are_shown_as_they_were_written)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *name = symbol_demangle(cases[i].raw);

		if (cases[i].name) {
			assert_non_null(name);
			assert_string_equal(name, cases[i].name);
		} else {
			assert_null(name);
		}
		free(name);
	}
}

UNIT_TEST(every_cut_of_a_name_is_harmless)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t n = 0; n < strlen(cases[i].raw); n++) {
			char *cut = strndup(cases[i].raw, n);

			free(symbol_demangle(cut));
			free(cut);
		}
}

UNIT_TEST(a_name_that_is_too_long_stays)
{
	char name[5000] = "_Z4990";

	memset(name + 6, 'a', sizeof(name) - 7);
	assert_null(symbol_demangle(name));
}

/* A Rust name whose every part is a pair of the part before: 2^DEPTH of them. */
static char *rust_bomb(unsigned depth)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = calloc(1, 4096);
	size_t part = strlen("INvC1a1b");

	strcpy(name, "_RINvC1a1bTllE");
	for (unsigned i = 0; i < depth; i++) {
		size_t next = strlen(name) - 2, n = part - 1;
		char reference[4] = { n >= 62 ? digits[n / 62] : digits[n], 0 };

		if (n >= 62)
			reference[1] = digits[n % 62];
		sprintf(name + strlen(name), "TB%s_B%s_E", reference, reference);
		part = next;
	}
	strcat(name, "E");
	return name;
}

UNIT_TEST(a_name_that_explodes_stays)
{
	for (unsigned depth = 5; depth < 60; depth += 54) {
		char *bomb = rust_bomb(depth), *name = symbol_demangle(bomb);

		if (depth == 5)
			assert_non_null(name);
		else
			assert_null(name);
		free(name);
		free(bomb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_shown_as_they_were_written),
		cmocka_unit_test(every_cut_of_a_name_is_harmless),
		cmocka_unit_test(a_name_that_is_too_long_stays),
		cmocka_unit_test(a_name_that_explodes_stays),
	};

#ifndef HAVE_IBERTY
	puts("skipped: built without libiberty");
	return UNIT_SKIP;
#endif
	return unit_run(tests);
}
