/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_RUNTIME_JSON_H
#define PTOP_PROC_RUNTIME_JSON_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the strings of a JSON text (RFC 8259) one after the other, with the names that lead to them.  For
 * files of container runtimes, of which a few strings are wanted: numbers are skipped, and no tree is
 * made.  A damaged text gives what could be read of it; time is linear, memory fixed.
 */
#define JSON_DEPTH 32        /* deeper strings are skipped */
#define JSON_NAME_BYTES 64   /* a longer name of a member is cut */
#define JSON_VALUE_BYTES 256 /* and a longer string */

struct json {
	const char *at, *end; /* borrowed */
	size_t depth;         /* objects and lists around; may be above JSON_DEPTH */
	struct json_level {
		bool object, valued; /* valued: a name was read, its value comes next */
		char name[JSON_NAME_BYTES];
	} levels[JSON_DEPTH];
};

struct json_string {
	char value[JSON_VALUE_BYTES]; /* UTF-8, escapes replaced; NUL bytes end it */
	size_t depth;                 /* 1: a member of the outermost object */
	const char *name;             /* of the member, or of the list that it is in; "" none */
	const char *parent;           /* the name of the object that the member is in; "" none */
};

void json_init(struct json *j, const char *text, size_t size);

/* The next string that is a value.  Its names are valid until the next call.  False at the end. */
bool json_next(struct json *j, struct json_string *s);

#endif
