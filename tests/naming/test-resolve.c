/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of the kernel, whose list of symbols is read again while they are in use. */
#include "unit.h"

#include "naming/resolve.h"

#define KERNEL "ffffffff81000000 T _text\nffffffff81001000 T _etext\n"
#define EARLY "ffffffffc0a01000 t early_function\t[early_module]\n"
#define LATE "ffffffffc0c01000 t late_function\t[late_module]\n"
#define EARLY_LINE "early_module 16384 0 - Live 0xffffffffc0a00000\n"
#define LATE_LINE "late_module 16384 0 - Live 0xffffffffc0c00000\n"

static void write_list(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static uint32_t frame_at(struct resolver *r, uint64_t ip)
{
	const struct address a = { .mode = CPUMODE_KERNEL, .ip = ip };
	struct place later;

	return resolver_inner(r, resolver_find(r, &a, &later));
}

/* The names of modules are those of the list that was read then; frames outlive it. */
UNIT_TEST(a_frame_keeps_the_name_of_its_module)
{
	char kallsyms[64], modules[64];
	struct dso_cache *objects;
	struct frame_table *frames;
	struct resolver *r;
	uint32_t early, late;

	snprintf(kallsyms, sizeof(kallsyms), "test-resolve-%d-kallsyms", (int)getpid());
	snprintf(modules, sizeof(modules), "test-resolve-%d-modules", (int)getpid());
	write_list(kallsyms, KERNEL EARLY);
	write_list(modules, EARLY_LINE);
	objects = dso_cache_new(&(struct dso_cache_options){
		.kallsyms = kallsyms, .modules = modules, .synchronous = true });
	frames = frame_table_new(NULL, 0);
	r = resolver_new(&(struct resolver_options){ .objects = objects, .frames = frames });
	early = frame_at(r, 0xffffffffc0a01010);
	assert_string_equal(frame_object_name(frames, early), "[early_module]");
	write_list(kallsyms, KERNEL EARLY LATE);
	write_list(modules, LATE_LINE EARLY_LINE);
	late = frame_at(r, 0xffffffffc0c01010);
	assert_string_equal(frame_symbol(frames, late), "late_function");
	assert_string_equal(frame_object_name(frames, late), "[late_module]");
	assert_string_equal(frame_object_name(frames, early), "[early_module]");
	assert_ptr_equal(frame_object_path(frames, early), dso_text(objects, "[early_module]"));
	resolver_free(r);
	frame_table_free(frames);
	dso_cache_free(objects);
	unlink(kallsyms);
	unlink(modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_keeps_the_name_of_its_module),
	};

	return unit_run(tests);
}
