/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/widget/text.h"

void texts_init(struct texts *t)
{
	*t = (struct texts){ .strings = strtab_new() };
}

void texts_fini(struct texts *t)
{
	map_fini(&t->numbers);
	strtab_free(t->strings);
	free(t->items);
}

size_t texts_add(struct texts *t, const char *raw)
{
	struct buf clean = { 0 };
	const char *text;
	size_t number;

	text_sanitize(&clean, raw, strlen(raw), false);
	text = strtab_add(t->strings, clean.bytes ? clean.bytes : "");
	buf_fini(&clean);
	number = map_enter(&t->numbers, (uintptr_t)text);
	if (number == t->count) {
		mem_grow((void **)&t->items, &t->capacity, number + 1, sizeof(*t->items));
		t->items[t->count++] = text;
	}
	return number;
}
