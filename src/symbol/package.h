/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_PACKAGE_H
#define PTOP_SYMBOL_PACKAGE_H

#include "symbol/load-state.h"

/*
 * The package that installed a file, according to dpkg(1): /var/lib/dpkg/info/NAME.list or
 * NAME:ARCHITECTURE.list has its files, one a line.  All lists are read, some 20 MB, so this is for
 * few objects, and not for a thread that others wait for.
 */

/*
 * The name of the package of L's file, in the root directory of its process while that lives.
 * Owned by the caller.  Returns NULL if no package has it, or if dpkg is not used there.
 */
char *package_of(struct load *l);

/* The package with the debug files of PACKAGE; owned by the caller. */
char *package_for_debugging(const char *package);

#endif
