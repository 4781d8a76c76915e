/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_KEYMAP_H
#define PTOP_UI_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct ui;

/*
 * The actions of keys.  A row of one table is one action, with the keys that it has unless a scheme
 * or a person bound others (ui/keymap.h).  The last line, the help, the palette and the check of
 * the manual page come from it.
 */
#define KEYS_OF_ROW 3

/* Where an action is of use: bits.  If two actions have one key, the one that is of use gets it. */
enum key_where {
	ON_PROCESS = 1, /* a list of processes has the keys */
	ON_EVENT = 2,
	ON_FUNCTION = 4,
	IN_TREE = 8,
	IN_CALLS = 16, /* call trees and flame graphs, which can be turned round */
	IN_CODE = 32,
	MAY_ACT = 64, /* this run may change processes */
};

struct key_row {
	uint32_t keys[KEYS_OF_ROW]; /* zeros at the end */
	const char *name;           /* for people who bind it: "sort-next"; NULL: not to be bound */
	const char *bar;            /* N_(): word in the last line; NULL: not there */
	const char *help;           /* N_() */
	void (*act)(struct ui *u, const struct key_row *row);
	long argument;  /* for ACT */
	unsigned where; /* bits of enum key_where, all of which it needs; 0: everywhere */
};

extern const struct key_row key_table[]; /* ends with a row whose act is NULL */

const struct key_row *key_named(const char *name); /* or NULL */
void key_label(uint32_t key, char out[16]);        /* "q", "F10", "PgUp", "Space" */
uint32_t key_parse(const char *label);             /* the key of that label; 0: none */

/*
 * The bindings of keys: the table in ui/key.c and the keys of views, then the changes of a scheme
 * (--keys), then those of a person (--bind).  An action or a view can be bound, by its name.
 */
struct view_kind;

#define KEYMAP_MAX 256

struct key_binding {
	uint32_t key;
	const struct key_row *row;    /* NULL for a view */
	const struct view_kind *view; /* NULL for an action */
};

struct keymap {
	const struct key_scheme *scheme;
	struct key_binding
		bindings[KEYMAP_MAX]; /* the first one for a key counts, see keymap_find() */
	size_t count;
};

/* The schemes of --keys. */
struct key_scheme {
	const char *name;
	const char *help;    /* N_() */
	const char *changes; /* as for keymap_bind(); a space between the parts */
};
extern const struct key_scheme key_schemes[]; /* the first is the default; ends with name NULL */

const struct key_scheme *key_scheme_find(const char *name); /* or NULL */

/* The keys of SCHEME, a name, or NULL for the first; then those of BINDINGS, or NULL.  Both are right. */
void keymap_init(struct keymap *m, const char *scheme, const char *bindings);

/*
 * Binds keys: TEXT is "KEY ACTION, KEY ACTION, …".  KEY is as the help writes it, ACTION a name of the table of
 * keys, or of a view, or "nothing".  A key loses what it did before.  Returns -1 with ERR set if a key or an action
 * is not known, or if a key is there twice; M may be NULL.
 */
int keymap_bind(struct keymap *m, const char *text, struct error *err);

/*
 * Finds the action of KEY where the bits of WHERE hold (enum key_where): one that is of use there,
 * or else the first; or NULL.
 */
const struct key_binding *keymap_find(const struct keymap *m, uint32_t key, unsigned where);

/* Appends the keys of ROW, or of a view, a space between: "q F10"; "" if it has none. */
void keymap_names(const struct keymap *m, const struct key_binding *of, struct buf *out);
/* The last key of ROW, which is the shortest to write, that does it where WHERE holds; 0: none does. */
uint32_t keymap_key(const struct keymap *m, const struct key_row *row, unsigned where);

/* Appends a sentence for each action that had a key and has none now; nothing if all have. */
void keymap_lost(const struct keymap *m, struct buf *out);

#endif
