/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"
#include "fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DEADLINE_MS 60000

static const char program[] =
	"#include <stdlib.h>\n"
	"#include <unistd.h>\n"
	"int data_object = 7;\n"
	"static __attribute__((noinline)) int local_function(int x) { return x * data_object; }\n"
	"__attribute__((noinline)) int hot_function(int x) { return local_function(x) + 1; }\n"
	"extern int __hot_alias(int) __attribute__((alias(\"hot_function\")));\n"
	"extern int weak_alias_of_it(int) __attribute__((weak, alias(\"hot_function\")));\n"
	"int main(int argc, char **argv)\n"
	"{ char c; if (argc > 1) while (read(0, &c, 1) > 0) ; return hot_function(atoi(argv[0])) & "
	"1; }\n";

static const char shell_quiet[] = " >/dev/null 2>&1";

bool fixture_init(struct fixture *f)
{
	umask(022); /* a worker reads of another user only what all may read */
	snprintf(f->directory, sizeof(f->directory), "%.40s/ptop-symbol-XXXXXX", unit_folder(true));
	if (!mkdtemp(f->directory))
		return false;
	fixture_write(f, "program.c", program, sizeof(program) - 1);
	return fixture_compile(f, "probe", "") && fixture_run(f, "strip --version");
}

bool fixture_machine_is_known(void)
{
#if defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__) || defined(__riscv))
	return true;
#else
	puts("skipped: this machine is neither x86-64, aarch64 nor riscv64 with 64-bit pointers");
	return false;
#endif
}

void fixture_fini(struct fixture *f)
{
	fixture_run(f, "rm -rf %s", f->directory);
}

int fixture_set_up(void **state)
{
	static struct fixture f;

	*state = &f;
	return fixture_init(&f) ? 0 : -1;
}

int fixture_tear_down(void **state)
{
	fixture_fini(*state);
	return 0;
}

bool fixture_run(struct fixture *f, const char *format, ...)
{
	char command[2048], line[3072];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "cd %s && { %s; }%s", f->directory, command, shell_quiet);
	return system(line) == 0;
}

bool fixture_compile(struct fixture *f, const char *name, const char *flags)
{
	return fixture_run(f, "${CC:-cc} -O1 -Wl,--build-id %s -o %s program.c", flags, name);
}

const char *fixture_path(struct fixture *f, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->directory, name);
	return path;
}

char *fixture_read(struct fixture *f, const char *name, size_t *size)
{
	struct stat st;
	char *bytes;
	int fd = open(fixture_path(f, name), O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc(st.st_size + 1);
	assert_int_equal(read(fd, bytes, st.st_size), st.st_size);
	close(fd);
	*size = st.st_size;
	return bytes;
}

void fixture_write(struct fixture *f, const char *name, const void *bytes, size_t size)
{
	const char *path = fixture_path(f, name);
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

struct dso_key fixture_key(const char *path)
{
	struct dso_key key = { .kind = DSO_FILE, .path = path };
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	key.major = major(st.st_dev);
	key.minor = minor(st.st_dev);
	key.inode = st.st_ino;
	return key;
}

void fixture_load(struct dso_cache *c, uint32_t dso)
{
	struct pollfd fd = { .fd = dso_cache_fd(c), .events = POLLIN };

	dso_request(c, dso);
	while (dso_state(c, dso) == DSO_LOADING) {
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
		while (dso_cache_loaded(c))
			;
	}
}

const char *fixture_find(const struct symtab *t, uint64_t address)
{
	uint32_t number = symtab_find(t, address);

	return number == SYMBOL_NONE ? "-" : symtab_at(t, number).name;
}

uint64_t fixture_address(const struct symtab *t, const char *name)
{
	for (uint32_t i = 0; i < symtab_count(t); i++)
		if (!strcmp(symtab_at(t, i).name, name))
			return symtab_at(t, i).start;
	return 0;
}
