/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of a kernel's module, whose file is relocatable and whose sections are where a tree like /sys/module says.  The
 * oracle is addr2line, of the same file linked at these addresses.
 */
#include "unit.h"
#include "fixture.h"

#include <fcntl.h>

#include "app/jobs.h"
#include "symbol/kernel.h"
#include "symbol/kmodule.h"
#include "symbol/lines.h"
#include "symbol/object.h"
#include "worker/zygote.h"

#define MODULE "[probe_module]"
#define RELEASE "9.9-test"
#define ADDRESSES_MAX 4096

/* Its workers read the files; NULL: this process does. */
static struct zygote *zygote;

static const char header_text[] = "static inline __attribute__((always_inline)) int mixed(int x)\n"
				  "{\n"
				  "	if (x & 1)\n"
				  "		x ^= sink;\n"
				  "	return x * 7;\n"
				  "}\n"
				  "static inline __attribute__((always_inline)) int twice(int x)\n"
				  "{\n"
				  "	sink = mixed(x);\n"
				  "	return mixed(x + 1);\n"
				  "}\n";

static const char first_text[] = "static volatile int sink;\n"
				 "#include \"module.h\"\n"
				 "int other(int x);\n"
				 "int alpha(int x)\n"
				 "{\n"
				 "	sink = x;\n"
				 "	if (__builtin_expect(x == 77, 0))\n"
				 "		sink = twice(x + 3);\n"
				 "	return twice(x) + other(x);\n"
				 "}\n"
				 "__attribute__((noinline)) int beta(int x)\n"
				 "{\n"
				 "	for (int i = 0; i < x; i++)\n"
				 "		sink += mixed(i);\n"
				 "	return sink;\n"
				 "}\n"
				 "__attribute__((section(\".init.text\"))) int begin(void)\n"
				 "{\n"
				 "	return beta(twice(sink));\n"
				 "}\n";

static const char second_text[] = "extern volatile int jiffies;\n"
				  "#define sink jiffies\n"
				  "#include \"module.h\"\n"
				  "__attribute__((cold)) int other(int x)\n"
				  "{\n"
				  "	return twice(sink + x) - x;\n"
				  "}\n"
				  "__attribute__((section(\".exit.text\"))) void end(void)\n"
				  "{\n"
				  "	sink = other(mixed(sink));\n"
				  "}\n";

/* Not in the order of the file, and with the last two where the module has no code any more. */
static const struct {
	const char *section;
	unsigned long long address;
} places[] = {
	{ ".text.beta", 0xffffffffc0a01000 },  { ".text.alpha", 0xffffffffc0a02040 },
	{ ".text.other", 0xffffffffc0a03300 }, { ".text.unlikely.other", 0xffffffffc0a03300 },
	{ ".init.text", 0xffffffffc0b10000 },  { ".exit.text", 0xffffffffc0a04a00 },
};

#define PLACES (sizeof(places) / sizeof(*places))

struct machine {
	const char *name; /* in front of its tools */
	const char *flags;
};

static struct fixture *fixture_of(void **state)
{
	return *state;
}

/* Also links it there, as "linked". */
static bool build(struct fixture *f, const struct machine *m, const char *flags)
{
	char script[1024] = "SECTIONS {\n";

	for (size_t i = 0; i < PLACES; i++) {
		size_t used = strlen(script);

		snprintf(script + used, sizeof(script) - used, "%s 0x%llx : { *(%s) }\n",
			 places[i].section, places[i].address, places[i].section);
	}
	strcat(script, "}\n");
	fixture_write(f, "module.h", header_text, sizeof(header_text) - 1);
	fixture_write(f, "first.c", first_text, sizeof(first_text) - 1);
	fixture_write(f, "second.c", second_text, sizeof(second_text) - 1);
	fixture_write(f, "script", script, strlen(script));
	return fixture_run(f,
			   "rm -rf debug sys module.ko; for i in first second; do %sgcc -O2 "
			   "-ffunction-sections -fno-pie -fno-asynchronous-unwind-tables %s %s -c "
			   "$i.c; done && "
			   "%sld -r --build-id -o module.ko first.o second.o && "
			   "%sld -T script --no-relax --unresolved-symbols=ignore-all -e 0 -o "
			   "linked module.ko",
			   m->name, m->flags, flags, m->name, m->name);
}

/* The kernel's word about the module. */
static void make_sys(struct fixture *f, const struct machine *m)
{
	char text[64], name[128];

	assert_true(fixture_run(f,
				"mkdir -p sys/probe_module/sections sys/probe_module/notes && "
				"%sobjcopy -O binary --only-section=.note.gnu.build-id module.ko "
				"sys/probe_module/notes/.note.gnu.build-id",
				m->name));
	for (size_t i = 0; i < PLACES; i++) {
		snprintf(text, sizeof(text), "0x%016llx\n", places[i].address);
		snprintf(name, sizeof(name), "sys/probe_module/sections/%s", places[i].section);
		fixture_write(f, name, text, strlen(text));
	}
}

static void put_by_build_id(struct fixture *f, const struct machine *m)
{
	struct object *o = object_new_elf(open(fixture_path(f, "module.ko"), O_RDONLY | O_CLOEXEC));
	const struct build_id id = object_build_id(o);
	char hex[BUILD_ID_TEXT];

	object_free(o);
	assert_true(id.size > 0);
	build_id_format(&id, hex);
	assert_true(fixture_run(f,
				"mkdir -p debug/.build-id/%.2s && %sobjcopy --only-keep-debug "
				"module.ko debug/.build-id/%.2s/%s.debug",
				hex, m->name, hex, hex + 2));
}

/* As depmod(8) lists it, packed. */
static void put_by_name(struct fixture *f, const struct machine *m)
{
	static const char list[] =
		"kernel/drivers/other_probe-module.ko.xz:\n"
		"kernel/drivers/probe-module.ko.xz: kernel/drivers/other_probe-module.ko.xz\n";

	(void)m;
	assert_true(fixture_run(f, "mkdir -p files/" RELEASE " debug/lib/modules/" RELEASE
				   "/kernel/drivers && cp module.ko "
				   "debug/lib/modules/" RELEASE
				   "/kernel/drivers/probe-module.ko.debug"));
	fixture_write(f, "files/" RELEASE "/modules.dep", list, sizeof(list) - 1);
}

static void (*const puts_[])(struct fixture *f, const struct machine *m) = { put_by_build_id,
									     put_by_name };

/* Every byte of its functions, by the linked file's symbols. */
static size_t find_addresses(struct fixture *f, const struct machine *m, uint64_t *addresses)
{
	unsigned long long start, size;
	size_t count = 0, bytes;
	char *text, type;

	assert_true(fixture_run(f, "%snm -S linked | grep -i ' t ' >symbols", m->name));
	text = fixture_read(f, "symbols", &bytes);
	text[bytes] = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (sscanf(line, "%llx %llx %c", &start, &size, &type) == 3)
			for (uint64_t i = 0; i < size && count < ADDRESSES_MAX; i++)
				addresses[count++] = start + i;
	free(text);
	return count;
}

static struct lines *open_lines(struct fixture *f)
{
	static char sys[128], debug[128], files[128];
	static const struct vmlinux_identity kernel = { .release = RELEASE };
	const struct lines_options o = { .zygote = zygote,
					 .proc_root = f->directory,
					 .debug_root = debug,
					 .kallsyms = "/nonexistent",
					 .modules = sys,
					 .module_files = files,
					 .kernel = &kernel,
					 .synchronous = true };

	snprintf(sys, sizeof(sys), "%s/sys", f->directory);
	snprintf(debug, sizeof(debug), "%s/debug", f->directory);
	snprintf(files, sizeof(files), "%s/files", f->directory);
	return lines_new(&o);
}

static struct lines_answer *ask_of(struct lines *l, const uint64_t *addresses, size_t count)
{
	const struct lines_request r = { .key = { .kind = DSO_KERNEL, .path = MODULE },
					 .addresses = addresses,
					 .address_count = count };
	struct lines_answer *a;

	lines_ask(l, &r);
	a = lines_take(l);
	assert_non_null(a);
	return a;
}

static struct lines_answer *ask(struct fixture *f, const uint64_t *addresses, size_t count)
{
	struct lines *l = open_lines(f);
	struct lines_answer *a = ask_of(l, addresses, count);

	lines_free(l);
	return a;
}

static size_t frames_at(struct lines *l, uint64_t address)
{
	struct lines_answer *a = ask_of(l, &address, 1);
	const size_t count = a->places[0].frame_count;

	lines_answer_free(a);
	return count;
}

static const char *base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "-";
}

/* "twice", "/tmp/…/module.h:9 (discriminator 1)" */
static void assert_frame(const struct lines_place *p, size_t i, const char *function, char *line)
{
	const struct srcline_frame *frame = &p->frames[i];
	char got[256];

	if (i >= p->frame_count)
		fail_msg("%#llx has %zu frames, not %s", (unsigned long long)p->address,
			 p->frame_count, function);
	line = (char *)base_of(line);
	line[strcspn(line, " ")] = '\0';
	snprintf(got, sizeof(got), "%s:%u", base_of(frame->file), frame->line);
	if (strcmp(frame->function, function) || strcmp(got, line))
		fail_msg("%#llx is %s %s, not %s %s", (unsigned long long)p->address,
			 frame->function, got, function, line);
}

/* As addr2line says it: the address, then two lines for each frame.  Returns the places with inlined functions. */
static size_t assert_places(struct fixture *f, const struct machine *m,
			    const struct lines_answer *a)
{
	size_t bytes, inlined = 0;
	char *text, *line, *save;

	fixture_write(f, "addresses", "", 0);
	text = malloc(a->place_count * 24 + 1);
	for (size_t i = bytes = 0; i < a->place_count; i++)
		bytes += (size_t)sprintf(text + bytes, "0x%llx\n",
					 (unsigned long long)a->places[i].address);
	fixture_write(f, "addresses", text, bytes);
	free(text);
	assert_true(fixture_run(f, "%saddr2line -a -i -f -e linked <addresses >told", m->name));
	text = fixture_read(f, "told", &bytes);
	text[bytes] = '\0';
	line = strtok_r(text, "\n", &save);
	for (size_t i = 0; i < a->place_count; i++) {
		size_t frames = 0;

		assert_non_null(line);
		assert_int_equal(strtoull(line, NULL, 16), a->places[i].address);
		while ((line = strtok_r(NULL, "\n", &save)) && strncmp(line, "0x", 2))
			assert_frame(&a->places[i], frames++, line, strtok_r(NULL, "\n", &save));
		assert_int_equal(frames, a->places[i].frame_count);
		inlined += frames > 1;
	}
	free(text);
	return inlined;
}

static const char *const ways[] = { "-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gz=zlib -O1" };

static const struct machine machines[] = {
	{ "", "" },
	{ "aarch64-linux-gnu-", "" },
	{ "riscv64-linux-gnu-", "-mno-relax" },
	{ "riscv64-linux-gnu-", "" },
};

static bool has_machine(struct fixture *f, const struct machine *m)
{
	return fixture_run(f, "%sgcc --version && %sld --version", m->name, m->name);
}

static void lines_are_those_of_the_linked_file(void **state)
{
	struct fixture *f = fixture_of(state);
	const size_t machine_count = sizeof(machines) / sizeof(*machines);
	const size_t way_count = sizeof(ways) / sizeof(*ways);
	uint64_t addresses[ADDRESSES_MAX];

	for (size_t i = 0; i < machine_count * way_count; i++) {
		const struct machine *m = &machines[i / way_count];
		struct lines_answer *a;
		size_t count, inlined;

		if (!has_machine(f, m))
			continue;
		assert_true(build(f, m, ways[i % way_count]));
		make_sys(f, m);
		puts_[i % 2](f, m);
		count = find_addresses(f, m, addresses);
		assert_true(count > 100);
		a = ask(f, addresses, count);
		assert_string_equal(a->missing, "");
		assert_true(a->has_lines);
		inlined = assert_places(f, m, a);
		print_message("%s %s %s: %zu addresses, %zu of them inlined\n", m->name, m->flags,
			      ways[i % way_count], count, inlined);
		assert_true(inlined > count / 4);
		lines_answer_free(a);
	}
}

/* One address has no frames, and MISSING is said. */
static void assert_missing(struct fixture *f, uint64_t address, const char *missing)
{
	struct lines_answer *a = ask(f, &address, 1);

	assert_false(a->has_lines);
	assert_int_equal(a->place_count, 1);
	assert_int_equal(a->places[0].frame_count, 0);
	if (!strstr(a->missing, missing))
		fail_msg("'%s' does not say '%s'", a->missing, missing);
	lines_answer_free(a);
}

/* No file is taken for the module's but one with its build id, and none without the places of its sections. */
static void why_there_are_no_lines_is_said(void **state)
{
	struct fixture *f = fixture_of(state);
	const struct machine *m = &machines[0];
	uint64_t addresses[ADDRESSES_MAX];
	struct lines_answer *a;

	if (!build(f, m, "-g"))
		skip();
	find_addresses(f, m, addresses);
	assert_missing(f, addresses[0], "sys/probe_module/sections: No such file");
	make_sys(f, m);
	assert_missing(f, addresses[0], "no debug file for build id ");
	put_by_name(f, m);
	a = ask(f, addresses, 1);
	assert_true(a->has_lines && a->places[0].frame_count);
	lines_answer_free(a);
	assert_true(fixture_run(f, "for i in sys/probe_module/sections/.*text*; do echo "
				   "0x0000000000000000 >$i; done"));
	assert_missing(f, addresses[0], "sys/probe_module/sections: Permission denied");
	make_sys(f, m);
	assert_true(fixture_run(f, "rm sys/probe_module/notes/.note.gnu.build-id"));
	assert_missing(f, addresses[0], "no debug file for build id -");
	make_sys(f, m);
	assert_true(fixture_run(f, "mv sys kept"));
	assert_true(build(f, m, "-g -O1"));
	assert_true(fixture_run(f, "mv kept sys"));
	put_by_name(f, m); /* of another build */
	assert_missing(f, addresses[0], "no debug file for build id ");
}

/* A module that was loaded again is elsewhere. */
static void sections_are_those_of_now(void **state)
{
	struct fixture *f = fixture_of(state);
	const struct machine *m = &machines[0];
	const char *list = "probe_module 16384 0 - Live 0xffffffffc0a00000 (E)\n";
	uint64_t addresses[ADDRESSES_MAX], beta = 0xffffffffc0a01000, moved = 0xffffffffc0c01000;
	struct lines *l;

	if (!build(f, m, "-g"))
		skip();
	make_sys(f, m);
	put_by_build_id(f, m);
	find_addresses(f, m, addresses);
	l = open_lines(f);
	fixture_write(f, "modules", list, strlen(list));
	assert_int_equal(frames_at(l, beta), 1);
	assert_int_equal(frames_at(l, moved), 0);
	fixture_write(f, "sys/probe_module/sections/.text.beta", "0xffffffffc0c01000\n", 19);
	list = "probe_module 16384 0 - Live 0xffffffffc0c00000 (E)\n";
	fixture_write(f, "modules", list, strlen(list));
	assert_int_equal(frames_at(l, beta), 0);
	assert_int_equal(frames_at(l, moved), 1);
	lines_free(l);
}

/* A worker bounds what it gets. */
static void a_module_that_is_received_is_bounded(void **state)
{
	struct kmodule_section section;
	struct kmodule sent = { .section_count = 1, .sections = &section }, got;
	int fd;

	(void)state;
	memset(&sent.build_id, 0xff, sizeof(sent.build_id));
	memset(sent.file, 'x', sizeof(sent.file));
	memset(&section, 'x', sizeof(section));
	fd = kmodule_send(&sent);
	assert_true(fd >= 0);
	assert_true(kmodule_receive(&got, fd));
	assert_int_equal(got.build_id.size, 0);
	assert_int_equal(strnlen(got.file, sizeof(got.file)), sizeof(got.file) - 1);
	assert_int_equal(got.section_count, 1);
	assert_int_equal(strnlen(got.sections[0].name, sizeof(section.name)),
			 sizeof(section.name) - 1);
	kmodule_fini(&got);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(lines_are_those_of_the_linked_file),
		FIXTURE_TEST(why_there_are_no_lines_is_said),
		FIXTURE_TEST(sections_are_those_of_now),
		cmocka_unit_test(a_module_that_is_received_is_bounded),
	};
	int result;

	if (!fixture_machine_is_known())
		return UNIT_SKIP;
	/* Valgrind makes system calls of its own in a worker. */
	zygote = unit_under_valgrind() ? NULL : zygote_start(app_jobs, app_job_count);
	result = zygote ? unit_run(tests) : EXIT_SUCCESS;
	zygote_free(zygote);
	zygote = NULL;
	return result == EXIT_SUCCESS ? unit_run(tests) : result;
}
