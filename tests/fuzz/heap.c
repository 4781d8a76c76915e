/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "heap.h"

#include <stdatomic.h>
#include <stddef.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#endif

static _Atomic(int64_t) used, peak, marked;

static void count(int64_t bytes)
{
	int64_t now = atomic_fetch_add(&used, bytes) + bytes, before = atomic_load(&peak);

	while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
		;
}

void heap_mark(void)
{
	atomic_store(&marked, atomic_load(&used));
	atomic_store(&peak, atomic_load(&used));
}

uint64_t heap_growth(void)
{
	return (uint64_t)(atomic_load(&peak) - atomic_load(&marked));
}

#if SANITIZED

/* <sanitizer/allocator_interface.h>, which gcc does not install. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
					      void (*freed)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *p);

static void allocated(const volatile void *p, size_t size)
{
	if (p)
		count((int64_t)size);
}

static void freed(const volatile void *p)
{
	if (p)
		count(-(int64_t)__sanitizer_get_allocated_size(p));
}

void heap_watch(void)
{
	__sanitizer_install_malloc_and_free_hooks(allocated, freed);
}

#else

void heap_watch(void)
{
}

#ifdef __GLIBC__

/* glibc's own, under the names that it keeps for whoever replaces the others. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t members, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

static void *counted(void *p)
{
	count((int64_t)malloc_usable_size(p));
	return p;
}

void *malloc(size_t size)
{
	return counted(__libc_malloc(size));
}

void *calloc(size_t members, size_t size)
{
	return counted(__libc_calloc(members, size));
}

void *realloc(void *p, size_t size)
{
	int64_t before = (int64_t)malloc_usable_size(p);
	void *grown = __libc_realloc(p, size);

	if (grown || !size)
		count((int64_t)malloc_usable_size(grown) - before);
	return grown;
}

void *memalign(size_t alignment, size_t size)
{
	return counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *p = counted(__libc_memalign(alignment, size));

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void free(void *p)
{
	count(-(int64_t)malloc_usable_size(p));
	__libc_free(p);
}

#endif
#endif
