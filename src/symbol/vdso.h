/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_VDSO_H
#define PTOP_SYMBOL_VDSO_H

#include "symbol/object.h"

/*
 * Opens the code that the kernel maps into every process (vdso(7)), read from this process's
 * memory, or returns NULL.  A 32-bit process on a 64-bit kernel has another one, which is unknown
 * here.
 */
struct object *vdso_open(void);

/* Its build id, as from object_build_id(). */
struct build_id vdso_build_id(void);

#endif
