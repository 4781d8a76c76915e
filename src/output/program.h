/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_PROGRAM_H
#define PTOP_OUTPUT_PROGRAM_H

#include <stdint.h>

#include "profile/snapshot.h"

/*
 * A frame in the program that a profile is mainly of, 0 when there is none: pprof shows its file as the
 * profile's.  It is the object with the most samples, wherever in a stack, that is a file but no shared
 * library.  The executable of a process is known by its name, which the kernel gives the process as its
 * comm, and counts twice there; with scripts, or versions behind a link, no file has that name.
 */
uint32_t program_frame(const struct snapshot *s);

#endif
