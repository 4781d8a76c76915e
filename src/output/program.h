/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_PROGRAM_H
#define PTOP_OUTPUT_PROGRAM_H

#include <stdint.h>

#include "profile/snapshot.h"

/*
 * A frame in the main program of a profile, or 0 if there is none: pprof shows its file as the
 * profile's.
 *
 * The main program is the object with the most samples, anywhere in a stack, that is a file but no
 * shared library.  Samples of a process's own executable count twice.  The executable is recognised
 * by its name, which is the process's comm; with scripts, or versions behind a link, no file has
 * that name.
 */
uint32_t program_frame(const struct snapshot *s);

#endif
