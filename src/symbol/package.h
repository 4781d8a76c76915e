/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_PACKAGE_H
#define PTOP_SYMBOL_PACKAGE_H

#include "symbol/load.h"

/*
 * The package that a file came with, as dpkg(1) wrote it down: /var/lib/dpkg/info/NAME.list or
 * NAME:ARCHITECTURE.list names its files, one a line.  All lists are read for it, some 20 MB: this is
 * for few objects, and not for a thread that others wait for.
 */

/*
 * The name of the package of L's file, in the root directory of the process that maps it as long as
 * that lives.  Owned by the caller; NULL when none has it, or dpkg is not used there.
 */
char *package_of(struct load *l);

/* The package that has the debug file for what PACKAGE brings; owned by the caller. */
char *package_for_debugging(const char *package);

#endif
