/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/build-id.h"

#include <stdio.h>
#include <string.h>

struct build_id build_id_of(const void *bytes, size_t size)
{
	struct build_id id = { { 0 }, 0 };

	if (size && size <= sizeof(id.bytes)) {
		memcpy(id.bytes, bytes, size);
		id.size = (uint8_t)size;
	}
	return id;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

const char *build_id_format(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	text[0] = '\0';
	for (size_t i = 0; i < id->size; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
	return text;
}
