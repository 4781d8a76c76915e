/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_NAMED_FILE_H
#define PTOP_APP_NAMED_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Profiles and themes: files of settings that a person chooses by name.  The first of these is taken:
 *
 *   a person's own   ~/.config/ptop/profiles/NAME
 *   installed        /usr/share/ptop/profiles/NAME
 *   within ptop      what is installed, for a ptop that is not: data/profiles/NAME
 *
 * A name is no path: it has letters, digits, '-' and '_' of ASCII, and at most 40 of them.
 */
enum named_kind { NAMED_PROFILE, NAMED_THEME, NAMED_KINDS };

struct named_file {
	struct buf path; /* for messages; the name alone if the text is that within ptop */
	struct buf text;
};

/* Release F in any case.  -1 with ERR set if there is no such file, or if it is not to be read: see own-file.h. */
int named_file_open(struct named_file *f, enum named_kind kind, const char *name,
		    struct error *err);
void named_file_fini(struct named_file *f);

/* 0 if there is a file of this name, else -1 with ERR set to a line that has the names that there are. */
int named_file_check(enum named_kind kind, const char *name, struct error *err);

struct named_name {
	char *name;
	const char *help; /* translated; "" for one that did not come with ptop */
};

struct named_names {
	struct named_name *items;
	size_t count, capacity;
};

/* Those that come with ptop in their order, then the others in that of the alphabet.  Release N. */
void named_names_init(struct named_names *n, enum named_kind kind);
void named_names_fini(struct named_names *n);

/* Name number I of those that come with ptop; NULL past the last one. */
const char *named_built_in(enum named_kind kind, size_t i);

#endif
