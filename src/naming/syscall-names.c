/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/syscall-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBSECCOMP
#include <seccomp.h>
#endif

#include "base/alloc.h"

#define NUMBERS 4096      /* more than any ABI has */
#define ERROR_MAX 4095    /* MAX_ERRNO in include/linux/err.h */
#define CALLS 0x7ffffe00u /* the object of calls: above all of code */
#define ERRORS 0x7ffe0000u

struct syscall_names {
	struct frame_table *frames;
	struct strtab *texts;
	uint32_t abis[SYSCALL_ABIS];               /* libseccomp's numbers; 0: not known */
	uint32_t calls[SYSCALL_ABIS][NUMBERS + 1]; /* frames by number; 0: not made yet */
	uint32_t errors[ERROR_MAX + 1];
};

#ifdef HAVE_LIBSECCOMP

static uint32_t abi_of(const char *arch)
{
	if (!arch || !*arch)
		return seccomp_arch_native();
	if (arch[0] == 'i' && arch[1] && !strcmp(arch + 2, "86")) /* i386 to i686 */
		return seccomp_arch_resolve_name("x86");
	return seccomp_arch_resolve_name(arch);
}

/* A 32-bit machine has one ABI. */
static uint32_t compat_of(uint32_t abi)
{
	static const char *const pairs[][2] = { { "x86_64", "x86" }, { "aarch64", "arm" } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		if (seccomp_arch_resolve_name(pairs[i][0]) == abi)
			return seccomp_arch_resolve_name(pairs[i][1]);
	}
	return abi;
}

static char *name_of(uint32_t abi, int number)
{
	return abi ? seccomp_syscall_resolve_num_arch(abi, number) : NULL;
}

#else

static uint32_t abi_of(const char *arch)
{
	(void)arch;
	return 0;
}

static uint32_t compat_of(uint32_t abi)
{
	return abi;
}

static char *name_of(uint32_t abi, int number)
{
	(void)abi;
	(void)number;
	return NULL;
}

#endif

/* Those that the kernel uses itself, and shows to tracers: include/linux/errno.h. */
static const char *error_name(int error)
{
	static const struct {
		int error;
		const char *name;
	} internal[] = { { 512, "ERESTARTSYS" },
			 { 513, "ERESTARTNOINTR" },
			 { 514, "ERESTARTNOHAND" },
			 { 516, "ERESTART_RESTARTBLOCK" } };

	for (size_t i = 0; i < sizeof(internal) / sizeof(*internal); i++) {
		if (internal[i].error == error)
			return internal[i].name;
	}
#ifdef HAVE_STRERRORNAME_NP
	return strerrorname_np(error);
#else
	return NULL;
#endif
}

struct syscall_names *syscall_names_new(struct frame_table *frames, struct strtab *texts,
					const char *arch)
{
	struct syscall_names *n = mem_alloc(sizeof(*n));

	n->frames = frames;
	n->texts = texts;
	n->abis[SYSCALL_OWN] = abi_of(arch);
	n->abis[SYSCALL_COMPAT] = compat_of(n->abis[SYSCALL_OWN]);
	return n;
}

void syscall_names_free(struct syscall_names *n)
{
	free(n);
}

static uint32_t call_frame(const struct syscall_names *n, uint32_t number, enum syscall_abi abi)
{
	char *name = number < NUMBERS ? name_of(n->abis[abi], (int)number)
				      : mem_strdup("[no such call]");
	struct frame_key key = { .object = CALLS,
				 .symbol = number + (uint32_t)abi * (NUMBERS + 1),
				 .object_path = "[syscall]",
				 .object_name = "[syscall]",
				 .flags = FRAME_KERNEL };
	uint32_t frame;

	if (!name)
		name = mem_printf("syscall %u", number);
	key.raw = name;
	frame = frame_table_add(n->frames, &key);
	free(name);
	return frame;
}

uint32_t syscall_names_call(struct syscall_names *n, int64_t number, enum syscall_abi abi)
{
	uint32_t i = number >= 0 && number < NUMBERS ? (uint32_t)number : NUMBERS;

	if (!n->calls[abi][i])
		n->calls[abi][i] = call_frame(n, i, abi);
	return n->calls[abi][i];
}

static uint32_t error_frame(const struct syscall_names *n, int error)
{
	const char *name = error_name(error);
	struct frame_key key = { .object = ERRORS + (uint32_t)error, .flags = FRAME_UNKNOWN };
	char *text = name ? mem_strdup(name) : mem_printf("errno %d", error);

	key.object_path = key.object_name = strtab_add(n->texts, text);
	free(text);
	return frame_table_add(n->frames, &key);
}

uint32_t syscall_names_error(struct syscall_names *n, int64_t result)
{
	if (result >= 0 || result < -ERROR_MAX)
		return 0;
	if (!n->errors[-result])
		n->errors[-result] = error_frame(n, (int)-result);
	return n->errors[-result];
}
