/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/kmodule.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "symbol/kernel.h"
#include "symbol/scan.h"
#include "worker/sealed.h"

#define ADDRESS_BYTES 64u

/* "0xffffffffc0a00000"; 0 for whoever may not see it. */
static bool read_address(int directory, const char *name, uint64_t *address)
{
	char text[ADDRESS_BYTES];
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct scan line = { text, fd < 0 ? 0 : io_read_at(fd, 0, text, sizeof(text)) };

	io_close(&fd);
	return scan_char(&line, '0') && scan_char(&line, 'x') && scan_hex(&line, address) &&
	       *address;
}

static void add_section(struct kmodule *m, size_t *capacity, const char *name, uint64_t address)
{
	struct kmodule_section *s;

	mem_grow_zeroed((void **)&m->sections, capacity, m->section_count + 1, sizeof(*s));
	s = &m->sections[m->section_count++];
	memcpy(s->name, name, strlen(name));
	s->address = address;
}

static int by_name(const void *left, const void *right)
{
	const struct kmodule_section *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int read_sections(struct kmodule *m, const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	size_t capacity = 0;
	uint64_t address;

	if (!d)
		return -errno;
	while (m->section_count < KMODULE_SECTIONS_MAX && (e = readdir(d)))
		if (strlen(e->d_name) < KMODULE_SECTION_NAME &&
		    read_address(dirfd(d), e->d_name, &address))
			add_section(m, &capacity, e->d_name, address);
	closedir(d);
	if (!m->section_count)
		return -EACCES;
	qsort(m->sections, m->section_count, sizeof(*m->sections), by_name);
	return 0;
}

static void find_file(struct kmodule *m, const struct kmodule_roots *roots, const char *name)
{
	char list[4096], file[KMODULE_FILE];

	snprintf(list, sizeof(list), "%s/%s/modules.dep", roots->files, roots->release);
	if (*roots->release && kernel_module_file(list, name, file, sizeof(file)) &&
	    snprintf(m->file, sizeof(m->file), "%s/%s", roots->release, file) >=
		    (int)sizeof(m->file))
		m->file[0] = '\0';
}

int kmodule_read(struct kmodule *m, const struct kmodule_roots *roots, const char *name,
		 struct error *err)
{
	char path[4096];
	int failed;

	*m = (struct kmodule){ .sections = NULL };
	if (!*name || *name == '.' || strchr(name, '/'))
		return error_set(err, "%s: %s", name, strerror(EINVAL));
	snprintf(path, sizeof(path), "%s/%s/notes/.note.gnu.build-id", roots->sys, name);
	m->build_id = kernel_build_id(path);
	snprintf(path, sizeof(path), "%s/%s/sections", roots->sys, name);
	failed = read_sections(m, path);
	if (failed)
		return error_set(err, "%s: %s", path, strerror(-failed));
	find_file(m, roots, name);
	return 0;
}

void kmodule_fini(struct kmodule *m)
{
	free(m->sections);
	*m = (struct kmodule){ .sections = NULL };
}

static int compare_name(const void *name, const void *section)
{
	return strcmp(name, ((const struct kmodule_section *)section)->name);
}

bool kmodule_address(const struct kmodule *m, const char *section, uint64_t *address)
{
	const struct kmodule_section *s = m->section_count
						  ? bsearch(section, m->sections, m->section_count,
							    sizeof(*m->sections), compare_name)
						  : NULL;

	if (s)
		*address = s->address;
	return s != NULL;
}

/* In front of the sections. */
struct head {
	struct build_id build_id;
	char file[KMODULE_FILE];
};

static void fill(char *at, const void *context)
{
	const struct kmodule *m = context;
	struct head head;

	memset(&head, 0, sizeof(head));
	head.build_id = m->build_id;
	memcpy(head.file, m->file, sizeof(head.file));
	memcpy(at, &head, sizeof(head));
	if (m->section_count)
		memcpy(at + sizeof(head), m->sections, m->section_count * sizeof(*m->sections));
}

int kmodule_send(const struct kmodule *m)
{
	return sealed_write(sizeof(struct head) + m->section_count * sizeof(*m->sections), fill, m);
}

/* A worker takes no size on trust, and no text without an end. */
static void bound(struct kmodule *m)
{
	m->build_id = build_id_of(m->build_id.bytes, m->build_id.size);
	m->file[sizeof(m->file) - 1] = '\0';
	for (size_t i = 0; i < m->section_count; i++)
		m->sections[i].name[sizeof(m->sections[i].name) - 1] = '\0';
}

bool kmodule_receive(struct kmodule *m, int fd)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	struct head head;

	*m = (struct kmodule){ .sections = NULL };
	if (size < (off_t)sizeof(head) || io_read_at(fd, 0, &head, sizeof(head)) != sizeof(head))
		return false;
	m->build_id = head.build_id;
	memcpy(m->file, head.file, sizeof(m->file));
	m->section_count = ((size_t)size - sizeof(head)) / sizeof(*m->sections);
	if (m->section_count > KMODULE_SECTIONS_MAX)
		m->section_count = KMODULE_SECTIONS_MAX;
	m->sections = mem_array(m->section_count, sizeof(*m->sections));
	io_read_at(fd, sizeof(head), m->sections, m->section_count * sizeof(*m->sections));
	bound(m);
	return true;
}
