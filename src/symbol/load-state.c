/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/load-state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "symbol/loader.h"
#include "symbol/object.h"
#include "symbol/vdso.h"

void load_missing(struct load *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(l->missing, sizeof(l->missing), format, args);
	va_end(args);
}

void load_missing_more(struct load *l, const char *text)
{
	size_t used = strlen(l->missing);

	snprintf(l->missing + used, sizeof(l->missing) - used, "; %s", text);
}

bool load_trusts(const struct load *l, const struct stat *file)
{
	char path[4096];
	struct stat process;

	if (file->st_uid == 0)
		return true;
	snprintf(path, sizeof(path), "%s/%u", l->proc_root, l->key.pid);
	if (stat(path, &process) < 0)
		return file->st_uid == getuid();
	return process.st_uid == file->st_uid;
}

void load_debug_path(struct load *l, const char *path)
{
	size_t size = strnlen(path, sizeof(l->debug_path) - 1);

	memcpy(l->debug_path, path, size);
	l->debug_path[size] = '\0';
}

void load_open_file(struct load *l)
{
	struct stat st;

	if (l->has_file || l->object || l->key.kind != DSO_FILE)
		return;
	l->file = object_open_key(l->proc_root, &l->key, &l->error);
	l->has_file = l->file >= 0;
	if (l->has_file && !fstat(l->file, &st))
		l->file_bytes = (uint64_t)st.st_size;
}

void load_open(struct load *l)
{
	if (l->object)
		return;
	if (l->key.kind == DSO_VDSO) {
		l->object = vdso_open();
		return;
	}
	load_open_file(l);
	if (l->has_file)
		l->object = object_new(l->file);
	l->has_file = false;
}

/*
 * /proc/kallsyms reports a size of 0 bytes, but is some 10 MB of text that the kernel makes during
 * the reading.  A person mostly waits for programs, which are quicker.
 */
#define KALLSYMS_COST (32u * 1024 * 1024)

uint64_t load_cost(const struct load *l)
{
	if (l->key.kind == DSO_KERNEL)
		return KALLSYMS_COST;
	return l->object ? l->object->size : l->file_bytes;
}

uint32_t load_owner(const struct load *l)
{
	char path[4096];
	struct stat st;

	if (l->key.kind == DSO_JIT) {
		snprintf(path, sizeof(path), "%s/%u", l->proc_root, l->key.pid);
		return stat(path, &st) < 0 ? 0 : st.st_uid;
	}
	if (l->has_file)
		return fstat(l->file, &st) < 0 ? 0 : st.st_uid;
	if (l->object && l->key.kind == DSO_FILE)
		return fstat(l->object->fd, &st) < 0 ? 0 : st.st_uid;
	return LOADER_NOBODY;
}

const char *load_rest_text(void)
{
	return _("waiting: files of its user took too much CPU time");
}

void load_fini(struct load *l)
{
	symtab_builder_free(l->builder);
	l->builder = NULL;
	object_free(l->object);
	l->object = NULL;
	object_free(l->fetched);
	l->fetched = NULL;
	if (l->has_file)
		close(l->file);
	l->has_file = false;
}
