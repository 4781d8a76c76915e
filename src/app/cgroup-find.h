/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_CGROUP_FIND_H
#define PTOP_APP_CGROUP_FIND_H

#include "base/error.h"

/*
 * The control group of -G, found on this machine.
 */
struct cgroup {
	char *directory;        /* of the group, absolute; owned, NULL: there is none */
	char *path;             /* of it below the mount point, "/" for that itself; owned */
	const char *controller; /* for cgroup_path_find() */
};

/*
 * Finds TEXT: a path below the mount point of the hierarchy that perf uses, or one with the mount
 * point in front.  "/system.slice" is such a path, as in /proc/PID/cgroup; its '/' may be left out.
 * Returns 0, or -1 with ERR set.
 */
int cgroup_resolve(struct cgroup *g, const char *text, struct error *err);
void cgroup_fini(struct cgroup *g);

#endif
