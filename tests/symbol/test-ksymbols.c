/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "symbol/dso.h"
#include "symbol/ksymbols.h"

#define BASE 0xffffffffc0000000u

static const char *name_at(const struct dso_cache *c, uint32_t dso, uint64_t address)
{
	const struct symtab *t = dso_symtab(c, dso);
	uint32_t number = symtab_find(t, address);

	return number == SYMBOL_NONE ? "-" : symtab_at(t, number).name;
}

static uint32_t id_at(const struct dso_cache *c, uint32_t dso, uint64_t address)
{
	return dso_symbol_id(c, dso, symtab_find(dso_symtab(c, dso), address));
}

static void tell(struct dso_cache *c, uint64_t address, uint64_t size, const char *name)
{
	dso_kernel_symbol(c, &(struct dso_kernel_symbol){ address, size, name, !size });
}

static struct dso_cache *cache_new(void)
{
	return dso_cache_new(&(struct dso_cache_options){ .synchronous = true, .kallsyms = "" });
}

UNIT_TEST(what_the_kernel_makes_has_names)
{
	struct dso_cache *c = cache_new();
	uint32_t dso, first;

	assert_int_equal(dso_kernel_symbol_at(c, BASE), 0);
	tell(c, BASE, 0x100, "bpf_prog_1_first");
	tell(c, BASE + 0x200, 0x100, "bpf_prog_2_second");
	dso = dso_kernel_symbol_at(c, BASE + 0xff);
	assert_int_not_equal(dso, 0);
	assert_int_equal(dso_kind(c, dso), DSO_BPF);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_string_equal(dso_name(c, dso), "[bpf]");
	assert_string_equal(name_at(c, dso, BASE + 0xff), "bpf_prog_1_first");
	assert_int_equal(dso_kernel_symbol_at(c, BASE + 0x100), 0);
	first = id_at(c, dso, BASE);

	tell(c, BASE, 0, "bpf_prog_1_first"); /* unloaded */
	assert_int_equal(dso_kernel_symbol_at(c, BASE), 0);
	tell(c, BASE + 0x80, 0x100, "bpf_prog_3_third");
	assert_int_equal(dso_kernel_symbol_at(c, BASE + 0x17f), dso);
	assert_string_equal(name_at(c, dso, BASE + 0x80), "bpf_prog_3_third");
	assert_int_equal(dso_kernel_symbol_at(c, BASE + 0x2ff), dso);
	tell(c, BASE, 0x80, "bpf_prog_4_fourth");
	assert_int_equal(dso_kernel_symbol_at(c, BASE), dso);
	assert_int_not_equal(id_at(c, dso, BASE), first);
	dso_cache_free(c);
}

/* The same program at the same place again is the same symbol, and can go again. */
UNIT_TEST(a_program_may_come_back)
{
	struct dso_cache *c = cache_new();
	uint32_t dso = 0, id = 0;

	for (int i = 0; i < 3; i++) {
		tell(c, BASE, 0x100, "bpf_prog_1_first");
		dso = dso_kernel_symbol_at(c, BASE);
		assert_int_not_equal(dso, 0);
		id = i ? id : id_at(c, dso, BASE);
		assert_int_equal(id_at(c, dso, BASE), id);
		tell(c, BASE, 0, "bpf_prog_1_first");
		assert_int_equal(dso_kernel_symbol_at(c, BASE), 0);
	}
	dso_cache_free(c);
}

/* However many come and go, those that are there keep their names, and no id means two of them. */
UNIT_TEST(many_come_and_go)
{
	struct dso_cache *c = cache_new();
	uint32_t dso, before;
	char name[64];

	tell(c, BASE, 0x10, "bpf_prog_0_stays");
	dso = dso_kernel_symbol_at(c, BASE);
	before = id_at(c, dso, BASE);
	for (unsigned i = 0; i < 2 * KSYMBOLS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "bpf_prog_%u_goes", i);
		tell(c, BASE + 0x1000, 0x10, name);
	}
	assert_int_equal(dso_kernel_symbol_at(c, BASE), dso);
	assert_string_equal(name_at(c, dso, BASE), "bpf_prog_0_stays");
	assert_string_equal(name_at(c, dso, BASE + 0x1000), name);
	assert_int_not_equal(id_at(c, dso, BASE), before); /* all was numbered anew */
	assert_int_not_equal(id_at(c, dso, BASE + 0x1000), before);
	assert_true(symtab_count(dso_symtab(c, dso)) <= 2 * KSYMBOLS_MAX);
	dso_cache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernel_makes_has_names),
		cmocka_unit_test(a_program_may_come_back),
		cmocka_unit_test(many_come_and_go),
	};

	return unit_run(tests);
}
