/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_OWNER_H
#define PTOP_BASE_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/*
 * Who may know all of a process: a user with a group.  The kernel lets him trace it if all of its user ids and group ids
 * are these, and it has no capabilities (ptrace(2), PTRACE_MODE_READ).
 */
#define OWNER_NOBODY UINT64_MAX /* nobody but root, or unknown */

static inline uint64_t owner_make(uint32_t uid, uint32_t gid)
{
	return (uint64_t)gid << 32 | uid;
}

static inline uint32_t owner_uid(uint64_t owner)
{
	return (uint32_t)owner;
}

/* Returns true for root and the user of ptop: what their files and programs cost, others did not choose. */
static inline bool owner_trusts(uint32_t uid)
{
	return uid == 0 || uid == getuid();
}

#endif
