/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/named-file.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/own-file.h"
#include "base/alloc.h"
#include "base/i18n.h"

#define NAME_SIZE_MAX 40
#define OTHERS_MAX 100 /* names that a folder adds; more are not listed, but found */

/* The files of data/, each a string: profiles_java, themes_dark and so on. */
#include "app/named-texts.h"

/* clang-format off */
static const struct built_in {
	enum named_kind kind;
	const char *name, *help, *text;
} built_ins[] = {
	{ NAMED_PROFILE, "java", N_("Java: names of compiled code, threads, stacks"), profiles_java },
	{ NAMED_PROFILE, "io", N_("what each process reads and writes, and how long it waits for that"), profiles_io },
	{ NAMED_PROFILE, "scheduler", N_("how each process spends its time: on CPUs, in their queues, waiting; switches"), profiles_scheduler },
	{ NAMED_THEME, "auto", N_("dark or light where the terminal tells, else colours that are readable on both"), themes_auto },
	{ NAMED_THEME, "dark", N_("for dark backgrounds"), themes_dark },
	{ NAMED_THEME, "light", N_("for light backgrounds"), themes_light },
	{ NAMED_THEME, "contrast", N_("high contrast, on a black background of its own"), themes_contrast },
	{ NAMED_THEME, "colorblind", N_("for people who cannot tell red from green"), themes_colorblind },
	{ NAMED_THEME, "mono", N_("no colours"), themes_mono },
};
/* clang-format on */

#define BUILT_INS (sizeof(built_ins) / sizeof(*built_ins))

static const char *const folder_names[NAMED_KINDS] = {
	[NAMED_PROFILE] = "profiles", [NAMED_THEME] = "themes"
};

static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_";
	size_t size = strspn(name, letters);

	return size && !name[size] && size <= NAME_SIZE_MAX;
}

static const struct built_in *built_in_find(enum named_kind kind, const char *name)
{
	for (size_t i = 0; i < BUILT_INS; i++) {
		if (built_ins[i].kind == kind && !strcmp(built_ins[i].name, name))
			return &built_ins[i];
	}
	return NULL;
}

const char *named_built_in(enum named_kind kind, size_t i)
{
	for (size_t at = 0; at < BUILT_INS; at++) {
		if (built_ins[at].kind == kind && !i--)
			return built_ins[at].name;
	}
	return NULL;
}

/* The folders with files of KIND: a person's own, and that of the installation.  False: there is none. */
static bool own_folder_of(enum named_kind kind, struct buf *out)
{
	if (own_folder(out, NULL))
		return false;
	buf_printf(out, "/%s", folder_names[kind]);
	return true;
}

static bool installed_folder_of(enum named_kind kind, struct buf *out)
{
	buf_printf(out, PKGDATADIR "/%s", folder_names[kind]);
	return true;
}

static bool (*const folders[])(enum named_kind kind, struct buf *out) = { own_folder_of,
									  installed_folder_of };
#define FOLDERS (sizeof(folders) / sizeof(*folders))

static int wrong_name(enum named_kind kind, const char *name, struct error *err)
{
	if (kind == NAMED_THEME)
		return error_set(err, _("'%.60s' is no name of a theme: letters, digits, - and _"),
				 name);
	return error_set(err, _("'%.60s' is no name of a profile: letters, digits, - and _"), name);
}

static int unknown(enum named_kind kind, const char *name, struct error *err)
{
	struct named_names n;
	struct buf names = { 0 };

	named_names_init(&n, kind);
	for (size_t i = 0; i < n.count; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", n.items[i].name);
	if (kind == NAMED_THEME)
		error_set(err, _("unknown theme '%s': there are %s"), name, names.bytes);
	else
		error_set(err, _("unknown profile '%s': there are %s"), name, names.bytes);
	buf_fini(&names);
	named_names_fini(&n);
	return -1;
}

int named_file_open(struct named_file *f, enum named_kind kind, const char *name, struct error *err)
{
	const struct built_in *b = built_in_find(kind, name);

	*f = (struct named_file){ 0 };
	if (!is_name(name))
		return wrong_name(kind, name, err);
	for (size_t i = 0; i < FOLDERS; i++) {
		struct error why;
		int result;

		buf_clear(&f->path);
		if (!folders[i](kind, &f->path))
			continue;
		buf_printf(&f->path, "/%s", name);
		result = own_file_read(f->path.bytes, &f->text, &why);
		if (result < 0)
			return error_set(err, _("%s: not read: %s"), f->path.bytes, why.text);
		if (!result)
			return 0;
	}
	if (!b)
		return unknown(kind, name, err);
	buf_clear(&f->path);
	buf_add_str(&f->path, name);
	buf_add_str(&f->text, b->text);
	return 0;
}

void named_file_fini(struct named_file *f)
{
	buf_fini(&f->path);
	buf_fini(&f->text);
}

int named_file_check(enum named_kind kind, const char *name, struct error *err)
{
	struct named_file f;
	int failed = named_file_open(&f, kind, name, err);

	named_file_fini(&f);
	return failed;
}

static bool has_name(const struct named_names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++) {
		if (!strcmp(n->items[i].name, name))
			return true;
	}
	return false;
}

static void add_name(struct named_names *n, const char *name, const char *help)
{
	mem_grow((void **)&n->items, &n->capacity, n->count + 1, sizeof(*n->items));
	n->items[n->count++] = (struct named_name){ mem_strdup(name), help };
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct named_name *)a)->name, ((const struct named_name *)b)->name);
}

static void add_folder(struct named_names *n, const char *path, size_t max)
{
	DIR *folder = opendir(path);

	for (struct dirent *e; folder && n->count < max && (e = readdir(folder));) {
		if (is_name(e->d_name) && !has_name(n, e->d_name))
			add_name(n, e->d_name, "");
	}
	if (folder)
		closedir(folder);
}

void named_names_init(struct named_names *n, enum named_kind kind)
{
	struct buf path = { 0 };
	size_t built_in;

	*n = (struct named_names){ 0 };
	for (size_t i = 0; i < BUILT_INS; i++) {
		if (built_ins[i].kind == kind)
			add_name(n, built_ins[i].name, _(built_ins[i].help));
	}
	built_in = n->count;
	for (size_t i = 0; i < FOLDERS; i++) {
		buf_clear(&path);
		if (folders[i](kind, &path))
			add_folder(n, path.bytes, built_in + OTHERS_MAX);
	}
	qsort(n->items + built_in, n->count - built_in, sizeof(*n->items), compare_names);
	buf_fini(&path);
}

void named_names_fini(struct named_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i].name);
	free(n->items);
	*n = (struct named_names){ 0 };
}
