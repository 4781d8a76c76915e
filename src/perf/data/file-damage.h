/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_DAMAGE_H
#define PTOP_PERF_DATA_FILE_DAMAGE_H

#include <stdint.h>

#include "base/error.h"

/* The unreadable parts of a recording.  Zeroed: nothing yet.  Inside perf/ only. */
struct file_damage {
	uint64_t bytes, records; /* left out */
	struct error first;      /* what was found first; "" nothing */
};

/* Keeps the text if it is the first one.  The caller counts bytes and records itself. */
void file_damage_note(struct file_damage *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
