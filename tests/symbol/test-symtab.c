/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "symbol/names.h"
#include "symbol/symtab.h"

#define TEXT SIZE_MAX /* up to the NUL */

struct row {
	uint64_t start, size;
	const char *name;
	unsigned rank;
};

static void add(struct symtab_builder *b, struct row row)
{
	symtab_builder_add(b, &(struct symtab_entry){ .start = row.start,
						      .size = row.size,
						      .name = row.name,
						      .name_size = TEXT,
						      .rank = row.rank });
}

static struct symtab *table_of(const struct row *rows, size_t count)
{
	struct symtab_builder *b = symtab_builder_new();

	for (size_t i = 0; i < count; i++)
		add(b, rows[i]);
	return symtab_builder_finish(b);
}

#define TABLE(...)                              \
	table_of((struct row[]){ __VA_ARGS__ }, \
		 sizeof((struct row[]){ __VA_ARGS__ }) / sizeof(struct row))

static const char *find(const struct symtab *t, uint64_t address)
{
	uint32_t number = symtab_find(t, address);

	return number == SYMBOL_NONE ? "-" : symtab_at(t, number).name;
}

UNIT_TEST(an_empty_table_finds_nothing)
{
	struct symtab *t = symtab_builder_finish(symtab_builder_new());
	uint64_t address;

	assert_int_equal(symtab_count(t), 0);
	assert_int_equal(symtab_find(t, 0), SYMBOL_NONE);
	assert_int_equal(symtab_find(t, UINT64_MAX), SYMBOL_NONE);
	assert_false(symtab_address_of_offset(t, 0, &address));
	symtab_free(t);
	symtab_free(NULL);
}

UNIT_TEST(the_bounds_of_a_symbol_are_exact)
{
	struct symtab *t = TABLE({ 0x2000, 0x20, "b", 0 }, { 0x1000, 0x10, "a", 0 });

	assert_string_equal(find(t, 0), "-");
	assert_string_equal(find(t, 0xfff), "-");
	assert_string_equal(find(t, 0x1000), "a");
	assert_string_equal(find(t, 0x100f), "a");
	assert_string_equal(find(t, 0x1010), "-");
	assert_string_equal(find(t, 0x1fff), "-");
	assert_string_equal(find(t, 0x2000), "b");
	assert_string_equal(find(t, 0x201f), "b");
	assert_string_equal(find(t, 0x2020), "-");
	assert_int_equal(symtab_at(t, 0).start, 0x1000);
	assert_int_equal(symtab_at(t, 0).end, 0x1010);
	symtab_free(t);
}

UNIT_TEST(every_count_of_symbols_is_searched_right)
{
	for (uint64_t count = 1; count < 70; count++) {
		struct symtab_builder *b = symtab_builder_new();
		struct symtab *t;

		for (uint64_t i = 0; i < count; i++)
			add(b, (struct row){ i * 16, 8, "f", 0 });
		t = symtab_builder_finish(b);
		for (uint64_t address = 0; address < count * 16 + 8; address++)
			assert_int_equal(symtab_find(t, address),
					 address % 16 < 8 && address / 16 < count ? address / 16
										  : SYMBOL_NONE);
		symtab_free(t);
	}
}

UNIT_TEST(aliases_are_chosen_as_perf_does)
{
	static const struct {
		struct row rows[3];
		const char *chosen;
	} cases[] = {
		{ { { 16, 4, "longer_name", 1 }, { 16, 4, "global", 0 } }, "global" },
		{ { { 16, 4, "__x", 0 }, { 16, 4, "_longest_of_all", 0 }, { 16, 4, "x", 0 } },
		  "x" },
		{ { { 16, 4, "short", 0 }, { 16, 4, "longest", 0 } }, "longest" },
		{ { { 16, 4, "first", 0 }, { 16, 4, "later", 0 } }, "first" },
		{ { { 16, 0, "global_without_size", 0 }, { 16, 4, "sized", 3 } }, "sized" },
		{ { { 16, 0, "unsized_first", 0 }, { 16, 0, "last", 3 } }, "last" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct symtab *t = table_of(cases[i].rows, cases[i].rows[2].name ? 3 : 2);

		assert_int_equal(symtab_count(t), 1);
		assert_string_equal(find(t, 16), cases[i].chosen);
		symtab_free(t);
	}
}

static void add_from(struct symtab_builder *b, enum named_by source, struct row row)
{
	symtab_builder_set_source(b, source);
	add(b, row);
}

UNIT_TEST(each_symbol_tells_its_source)
{
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;

	add_from(b, NAMED_BY_DYNSYM, (struct row){ 0x100, 0x10, "kept", 0 });
	add_from(b, NAMED_BY_DYNSYM, (struct row){ 0x200, 0, "unsized", 0 });
	add_from(b, NAMED_BY_PLT, (struct row){ 0x200, 0x10, "sized", 0 });
	add_from(b, NAMED_BY_CFI, (struct row){ 0x100, 0x10, "", 0 });
	add_from(b, NAMED_BY_CFI, (struct row){ 0x300, 0x10, "", 0 });
	t = symtab_builder_finish(b);
	assert_int_equal(symtab_count(t), 3);
	assert_int_equal(symtab_at(t, 0).named_by, NAMED_BY_DYNSYM);
	assert_int_equal(symtab_at(t, 1).named_by, NAMED_BY_PLT);
	assert_int_equal(symtab_at(t, 2).named_by, NAMED_BY_CFI);
	symtab_free(t);
}

static struct symtab *table_from(enum named_by first, enum named_by second)
{
	struct symtab_builder *b = symtab_builder_new();

	add_from(b, first, (struct row){ 0x100, 0x10, "a", 0 });
	add_from(b, second, (struct row){ 0x200, 0x10, "b", 0 });
	return symtab_builder_finish(b);
}

UNIT_TEST(a_second_source_costs_a_byte_for_each_symbol)
{
	struct symtab *one = table_from(NAMED_BY_SYMTAB, NAMED_BY_SYMTAB);
	struct symtab *two = table_from(NAMED_BY_SYMTAB, NAMED_BY_PLT);

	assert_int_equal(symtab_bytes(two), symtab_bytes(one) + 2);
	assert_int_equal(symtab_at(one, 1).named_by, NAMED_BY_SYMTAB);
	assert_int_equal(symtab_at(two, 1).named_by, NAMED_BY_PLT);
	symtab_free(one);
	symtab_free(two);
}

UNIT_TEST(a_growing_table_tells_its_source)
{
	struct symtab_builder *b = symtab_builder_new_growing();
	struct symtab *t;

	add_from(b, NAMED_BY_JITDUMP, (struct row){ 0x200, 0x10, "late", 0 });
	add_from(b, NAMED_BY_PERF_MAP, (struct row){ 0x100, 0x10, "early", 0 });
	t = symtab_builder_make(b);
	assert_int_equal(symtab_at(t, symtab_find(t, 0x200)).named_by, NAMED_BY_JITDUMP);
	assert_int_equal(symtab_at(t, symtab_find(t, 0x100)).named_by, NAMED_BY_PERF_MAP);
	symtab_free(t);
	symtab_builder_free(b);
}

/* Call frame information knows functions that no symbol names. */
UNIT_TEST(a_function_without_a_name_gives_way)
{
	struct symtab *t =
		TABLE({ 0x100, 0x100, "", 0 }, { 0x100, 0, "unsized", 9 },
		      { 0x200, 0x100, "outer", 0 }, { 0x240, 0x40, "", 0 }, { 0x300, 0x100, "", 0 },
		      { 0x320, 0x10, "entry@plt", 0 }, { 0x400, 0x100, "", 0 });

	assert_int_equal(symtab_count(t), 5);
	assert_string_equal(find(t, 0x100), "unsized");
	assert_string_equal(find(t, 0x1ff), "unsized");
	assert_string_equal(find(t, 0x240), "outer");
	assert_string_equal(find(t, 0x310), "");
	assert_string_equal(find(t, 0x320), "entry@plt");
	assert_string_equal(find(t, 0x330), "");
	assert_int_equal(symtab_at(t, symtab_find(t, 0x3ff)).start, 0x300);
	assert_int_equal(symtab_at(t, symtab_find(t, 0x400)).end, 0x500);
	assert_string_equal(find(t, 0x500), "-");
	symtab_free(t);
}

/* Half of the names go; the functions without one still share theirs. */
UNIT_TEST(functions_without_names_cost_16_bytes)
{
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;
	size_t bytes;

	for (uint64_t i = 0; i < 10000; i++) {
		symtab_builder_add(
			b, &(struct symtab_entry){ .start = i * 16, .size = 16, .name = "" });
		if (i < 100)
			symtab_builder_add(b, &(struct symtab_entry){ .start = i * 16,
								      .size = 16,
								      .name = "named",
								      .name_size = TEXT });
	}
	t = symtab_builder_finish(b);
	bytes = symtab_bytes(t);
	assert_int_equal(symtab_count(t), 10000);
	assert_string_equal(find(t, 99 * 16), "named");
	assert_string_equal(find(t, 100 * 16), "");
	assert_true(bytes < 10000 * 16 + 100 * sizeof("named") + 4096);
	symtab_free(t);
}

UNIT_TEST(a_symbol_without_size_reaches_the_next)
{
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;

	symtab_builder_add(
		b, &(struct symtab_entry){ .start = 0x1000, .name = "to_next", .name_size = TEXT });
	symtab_builder_add(b, &(struct symtab_entry){ .start = 0x1100,
						      .name = "to_limit",
						      .name_size = TEXT,
						      .limit = 0x1180 });
	symtab_builder_add(b, &(struct symtab_entry){ .start = 0x1200,
						      .name = "to_page",
						      .name_size = TEXT,
						      .module = "[m]" });
	t = symtab_builder_finish(b);
	assert_string_equal(find(t, 0x10ff), "to_next");
	assert_string_equal(find(t, 0x1100), "to_limit");
	assert_string_equal(find(t, 0x117f), "to_limit");
	assert_string_equal(find(t, 0x1180), "-");
	assert_string_equal(find(t, 0x2fff), "to_page");
	assert_string_equal(find(t, 0x3000), "-");
	assert_string_equal(symtab_at(t, 2).module, "[m]");
	assert_null(symtab_at(t, 0).module);
	symtab_free(t);
}

UNIT_TEST(the_gap_between_modules_is_nobodys)
{
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;

	symtab_builder_add(b, &(struct symtab_entry){
				      .start = 0x100010, .name = "kernel", .name_size = TEXT });
	symtab_builder_add(b, &(struct symtab_entry){ .start = 0x900000,
						      .name = "module",
						      .name_size = TEXT,
						      .module = "[m]" });
	t = symtab_builder_finish(b);
	assert_string_equal(find(t, 0x101fff), "kernel");
	assert_string_equal(find(t, 0x102000), "-");
	assert_string_equal(find(t, 0x8fffff), "-");
	assert_string_equal(find(t, 0x900000), "module");
	symtab_free(t);
}

UNIT_TEST(of_nested_symbols_the_innermost_is_found)
{
	struct symtab *t = TABLE({ 0x100, 0x100, "outer", 0 }, { 0x120, 0x40, "middle", 0 },
				 { 0x130, 0x10, "inner", 0 }, { 0x180, 0x100, "across", 0 });

	assert_string_equal(find(t, 0x11f), "outer");
	assert_string_equal(find(t, 0x120), "middle");
	assert_string_equal(find(t, 0x13f), "inner");
	assert_string_equal(find(t, 0x140), "middle");
	assert_string_equal(find(t, 0x160), "outer");
	assert_string_equal(find(t, 0x1ff), "across");
	assert_string_equal(find(t, 0x27f), "across");
	assert_string_equal(find(t, 0x280), "-");
	symtab_free(t);
}

UNIT_TEST(deep_nesting_ends)
{
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;

	for (uint64_t i = 0; i < 100000; i++)
		add(b, (struct row){ i, 200001 - 2 * i, "nested", 0 });
	t = symtab_builder_finish(b);
	assert_string_equal(find(t, 99999), "nested");
	assert_string_equal(find(t, 200000), "-");
	symtab_free(t);
}

UNIT_TEST(the_ends_of_the_address_space_hold)
{
	struct symtab *t = TABLE({ 0, 1, "zero", 0 }, { UINT64_MAX - 1, UINT64_MAX, "last", 0 });

	assert_string_equal(find(t, 0), "zero");
	assert_string_equal(find(t, UINT64_MAX - 1), "last");
	assert_true(symtab_at(t, 1).end > symtab_at(t, 1).start);
	symtab_free(t);
}

UNIT_TEST(long_names_are_cut)
{
	char *name = malloc(100000);
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;

	memset(name, 'n', 100000);
	symtab_builder_add(b, &(struct symtab_entry){
				      .start = 1, .size = 1, .name = name, .name_size = 100000 });
	symtab_builder_add(
		b, &(struct symtab_entry){ .start = 2, .size = 1, .name = name, .name_size = 3 });
	t = symtab_builder_finish(b);
	assert_int_equal(strlen(symtab_at(t, 0).name), NAMES_TEXT_MAX);
	assert_string_equal(symtab_at(t, 1).name, "nnn");
	symtab_free(t);
	free(name);
}

UNIT_TEST(what_exceeds_the_bound_is_counted)
{
	char name[NAMES_TEXT_MAX];
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;

	memset(name, 'n', sizeof(name));
	for (uint64_t i = 0; i < 20000; i++)
		symtab_builder_add(b, &(struct symtab_entry){ .start = i,
							      .size = 1,
							      .name = name,
							      .name_size = sizeof(name) - 1 });
	t = symtab_builder_finish(b);
	assert_true(symtab_bytes(t) < NAMES_BYTES_MAX + (1 << 20));
	assert_int_equal(symtab_count(t) + symtab_dropped(t), 20000);
	assert_true(symtab_dropped(t) > 0);
	symtab_free(t);
}

UNIT_TEST(a_symbol_costs_little_more_than_its_name)
{
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;

	for (uint64_t i = 0; i < 10000; i++) {
		add(b, (struct row){ i * 16, 16, "0123456", 0 });
		add(b, (struct row){ i * 16, 16, "dropped_alias_of_it", 1 });
	}
	t = symtab_builder_finish(b);
	assert_true(symtab_bytes(t) <= 10000 * (24 + 8));
	symtab_free(t);
}

UNIT_TEST(offsets_become_addresses)
{
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;
	uint64_t address;

	symtab_builder_segment(b, 0x1000, 0x800, 0x401000);
	symtab_builder_segment(b, 0, 0x1200, 0x10000);
	t = symtab_builder_finish(b);
	assert_true(symtab_address_of_offset(t, 0x1000, &address));
	assert_int_equal(address, 0x401000);
	assert_true(symtab_address_of_offset(t, 0x17ff, &address));
	assert_int_equal(address, 0x4017ff);
	assert_true(symtab_address_of_offset(t, 0xfff, &address));
	assert_int_equal(address, 0x10fff);
	assert_false(symtab_address_of_offset(t, 0x1800, &address));
	assert_false(symtab_address_of_offset(t, UINT64_MAX, &address));
	symtab_free(t);
}

UNIT_TEST(numbers_of_a_growing_table_stay)
{
	struct symtab_builder *b = symtab_builder_new_growing();
	struct symtab *before, *after;
	const char *name;

	add(b, (struct row){ 0x200, 0x10, "two", 0 });
	add(b, (struct row){ 0x100, 0x10, "one", 0 });
	before = symtab_builder_make(b);
	assert_int_equal(symtab_find(before, 0x200), 0);
	assert_int_equal(symtab_find(before, 0x100), 1);
	name = symtab_at(before, 0).name;

	add(b, (struct row){ 0x080, 0x10, "zero", 0 });
	add(b, (struct row){ 0x200, 0x08, "two_again", 0 });
	after = symtab_builder_make(b);
	symtab_free(before);
	assert_int_equal(symtab_count(after), 4);
	assert_int_equal(symtab_find(after, 0x100), 1);
	assert_string_equal(find(after, 0x200), "two_again");
	assert_string_equal(symtab_at(after, 0).name, "two");
	assert_int_equal(symtab_at(after, 0).end, 0);
	assert_ptr_equal(symtab_at(after, 0).name, name);
	symtab_free(after);
	symtab_builder_free(b);
}

UNIT_TEST(what_is_retired_comes_back_with_its_number)
{
	struct symtab_builder *b = symtab_builder_new_growing();
	struct symtab *t;

	add(b, (struct row){ 0x100, 0x10, "one", 0 });
	add(b, (struct row){ 0x200, 0x10, "two", 0 });
	symtab_builder_retire(b);
	t = symtab_builder_make(b);
	assert_string_equal(find(t, 0x100), "-");
	assert_string_equal(symtab_at(t, 1).name, "two");
	symtab_free(t);

	add(b, (struct row){ 0x200, 0x10, "two", 0 });
	add(b, (struct row){ 0x300, 0x10, "three", 0 });
	t = symtab_builder_make(b);
	assert_int_equal(symtab_find(t, 0x208), 1);
	assert_int_equal(symtab_find(t, 0x308), 2);
	assert_string_equal(find(t, 0x100), "-");
	symtab_free(t);
	symtab_builder_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_table_finds_nothing),
		cmocka_unit_test(the_bounds_of_a_symbol_are_exact),
		cmocka_unit_test(every_count_of_symbols_is_searched_right),
		cmocka_unit_test(aliases_are_chosen_as_perf_does),
		cmocka_unit_test(each_symbol_tells_its_source),
		cmocka_unit_test(a_second_source_costs_a_byte_for_each_symbol),
		cmocka_unit_test(a_growing_table_tells_its_source),
		cmocka_unit_test(a_function_without_a_name_gives_way),
		cmocka_unit_test(functions_without_names_cost_16_bytes),
		cmocka_unit_test(a_symbol_without_size_reaches_the_next),
		cmocka_unit_test(the_gap_between_modules_is_nobodys),
		cmocka_unit_test(of_nested_symbols_the_innermost_is_found),
		cmocka_unit_test(deep_nesting_ends),
		cmocka_unit_test(the_ends_of_the_address_space_hold),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(what_exceeds_the_bound_is_counted),
		cmocka_unit_test(a_symbol_costs_little_more_than_its_name),
		cmocka_unit_test(offsets_become_addresses),
		cmocka_unit_test(numbers_of_a_growing_table_stay),
		cmocka_unit_test(what_is_retired_comes_back_with_its_number),
	};

	return unit_run(tests);
}
