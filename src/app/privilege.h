/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_PRIVILEGE_H
#define PTOP_APP_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "app/confine.h"
#include "app/options.h"
#include "base/buf.h"

/*
 * The rights of ptop, and the moments at which it gives some up (capabilities(7), seccomp(2)).
 * SECURITY.md has the model.
 *
 * It needs libcap to give up capabilities, and libseccomp to give up system calls.  Without them, or where the
 * kernel refuses, ptop keeps what it has; privilege_describe() says so.  A build with sanitizers or for
 * coverage keeps its system calls, which these need.
 */

/*
 * Call first.  A program file that is set-user-ID or has capabilities lends rights.  Then the real
 * user and group become the effective ones, so files are opened as that person.  The
 * lent capabilities that let ptop measure others remain; all others go.
 */
void privilege_begin(void);

bool privilege_is_lent(void); /* it has more rights than the person who started it */

struct privilege_needs privilege_needs_of(const struct options *o, pid_t command);

/*
 * Gives up what NEEDS does not name, for good: this thread and those that it starts later.  Its priority stays
 * (priority_keep()).  Call before any other thread is there, and after COMMAND was started, which would lose its rights too.
 */
void privilege_cut(const struct privilege_needs *needs);

/* Appends a line: what was given up, and why not all. */
void privilege_describe(struct buf *out);

#endif
