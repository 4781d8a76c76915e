/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_BUILD_ID_H
#define PTOP_BASE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The bytes that tell one build of a file from all others, from the note NT_GNU_BUILD_ID that the
 * linker wrote.  Zeroed it is none.  The kernel's records have room for no longer one.
 */
#define BUILD_ID_MAX 20

struct build_id {
	unsigned char bytes[BUILD_ID_MAX];
	uint8_t size; /* bytes; 0: none */
};

#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)

/* The SIZE bytes at BYTES, which may be foreign; none when they are more than one can have. */
struct build_id build_id_of(const void *bytes, size_t size);

/* Returns true if both have the same bytes; none is equal to none. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);

/* Writes ID as hexadecimal digits, "" for none.  Returns TEXT. */
const char *build_id_format(const struct build_id *id, char text[BUILD_ID_TEXT]);

#endif
