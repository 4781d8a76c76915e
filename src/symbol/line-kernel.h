/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINE_KERNEL_H
#define PTOP_SYMBOL_LINE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbol/kernel.h"
#include "symbol/kmodule.h"
#include "symbol/line-request.h"
#include "symbol/object.h"
#include "symbol/vmlinux.h"

/*
 * The kernel whose lines and code are asked for.  Its lists and its memory are the kernel's own word and are read
 * here.  A vmlinux is any file: a worker reads that (line-reader.h).
 */
#define LINE_KERNEL_RELEASE 128u

struct line_kernel {
	struct vmlinux_identity vmlinux;   /* its release is below */
	struct kernel_place place;         /* its `name` is NULL if unknown */
	char release[LINE_KERNEL_RELEASE]; /* as in uname(2); "" unknown */
	struct object *kcore;              /* owned; NULL: there is none, */
	struct error error;                /* because of that */
	bool is_module;                    /* instead of the vmlinux: */
	struct kmodule module;
	uint64_t modules_mark;     /* kernel_modules_mark() before it was read */
	struct error module_error; /* why its sections are not known; "" they are */
};

/* A module's key has its name in brackets, as in /proc/kallsyms. */
#define LINE_KERNEL_PATH "[kernel]"

/* Finds the running kernel, or that of O, or a module of it.  For a DSO_BPF only its memory is of use. */
void line_kernel_open(struct line_kernel *k, const struct dso_key *key,
		      const struct lines_options *o);
void line_kernel_close(struct line_kernel *k);

/* Returns true if modules have come or gone since: K's, if it is one, may be elsewhere now. */
bool line_kernel_has_moved(const struct line_kernel *k, const struct lines_options *o);

/*
 * Reads up to SIZE bytes of code at ADDRESS.  Returns their number, and in *MACHINE the machine of the code
 * (EM_X86_64, …).
 */
size_t line_kernel_code(const struct line_kernel *k, uint64_t address, void *bytes, size_t size,
			uint16_t *machine);

/* A kernel in a message to a worker: bytes that have no pointers and no padding. */
struct line_kernel_message {
	uint64_t start, end; /* of its place; 0: unknown */
	uint32_t by_stext;   /* that is by "_stext", not by "_text" */
	uint32_t local, id_size;
	uint32_t is_module; /* which comes with the first message (kmodule_send()) */
	unsigned char id[BUILD_ID_MAX];
	char release[LINE_KERNEL_RELEASE];
};

void line_kernel_send(const struct line_kernel *k, struct line_kernel_message *m);

/* In the worker: K has no memory of the kernel.  MODULE: the descriptor of one, which stays the caller's, or -1. */
void line_kernel_receive(struct line_kernel *k, const struct line_kernel_message *m, int module);

#endif
