/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_SYMBOL_FIXTURE_H
#define PTOP_TESTS_SYMBOL_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "symbol/dso.h"

/*
 * A directory of the test's own with programs that it builds, FIXTURE_PROGRAM has `hot_function`
 * and more.  Functions return false if something cannot be done (no compiler).
 */
struct fixture {
	char directory[64];
};

bool fixture_init(struct fixture *f);
void fixture_fini(struct fixture *f); /* removes the directory */

/* A row of a program's tests that has a fixture of its own as its state. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);
#define FIXTURE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

/*
 * Returns true on x86-64, aarch64 and riscv64 with 64-bit pointers, whose code and relocations symbol/ knows.  On
 * another machine says that the test is skipped.
 */
bool fixture_machine_is_known(void);

/* Runs a shell command in it, quietly. */
bool fixture_run(struct fixture *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Compiles the program into NAME. */
bool fixture_compile(struct fixture *f, const char *name, const char *flags);

/* The path of NAME in it; until the next call. */
const char *fixture_path(struct fixture *f, const char *name);

/* The whole file, owned by the caller. */
char *fixture_read(struct fixture *f, const char *name, size_t *size);

/* A new file: where one is cut to nothing and written again, ext4 waits for the disk (auto_da_alloc). */
void fixture_write(struct fixture *f, const char *name, const void *bytes, size_t size);

/* The key of a file as /proc/PID/maps tells of it, without a process. */
struct dso_key fixture_key(const char *path);

/* Requests the object DSO, and waits until it is read or refused; at most a minute. */
void fixture_load(struct dso_cache *c, uint32_t dso);

/* The name of the symbol at ADDRESS, "-" none. */
const char *fixture_find(const struct symtab *t, uint64_t address);

/* Where NAME begins; 0 when it is not there. */
uint64_t fixture_address(const struct symtab *t, const char *name);

#endif
