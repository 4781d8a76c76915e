/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/vdso.h"

#include <link.h>
#include <sys/auxv.h>

#define VDSO_BYTES_MAX (256 * 1024)

/* The kernel's image ends with its section headers; the memory behind may be unmapped. */
static size_t image_size(const ElfW(Ehdr) * header)
{
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	return header->e_shoff && size <= VDSO_BYTES_MAX ? size : 0;
}

struct object *vdso_open(void)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	size_t size = header ? image_size(header) : 0;

	return size ? object_new_from_memory(header, size) : NULL;
}

struct build_id vdso_build_id(void)
{
	struct object *o = vdso_open();
	struct build_id id = o ? object_build_id(o) : (struct build_id){ .size = 0 };

	object_free(o);
	return id;
}
