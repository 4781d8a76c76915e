/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_KCORE_H
#define PTOP_SYMBOL_KCORE_H

#include "base/error.h"
#include "symbol/object.h"

/*
 * The kernel's own memory as an ELF core: /proc/kcore (proc(5)), or the copy of its code that `perf
 * record --kcore` keeps.
 *
 * Segments, the modules' code included, are at the addresses of /proc/kallsyms.  The code is as it
 * runs: after its alternatives were chosen and its static keys set, which a vmlinux does not know.
 */

/*
 * Opens it; object_read_code() of the result takes these addresses.  Owned by the caller.  Returns
 * NULL with ERR saying why: the kernel has none, this user may not read it, or the kernel is locked
 * down.
 */
struct object *kcore_open(const char *path, struct error *err);

#endif
