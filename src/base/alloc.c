/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set once, before any thread, and only read afterwards: what fails has no context at hand. */
static void (*on_failure)(void);

void mem_tune(void)
{
	mallopt(M_ARENA_MAX, 2);
	mallopt(M_MMAP_THRESHOLD, 4 * 1024 * 1024);
	mallopt(M_TRIM_THRESHOLD, 8 * 1024 * 1024);
}

void mem_on_failure(void (*tell)(void))
{
	on_failure = tell;
}

__attribute__((noreturn)) static void fail(void)
{
	if (on_failure)
		on_failure();
	abort();
}

static void *checked(void *p)
{
	if (!p)
		fail();
	return p;
}

void *mem_alloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *mem_array(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void mem_free_each(void *const *pointers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(pointers[i]);
}

char *mem_strdup(const char *s)
{
	return checked(strdup(s));
}

char *mem_strndup(const char *s, size_t n)
{
	return checked(strndup(s, n));
}

char *mem_printf(const char *format, ...)
{
	va_list args;
	char *s;

	va_start(args, format);
	if (vasprintf(&s, format, args) < 0)
		fail();
	va_end(args);
	return s;
}

void mem_grow(void **items, size_t *capacity, size_t need, size_t size)
{
	size_t room = *capacity;
	void *array;

	if (need <= room)
		return;
	room = room ? room : 8;
	while (room < need) {
		if (room > SIZE_MAX / 2)
			fail();
		room *= 2;
	}
	/* Through memcpy: the pointer is of the caller's type, not of type void *. */
	memcpy(&array, items, sizeof(array));
	array = checked(reallocarray(array, room, size));
	memcpy(items, &array, sizeof(array));
	*capacity = room;
}

void mem_grow_zeroed(void **items, size_t *capacity, size_t need, size_t size)
{
	size_t had = *capacity;
	char *array;

	mem_grow(items, capacity, need, size);
	memcpy(&array, items, sizeof(array));
	if (*capacity > had)
		memset(array + had * size, 0, (*capacity - had) * size);
}
