/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_PACKAGE_H
#define PTOP_SYMBOL_PACKAGE_H

#include "base/build-id.h"
#include "symbol/load-state.h"

/*
 * Names the package whose debug files would help, in the words that the package manager of a root directory takes.
 * No library is needed, and no package manager runs.
 *
 * dpkg(1): /var/lib/dpkg/info/NAME.list or NAME:ARCHITECTURE.list has the files of a package, one a
 * line.  All lists are read, some 20 MB, so this is for few objects, and not for a thread that others
 * wait for.
 *
 * rpm(8): each package of debug files provides "debuginfo(build-id) = ID" (/usr/lib/rpm/debuginfo.prov),
 * so a build id names it in the repositories.  The database of installed packages would tell less: what it
 * has needs no installing.  It is only looked for, never read.
 */

/*
 * Returns what to install for L's file, whose build id is ID: "libfoo1-dbgsym", "debuginfo(build-id) = 89ab…".  The
 * root directory is that of the file's process while that lives.  Owned by the caller.  Returns NULL if no
 * package has the file, if an rpm system's file has no build id, or if neither is used there.
 */
char *package_for_debugging(struct load *l, const struct build_id *id);

#endif
