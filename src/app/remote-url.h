/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_REMOTE_URL_H
#define PTOP_APP_REMOTE_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* ssh://[USER@]HOST[:PORT][/PROGRAM], of --attach (app/remote.h). */
#define REMOTE_SCHEME "ssh://"

bool remote_is_url(const char *text); /* it begins as one */

/* 0, or -1 with ERR set: no part may be an option of ssh, or more than a word of the shell there. */
int remote_check(const char *url, struct error *err);

/* A part is not terminated. */
struct remote_part {
	const char *at;
	size_t size;
};

/* `at` is NULL where there is none; the program begins with '/', or has no bytes. */
struct remote_url {
	struct remote_part user, host, port, program;
};

/* The parts of a URL, which are of its text. */
struct remote_url remote_split(const char *url);

#endif
