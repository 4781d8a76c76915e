/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"
#include "fixture.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/jobs.h"
#include "symbol/load-worker.h"

static struct fixture *fixture_of(void **state)
{
	return *state;
}

/* Reads the files in the second round; NULL in the first. */
static struct zygote *zygote;

static struct dso_cache *cache_of(struct fixture *f)
{
	static char debug_root[128];

	snprintf(debug_root, sizeof(debug_root), "%s/debug", f->directory);
	return dso_cache_new(&(struct dso_cache_options){
		.zygote = zygote, .kallsyms = "", .debug_root = debug_root, .synchronous = true });
}

/* Loads the file of that name in the fixture. */
static uint32_t load(struct dso_cache *c, struct fixture *f, const char *name)
{
	struct dso_key key = fixture_key(fixture_path(f, name));
	uint32_t dso = dso_cache_get(c, &key);

	dso_request(c, dso);
	return dso;
}

static bool has_function(struct dso_cache *c, uint32_t dso, const char *name)
{
	const struct symtab *t = dso_symtab(c, dso);

	return t && fixture_address(t, name) != 0;
}

static void each_kind_of_file_is_named(void **state)
{
	static const char *const flags[] = { "-no-pie",
					     "-fPIE -pie",
					     "-fPIC -shared",
					     "-no-pie -Wl,-Ttext-segment=0x70000000",
					     "-Wl,-z,noseparate-code",
					     "-g -gz" };
	struct fixture *f = fixture_of(state);

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct dso_cache *c = cache_of(f);
		const struct symtab *t;
		uint64_t address;
		uint32_t dso;

		assert_true(fixture_compile(f, "program", flags[i]));
		dso = load(c, f, "program");
		assert_int_equal(dso_state(c, dso), DSO_READY);
		assert_string_equal(dso_symbol_source(c, dso), ".symtab");
		t = dso_symtab(c, dso);
		address = fixture_address(t, "hot_function");
		assert_true(address != 0);
		assert_string_equal(fixture_find(t, address + 1), "hot_function");
		assert_true(fixture_address(t, "local_function") != 0);
		assert_true(fixture_address(t, "main") != 0);
		assert_int_equal(fixture_address(t, "data_object"), 0);
		assert_int_equal(fixture_address(t, "__hot_alias"), 0);
		dso_cache_free(c);
	}
}

/* nm's address of every function. */
static void addresses_are_those_of_nm(void **state)
{
	struct fixture *f = fixture_of(state);
	struct dso_cache *c = cache_of(f);
	char *text, *line, *rest;
	unsigned checked = 0;
	uint32_t dso;
	size_t size;

	assert_true(fixture_compile(f, "program", ""));
	assert_true(fixture_run(f, "nm -S --defined-only program | grep -i ' t ' >list"));
	dso = load(c, f, "program");
	text = fixture_read(f, "list", &size);
	text[size] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned long start, length;
		char type, name[256];

		if (sscanf(line, "%lx %lx %c %255s", &start, &length, &type, name) != 4 ||
		    strstr(name, "alias"))
			continue;
		assert_string_equal(fixture_find(dso_symtab(c, dso), start), name);
		assert_string_equal(fixture_find(dso_symtab(c, dso), start + length - 1), name);
		checked++;
	}
	assert_true(checked >= 4);
	free(text);
	dso_cache_free(c);
}

/* The compiler splits what is cold off a function: a part of its own, with a symbol of its own. */
static const char parted[] =
	"#include <stdlib.h>\n"
	"#define F(n) __attribute__((noinline)) int f##n(int a) { if (__builtin_expect(a == n, 0)) "
	"\\\n"
	"	{ static volatile int c; for (int i = 0; i < n; i++) c += i; abort(); } return a * "
	"n + 1; }\n"
	"#define T(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) "
	"F(n##9)\n"
	"T(1) T(2) T(3) T(4) T(5) T(6) T(7) T(8) T(9)\n"
	"int main(int argc, char **argv) { (void)argv; return f10(argc) + f99(argc); }\n";

/* Call frame information tells the bounds of each function of a stripped program, as its symbols do. */
static void stripped_functions_have_the_bounds_of_their_symbols(void **state)
{
	struct fixture *f = fixture_of(state);
	struct dso_cache *c = cache_of(f);
	const struct symtab *named, *stripped;
	unsigned equal = 0, cold = 0;

	fixture_write(f, "parted.c", parted, sizeof(parted) - 1);
	assert_true(fixture_run(f, "cc -O2 -freorder-blocks-and-partition -o parted parted.c && "
				   "strip -o bare parted"));
	named = dso_symtab(c, load(c, f, "parted"));
	stripped = dso_symtab(c, load(c, f, "bare"));
	assert_non_null(named);
	assert_non_null(stripped);
	for (uint32_t i = 0; i < symtab_count(named); i++) {
		struct symbol symbol = symtab_at(named, i), function;
		uint32_t number = symtab_find(stripped, symbol.start);

		if (symbol.name[0] != 'f' || symbol.name[1] < '0' || symbol.name[1] > '9')
			continue;
		assert_int_not_equal(number, SYMBOL_NONE);
		function = symtab_at(stripped, number);
		assert_string_equal(function.name, "");
		assert_int_equal(function.named_by, NAMED_BY_CFI);
		assert_int_equal(symbol.named_by, NAMED_BY_SYMTAB);
		assert_int_equal(function.start, symbol.start);
		assert_int_equal(function.end, symbol.end);
		cold += strstr(symbol.name, ".cold") != NULL;
		equal++;
	}
	assert_true(equal - cold == 90);
	dso_cache_free(c);
}

/* The address that a program prints of its own function is found through the file's offset. */
static void offsets_lead_to_the_function(void **state)
{
	struct fixture *f = fixture_of(state);
	struct dso_cache *c = cache_of(f);
	const struct symtab *t;
	Elf64_Ehdr header;
	uint64_t address, back;
	char *bytes;
	size_t size;

	assert_true(fixture_compile(f, "program", "-no-pie"));
	t = dso_symtab(c, load(c, f, "program"));
	address = fixture_address(t, "hot_function");
	bytes = fixture_read(f, "program", &size);
	memcpy(&header, bytes, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		skip();
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr s;

		memcpy(&s, bytes + header.e_phoff + i * sizeof(s), sizeof(s));
		if (s.p_type != PT_LOAD || address - s.p_vaddr >= s.p_filesz)
			continue;
		assert_true(symtab_address_of_offset(t, address - s.p_vaddr + s.p_offset, &back));
		assert_int_equal(back, address);
	}
	assert_false(symtab_address_of_offset(t, 1ull << 40, &back));
	free(bytes);
	dso_cache_free(c);
}

static void plt_entries_are_named(void **state)
{
#if defined(__x86_64__) || defined(__aarch64__)
	static const char *const flags[] = {
		"-Wl,-z,lazy",
		"-Wl,-z,now",
#ifdef __x86_64__
		"-fcf-protection=full -Wl,-z,ibtplt",
#endif
	};
	struct fixture *f = fixture_of(state);

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct dso_cache *c = cache_of(f);

		assert_true(fixture_compile(f, "program", flags[i]));
		assert_true(has_function(c, load(c, f, "program"), "atoi@plt") ||
			    has_function(c, 1, "strtol@plt"));
		assert_true(has_function(c, 1, "read@plt"));
		dso_cache_free(c);
	}
#else
	(void)state;
	skip();
#endif
}

/* Small files of other machines, word sizes and byte orders. */
static void other_machines_are_read_too(void **state)
{
	static const struct {
		const char *file, *symbol;
		uint64_t address;
	} cases[] = {
		{ "aarch64.so", "puts@plt", 0x280 },
		{ "aarch64.so", "hot_function", 0x2a0 },
		{ "x86-64.so", "atoi@plt", 0x300 },
		{ "i386.so", "hot_function", 0x220 },
		{ "ppc64-big-endian.o", "other_function", 0x18 },
		{ "mips-big-endian.o", "other_function", 0x40 },
		{ "debuglink.so", "hot_function", 0x2d0 },
	};
	const char *source = getenv("abs_srcdir");

	for (size_t i = 0; source && i < sizeof(cases) / sizeof(*cases); i++) {
		struct dso_cache *c = cache_of(fixture_of(state));
		char path[4096];
		struct dso_key key;
		uint32_t dso;

		snprintf(path, sizeof(path), "%s/tests/corpus/elf/%s", source, cases[i].file);
		key = fixture_key(path);
		dso = dso_cache_get(c, &key);
		dso_request(c, dso);
		assert_int_equal(dso_state(c, dso), DSO_READY);
		assert_int_equal(fixture_address(dso_symtab(c, dso), cases[i].symbol),
				 cases[i].address);
		dso_cache_free(c);
	}
	if (!source)
		skip();
}

static void a_stripped_file_says_so(void **state)
{
	struct fixture *f = fixture_of(state);
	struct dso_cache *c = cache_of(f);
	uint32_t dso;

	assert_true(fixture_compile(f, "program", "-s"));
	dso = load(c, f, "program");
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_false(has_function(c, dso, "hot_function"));
	assert_non_null(strstr(dso_missing(c, dso), "stripped"));
	assert_true(fixture_compile(f, "library", "-fPIC -shared -s"));
	dso = load(c, f, "library");
	assert_string_equal(dso_symbol_source(c, dso), ".dynsym");
	assert_non_null(strstr(dso_missing(c, dso), "stripped"));
	assert_true(has_function(c, dso, "hot_function"));
	assert_false(has_function(c, dso, "local_function"));
	dso_cache_free(c);
}

static bool split(struct fixture *f, const char *flags)
{
	return fixture_compile(f, "program", flags) &&
	       fixture_run(f, "rm -rf debug .debug program.debug && mkdir -p debug%s .debug",
			   f->directory) &&
	       fixture_run(f, "objcopy --only-keep-debug program program.debug && strip program && "
			      "objcopy --add-gnu-debuglink=program.debug program");
}

static void the_debug_link_is_followed(void **state)
{
	struct fixture *f = fixture_of(state);
	char in_root[128];
	const char *places[] = { "program.debug", ".debug/program.debug", in_root };

	snprintf(in_root, sizeof(in_root), "debug%s/program.debug", f->directory);
	for (int build_id = 0; build_id < 2; build_id++)
		for (size_t i = 0; i < 3; i++) {
			struct dso_cache *c = cache_of(f);
			uint32_t dso;

			assert_true(split(f, build_id ? "" : "-Wl,--build-id=none"));
			assert_true(!i || fixture_run(f, "mv program.debug %s", places[i]));
			dso = load(c, f, "program");
			assert_non_null(strstr(dso_symbol_source(c, dso), places[i]));
			assert_true(has_function(c, dso, "local_function"));
			dso_cache_free(c);
		}
}

static void a_debug_file_of_another_program_is_not_used(void **state)
{
	struct fixture *f = fixture_of(state);
	struct dso_cache *c = cache_of(f);
	uint32_t dso;

	assert_true(split(f, "-Wl,--build-id=none"));
	assert_true(fixture_run(f, "printf x >>program.debug"));
	dso = load(c, f, "program");
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_false(has_function(c, dso, "local_function"));
	dso_cache_free(c);
}

static void the_build_id_finds_the_debug_file(void **state)
{
	static const char move[] = "id=$(readelf -n probe.stripped | sed -n 's/.*Build ID: //p'); "
				   "d=debug/.build-id/$(echo $id | cut -c1-2); mkdir -p $d; "
				   "cp %s $d/$(echo $id | cut -c3-).debug";
	struct fixture *f = fixture_of(state);
	struct dso_cache *c;
	uint32_t dso;

	assert_true(fixture_run(f, "rm -rf debug; strip -o probe.stripped probe"));
	assert_true(fixture_run(f, move, "probe"));
	c = cache_of(f);
	dso = load(c, f, "probe.stripped");
	assert_non_null(strstr(dso_symbol_source(c, dso), "debug/.build-id/"));
	assert_true(has_function(c, dso, "local_function"));
	dso_cache_free(c);

	assert_true(fixture_compile(f, "other", "-O0"));
	assert_true(fixture_run(f, "rm -rf debug"));
	assert_true(fixture_run(f, move, "other"));
	c = cache_of(f);
	dso = load(c, f, "probe.stripped");
	assert_false(has_function(c, dso, "local_function"));
	dso_cache_free(c);
}

#ifdef HAVE_LZMA
/* As the GDB manual says, "MiniDebugInfo". */
static const char minidebug[] =
	"objcopy --only-keep-debug program full && nm program --format=posix --defined-only | "
	"awk '$2 ~ /[Tt]/ { print $1 }' >keep && "
	"objcopy -S --keep-symbols=keep full mini && rm -f mini.xz && xz mini && "
	"strip program && objcopy --add-section .gnu_debugdata=%s program";

static void compressed_symbols_are_read(void **state)
{
	struct fixture *f = fixture_of(state);
	struct dso_cache *c = cache_of(f);
	uint32_t dso;

	if (!fixture_run(f, "xz --version"))
		skip();
	assert_true(fixture_compile(f, "program", "-fPIC -shared"));
	assert_true(fixture_run(f, minidebug, "mini.xz"));
	dso = load(c, f, "program");
	assert_string_equal(dso_symbol_source(c, dso), ".gnu_debugdata + .dynsym");
	assert_string_equal(dso_missing(c, dso), "");
	assert_true(has_function(c, dso, "local_function"));
	assert_true(has_function(c, dso, "hot_function"));
	dso_cache_free(c);
}

/* Half of it, and what unpacks to more than any symbols: 300 MiB of zeros in 45 KB. */
static void damaged_compressed_symbols_are_left_alone(void **state)
{
	static const char *const makes[] = {
		"head -c 600 mini.xz >bad",
		"echo text >bad",
		": >bad",
		"head -c 314572800 /dev/zero | xz -0 >bad",
	};
	struct fixture *f = fixture_of(state);

	if (!fixture_run(f, "xz --version"))
		skip();
	for (size_t i = 0; i < sizeof(makes) / sizeof(*makes); i++) {
		struct dso_cache *c = cache_of(f);
		uint32_t dso;

		assert_true(fixture_compile(f, "program", "-fPIC -shared"));
		assert_true(fixture_run(f, minidebug, "mini.xz"));
		assert_true(fixture_run(f, "%s", makes[i]));
		assert_true(fixture_run(f, "objcopy --update-section .gnu_debugdata=bad program"));
		dso = load(c, f, "program");
		assert_string_equal(dso_symbol_source(c, dso), ".dynsym");
		assert_non_null(strstr(dso_missing(c, dso), "stripped"));
		dso_cache_free(c);
	}
}
#endif

/* Starts the program, which waits for its input to end; its pid. */
static pid_t start(const char *path, int *input)
{
	int ends[2];
	pid_t pid;
	char link[64], exe[256];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = unit_fork();
	if (pid == 0) {
		dup2(ends[0], 0);
		execl(path, path, "wait", (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	*input = ends[1];
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	for (int i = 0; i < 10000; i++) {
		ssize_t n = readlink(link, exe, sizeof(exe) - 1);

		if (n > 0 && (exe[n] = '\0', !strcmp(exe, path)))
			return pid;
		usleep(1000);
	}
	fail_msg("%s did not start", path);
	return 0;
}

static void end(pid_t pid, int input)
{
	close(input);
	waitpid(pid, NULL, 0);
}

static void what_runs_is_read_though_it_was_deleted_or_replaced(void **state)
{
	static const char *const changes[] = { "rm program", "cp other p2 && mv p2 program" };
	struct fixture *f = fixture_of(state);

	assert_true(fixture_run(f, "printf 'int main;' >o.c; ${CC:-cc} -c -o other o.c"));
	for (size_t i = 0; i < 2; i++) {
		struct dso_cache *c = cache_of(f);
		struct dso_key key;
		uint32_t dso;
		pid_t pid;
		int input;

		assert_true(fixture_compile(f, "program", ""));
		key = fixture_key(fixture_path(f, "program"));
		pid = start(key.path, &input);
		assert_true(fixture_run(f, "%s", changes[i]));
		key.pid = pid;
		dso = dso_cache_get(c, &key);
		dso_request(c, dso);
		end(pid, input);
		assert_int_equal(dso_state(c, dso), DSO_READY);
		assert_true(has_function(c, dso, "hot_function"));
		dso_cache_free(c);
	}
}

static void a_deleted_library_is_read_through_its_mapping(void **state)
{
	struct fixture *f = fixture_of(state);
	struct dso_cache *c = cache_of(f);
	struct dso_key key;
	uint32_t dso;
	void *map;
	int fd;

	if (geteuid() != 0)
		skip();
	assert_true(fixture_compile(f, "program", "-fPIC -shared"));
	key = fixture_key(fixture_path(f, "program"));
	fd = open(key.path, O_RDONLY);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(map != MAP_FAILED);
	assert_true(fixture_run(f, "rm program"));
	key.pid = getpid();
	key.map_start = (uintptr_t)map;
	key.map_end = key.map_start + 4096;
	dso = dso_cache_get(c, &key);
	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	assert_true(has_function(c, dso, "hot_function"));
	munmap(map, 4096);
	dso_cache_free(c);
}

static void a_file_that_took_the_path_is_not_read(void **state)
{
	struct fixture *f = fixture_of(state);
	struct dso_cache *c = cache_of(f);
	struct dso_key key;
	uint32_t dso;

	assert_true(fixture_compile(f, "program", ""));
	key = fixture_key(fixture_path(f, "program"));
	key.inode += 100000;
	dso = dso_cache_get(c, &key);
	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_FAILED);
	assert_non_null(strstr(dso_missing(c, dso), "replaced"));

	/* Another process that maps it may be reachable. */
	key.pid = getpid();
	assert_int_equal(dso_cache_get(c, &key), dso);
	assert_int_equal(dso_state(c, dso), DSO_NEW);
	dso_cache_free(c);
}

static void what_is_no_elf_file_is_explained(void **state)
{
	struct fixture *f = fixture_of(state);
	static const char *const makes[] = { "mkfifo odd",      "mkdir odd",
					     "mknod odd c 1 3", "mknod odd c 1 8",
					     "touch odd",       "echo text >odd",
					     "ln -s odd odd",   "printf '\\177ELF' >odd" };

	for (size_t i = 0; i < sizeof(makes) / sizeof(*makes); i++) {
		struct dso_cache *c = cache_of(f);
		struct dso_key key = { .kind = DSO_FILE };
		char path[256];
		uint32_t dso;

		fixture_run(f, "rm -rf odd");
		if (!fixture_run(f, "%s", makes[i]))
			continue; /* device nodes need privilege */
		snprintf(path, sizeof(path), "%s", fixture_path(f, "odd"));
		key.path = path;
		dso = dso_cache_get(c, &key);
		dso_request(c, dso);
		assert_int_equal(dso_state(c, dso), DSO_FAILED);
		assert_string_equal(dso_symbol_source(c, dso), "");
		assert_non_null(strstr(dso_missing(c, dso), "odd"));
		dso_cache_free(c);
	}
	fixture_run(f, "rm -rf odd");
}

/* The symbol table's header in the bytes of a file of this machine's word size. */
static Elf64_Shdr *symtab_header(char *bytes)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + header->e_shoff);

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			return &sections[i];
	return NULL;
}

static void absurd_tables_are_survived(void **state)
{
	static const struct {
		uint64_t size, offset, entry;
		uint32_t link;
	} lies[] = {
		{ 4294967296u * sizeof(Elf64_Sym), 0, 24, 0 }, /* four billion symbols */
		{ UINT64_MAX, 0, 24, 0 },
		{ UINT64_MAX, UINT64_MAX, 24, 0 },
		{ 0, 0, 24, 0 },
		{ 25, 0, 24, 0 },
		{ 240, UINT64_MAX - 100, 24, 0 },
		{ 2400, 0, 0, 0 },
		{ 2400, 0, UINT64_MAX, 0 },
		{ 2400, 0, 24, UINT32_MAX },
		{ 2400, 0, 24, 1 },
	};
	struct fixture *f = fixture_of(state);
	char *bytes;
	size_t size;

	assert_true(fixture_compile(f, "program", ""));
	bytes = fixture_read(f, "program", &size);
	if (bytes[EI_CLASS] != ELFCLASS64) {
		free(bytes);
		skip();
	}
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct dso_cache *c = cache_of(f);
		Elf64_Shdr *header = symtab_header(bytes), honest;

		assert_non_null(header);
		honest = *header;
		header->sh_size = lies[i].size;
		header->sh_entsize = lies[i].entry;
		header->sh_offset += lies[i].offset;
		header->sh_link = lies[i].link ? lies[i].link : honest.sh_link;
		fixture_write(f, "liar", bytes, size);
		*header = honest;
		assert_int_equal(dso_state(c, load(c, f, "liar")), DSO_READY);
		dso_cache_free(c);
	}
	free(bytes);
}

static void every_truncation_is_harmless(void **state)
{
	struct fixture *f = fixture_of(state);
	char *bytes;
	size_t size;

	assert_true(fixture_compile(f, "program", "-g"));
	bytes = fixture_read(f, "program", &size);
	for (size_t n = 0; n < size; n += 64) {
		struct dso_cache *c = cache_of(f);

		fixture_write(f, "cut", bytes, n);
		load(c, f, "cut");
		dso_cache_free(c);
	}
	free(bytes);
}

/* Each byte of the ELF header, the program headers and the section headers in turn. */
/* Under valgrind one of them for each byte. */
static void every_wrong_byte_is_harmless(void **state)
{
	static const unsigned char wrong[] = { 0, 1, 0x7f, 0xff };
	struct fixture *f = fixture_of(state);
	Elf64_Ehdr header;
	char *bytes;
	size_t size, sections, step = unit_under_valgrind() ? sizeof(wrong) : 1;

	assert_true(fixture_compile(f, "program", "-s -fPIC -shared"));
	bytes = fixture_read(f, "program", &size);
	memcpy(&header, bytes, sizeof(header));
	sections = header.e_ident[EI_CLASS] == ELFCLASS64 ? header.e_shoff : size;
	for (size_t i = 0; i < size; i++) {
		char old = bytes[i];

		if (i == 1024 && sections > i)
			i = sections;
		for (size_t j = i % step; j < sizeof(wrong) && i < size; j += step) {
			struct dso_cache *c;

			bytes[i] = (char)wrong[j];
			if (bytes[i] == old)
				continue;
			c = cache_of(f);
			fixture_write(f, "wrong", bytes, size);
			load(c, f, "wrong");
			dso_cache_free(c);
		}
		bytes[i] = old;
	}
	free(bytes);
}

int main(void)
{
	struct fixture f;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(each_kind_of_file_is_named, &f),
		cmocka_unit_test_prestate(addresses_are_those_of_nm, &f),
		cmocka_unit_test_prestate(stripped_functions_have_the_bounds_of_their_symbols, &f),
		cmocka_unit_test_prestate(offsets_lead_to_the_function, &f),
		cmocka_unit_test_prestate(plt_entries_are_named, &f),
		cmocka_unit_test_prestate(other_machines_are_read_too, &f),
		cmocka_unit_test_prestate(a_stripped_file_says_so, &f),
		cmocka_unit_test_prestate(the_debug_link_is_followed, &f),
		cmocka_unit_test_prestate(a_debug_file_of_another_program_is_not_used, &f),
		cmocka_unit_test_prestate(the_build_id_finds_the_debug_file, &f),
#ifdef HAVE_LZMA
		cmocka_unit_test_prestate(compressed_symbols_are_read, &f),
		cmocka_unit_test_prestate(damaged_compressed_symbols_are_left_alone, &f),
#endif
		cmocka_unit_test_prestate(what_runs_is_read_though_it_was_deleted_or_replaced, &f),
		cmocka_unit_test_prestate(a_deleted_library_is_read_through_its_mapping, &f),
		cmocka_unit_test_prestate(a_file_that_took_the_path_is_not_read, &f),
		cmocka_unit_test_prestate(what_is_no_elf_file_is_explained, &f),
		cmocka_unit_test_prestate(absurd_tables_are_survived, &f),
		cmocka_unit_test_prestate(every_truncation_is_harmless, &f),
		cmocka_unit_test_prestate(every_wrong_byte_is_harmless, &f),
	};
	struct zygote *workers =
		unit_under_valgrind() ? NULL : zygote_start(app_jobs, app_job_count);
	int status;

	if (!fixture_init(&f)) {
		puts("skipped: no compiler or no binutils");
		return UNIT_SKIP;
	}
	status = unit_run(tests);
	zygote = workers;
	if (status == EXIT_SUCCESS && workers)
		status = unit_run(tests);
	zygote_free(workers);
	fixture_fini(&f);
	return status;
}
