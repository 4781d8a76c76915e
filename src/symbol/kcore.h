/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_KCORE_H
#define PTOP_SYMBOL_KCORE_H

#include "base/error.h"
#include "symbol/object.h"

/*
 * The kernel's own memory as an ELF core: /proc/kcore (proc(5)), or the copy of its code that `perf
 * record --kcore` keeps.  Segments are at the addresses of /proc/kallsyms, with the modules' code, and
 * code is as it runs: after its alternatives were chosen and its static keys set, which a vmlinux
 * does not know.
 */

/*
 * Owned by the caller; its object_read_code() takes those addresses.  NULL with ERR saying why: the
 * kernel has none, or it is not for this user, or for nobody in a kernel that is locked down.
 */
struct object *kcore_open(const char *path, struct error *err);

#endif
