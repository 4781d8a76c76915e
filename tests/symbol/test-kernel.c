/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <sys/utsname.h>

#include "symbol/kernel.h"

/* A recording's kernel is taken for the running one or not; here both are files. */
static const uint8_t id[] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
};

struct files {
	char kallsyms[64], notes[64];
};

static void write_file(char path[64], const void *bytes, size_t size)
{
	int fd;

	strcpy(path, "/tmp/ptop-test-kernel-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void files_init(struct files *f, const char *symbols)
{
	const uint32_t other[] = { 4, 4, 1, 0x554e47, 7 }, head[] = { 4, sizeof(id), 3, 0x554e47 };
	unsigned char notes[sizeof(other) + sizeof(head) + sizeof(id)];

	memcpy(notes, other, sizeof(other));
	memcpy(notes + sizeof(other), head, sizeof(head));
	memcpy(notes + sizeof(other) + sizeof(head), id, sizeof(id));
	write_file(f->notes, notes, sizeof(notes));
	write_file(f->kallsyms, symbols, strlen(symbols));
}

static void files_fini(const struct files *f)
{
	unlink(f->notes);
	unlink(f->kallsyms);
}

#define SYMBOLS "0000000000000000 A zero\nffffffff81000000 T _text\nffffffff81000040 t other\n"

static struct kernel_identity by_build_id(void)
{
	return (struct kernel_identity){ .build_id = build_id_of(id, sizeof(id)),
					 .release = "",
					 .hostname = "",
					 .reference = "_text",
					 .reference_address = 0xffffffff81000000 };
}

static bool runs_moved(const struct kernel_identity *k, const char *symbols, uint64_t *moved)
{
	struct files f;
	bool result;

	files_init(&f, symbols);
	result = kernel_is_running(k, f.kallsyms, f.notes, moved);
	files_fini(&f);
	return result;
}

static bool runs(const struct kernel_identity *k, const char *symbols)
{
	uint64_t moved = 0;

	return runs_moved(k, symbols, &moved) && !moved;
}

UNIT_TEST(the_same_build_is_it)
{
	struct kernel_identity k = by_build_id();
	uint64_t moved;

	assert_true(runs(&k, SYMBOLS));
	k.reference_address += 0x200000; /* another boot */
	assert_true(runs_moved(&k, SYMBOLS, &moved));
	assert_int_equal(moved, -0x200000);
	k.reference_address -= 0x300000;
	assert_true(runs_moved(&k, SYMBOLS, &moved));
	assert_int_equal(moved, 0x100000);
}

UNIT_TEST(another_build_is_not)
{
	uint8_t another[sizeof(id)] = { 1 };
	struct kernel_identity k = by_build_id();

	k.build_id = build_id_of(another, sizeof(another));
	assert_false(runs(&k, SYMBOLS));
	k.build_id = build_id_of(id, 16);
	assert_false(runs(&k, SYMBOLS));
}

UNIT_TEST(without_a_build_id_the_names_decide)
{
	struct kernel_identity k = by_build_id();
	struct utsname here;
	uint64_t moved;

	uname(&here);
	k.build_id.size = 0;
	assert_false(runs(&k, SYMBOLS));
	k.release = here.release;
	k.hostname = here.nodename;
	assert_true(runs(&k, SYMBOLS));
	k.reference_address += 0x200000; /* then it must not have moved */
	assert_false(runs_moved(&k, SYMBOLS, &moved));
	k.reference_address -= 0x200000;
	k.hostname = "another.host.example";
	assert_false(runs(&k, SYMBOLS));
}

UNIT_TEST(what_is_not_known_is_not_it)
{
	struct kernel_identity k = by_build_id();
	uint64_t moved;

	assert_false(runs(&k, "0000000000000000 T _text\n")); /* hidden */
	assert_false(runs(&k, ""));
	assert_false(runs(&k, "ffffffff81000000 T _text")); /* no whole line */
	assert_false(kernel_is_running(&k, "/nonexistent", "/nonexistent", &moved));
	k.reference = "";
	assert_false(runs(&k, SYMBOLS));
}

static uint64_t mark_of(const char *modules)
{
	uint64_t mark;
	char path[64];

	write_file(path, modules, strlen(modules));
	mark = kernel_modules_mark(path);
	unlink(path);
	return mark;
}

UNIT_TEST(other_modules_have_another_mark)
{
	static const char *const others[] = {
		"",
		"a 4096 0 - Live 0xffffffffc0000000\n",
		"a 4096 0 - Live 0xffffffffc0000000\nb 4096 1 a, Loading 0xffffffffc0002000 (OE)\n",
		"a 4096 0 - Live 0xffffffffc0000000\nb 4096 1 a, Live 0xffffffffc0004000 (OE)\n",
		"not a line of modules\n",
	};
	uint64_t mark = mark_of("a 4096 0 - Live 0xffffffffc0000000\n"
				"b 4096 1 a, Live 0xffffffffc0002000 (OE)\n");

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_not_equal(mark_of(others[i]), mark);
	assert_int_equal(mark_of("a 4096 7 c,d, Live 0xffffffffc0000000\n" /* its users */
				 "b 4096 0 - Live 0xffffffffc0002000 (OE)\n"),
			 mark);
	assert_int_equal(mark_of(""), 0);
	assert_int_equal(kernel_modules_mark("/nonexistent/modules"), 0);
}

static bool file_is(const char *list, const char *name, const char *file)
{
	char path[64], found[32];
	bool is;

	write_file(path, list, strlen(list));
	is = kernel_module_file(path, name, found, sizeof(found));
	unlink(path);
	return file ? is && !strcmp(found, file) : !is;
}

UNIT_TEST(a_module_is_a_file_that_depmod_lists)
{
	static const char list[] = "kernel/fs/ext4/ext4.ko: kernel/lib/crc16.ko kernel/fs/jbd2.ko\n"
				   "updates/dkms/snd-hda_x.ko.xz:\n"
				   "kernel/fs/ext4/not-ext4.ko:\n"
				   "top.ko.zst: kernel/lib/crc16.ko\n"
				   "kernel/a/path/that/is/too/long/crc32.ko:\n"
				   "damaged\n/\nkernel/fs/cut.k\n";

	assert_true(file_is(list, "ext4", "kernel/fs/ext4/ext4.ko"));
	assert_true(file_is(list, "snd_hda_x", "updates/dkms/snd-hda_x.ko"));
	assert_true(file_is(list, "not_ext4", "kernel/fs/ext4/not-ext4.ko"));
	assert_true(file_is(list, "top", "top.ko"));
	assert_true(file_is(list, "crc16", NULL)); /* needed, and not a file of this list */
	assert_true(file_is(list, "crc32", NULL));
	assert_true(file_is(list, "cut", NULL));
	assert_true(file_is(list, "", NULL));
	assert_true(file_is("", "ext4", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_build_is_it),
		cmocka_unit_test(another_build_is_not),
		cmocka_unit_test(without_a_build_id_the_names_decide),
		cmocka_unit_test(what_is_not_known_is_not_it),
		cmocka_unit_test(other_modules_have_another_mark),
		cmocka_unit_test(a_module_is_a_file_that_depmod_lists),
	};

	return unit_run(tests);
}
