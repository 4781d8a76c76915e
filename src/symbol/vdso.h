/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_VDSO_H
#define PTOP_SYMBOL_VDSO_H

#include "symbol/object.h"

/*
 * The code that the kernel maps into every process (vdso(7)), read from this process's memory; NULL
 * when there is none.  A 32-bit process on a 64-bit kernel has another one, which is not known.
 */
struct object *vdso_open(void);

/* Its build id, as object_build_id() says; 0 when there is none. */
size_t vdso_build_id(uint8_t id[OBJECT_BUILD_ID_MAX]);

#endif
