/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_SYSCALL_NAMES_H
#define PTOP_NAMING_SYSCALL_NAMES_H

#include <stdint.h>

#include "base/strtab.h"
#include "profile/frame.h"

/*
 * Frames of system calls and of their errors.  Names come from libseccomp; without it, or of a machine that it does
 * not know, a call is "syscall 17".
 */
struct syscall_names;

enum syscall_abi {
	SYSCALL_OWN,    /* of the machine */
	SYSCALL_COMPAT, /* of 32-bit programs on a 64-bit machine, whose numbers differ */
	SYSCALL_ABIS
};

/* FRAMES and TEXTS are borrowed; TEXTS live as long as FRAMES.  ARCH as uname(2) says; NULL or "": this one. */
struct syscall_names *syscall_names_new(struct frame_table *frames, struct strtab *texts,
					const char *arch);
void syscall_names_free(struct syscall_names *n); /* NULL is allowed */

/* The frame of the call, of the object "[syscall]".  Any number may come: those that cannot be share one. */
uint32_t syscall_names_call(struct syscall_names *n, int64_t number, enum syscall_abi abi);

/* A frame without a symbol whose object is called as the error of RESULT, "ENOENT"; 0: it is no error. */
uint32_t syscall_names_error(struct syscall_names *n, int64_t result);

#endif
