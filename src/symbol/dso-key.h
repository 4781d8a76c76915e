/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_DSO_KEY_H
#define PTOP_SYMBOL_DSO_KEY_H

#include <stdint.h>

#include "base/build-id.h"

/*
 * The identity of an object, by which its file is found: for its cache, its loader and the readers
 * of files.
 */
enum dso_kind {
	DSO_FILE,   /* an ELF file */
	DSO_KERNEL, /* the kernel and its modules: one object, absolute addresses */
	DSO_VDSO,
	DSO_JIT,     /* executable memory of one process: jitdump, /tmp/perf-PID.map */
	DSO_BPF,     /* code that the kernel made during the recording: dso_kernel_symbol() */
	DSO_FOREIGN, /* another kernel, or a module of it: no symbols */
	DSO_UNKNOWN, /* nothing is mapped there */
};

/* The way to the object for the loader: any process that maps it. */
struct dso_key {
	enum dso_kind kind;
	const char *path;            /* as mapped, in that process's mount namespace; interned */
	uint32_t pid;                /* a process that maps it */
	uint32_t nspid;              /* JIT: its pid in its own namespace, 0 the same */
	uint32_t uid;                /* the user of that process, who pays for the object */
	uint64_t map_start, map_end; /* of the mapping in that process: for /proc/PID/map_files */
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	struct build_id build_id;
};

#endif
