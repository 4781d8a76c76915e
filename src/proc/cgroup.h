/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_CGROUP_H
#define PTOP_PROC_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scanner.h"

/*
 * Parsers of what /proc says about control groups (cgroups(7)).  Pure: they take (bytes, size) and
 * return pieces of these bytes.
 */
struct cgroup_path {
	const char *at; /* in the text; not NUL-terminated */
	size_t size;    /* bytes, at least 1: it begins with '/' */
};

/*
 * Finds the group of CONTROLLER's hierarchy in the text of /proc/PID/cgroup.  CONTROLLER is
 * "perf_event" for version 1, "" for version 2.
 *
 * CONTROLLER NULL chooses the most informative group.  That is the group of version 2; if that is
 * the root or absent, the first other group that is not the root; else a root.  Returns false if
 * there is no group.
 *
 *	0::/system.slice/docker-4f1c….scope
 *	4:memory:/docker/4f1c…
 */
bool cgroup_path_find(const char *text, size_t size, const char *controller,
		      struct cgroup_path *path);

/* Returns true if PATH is GROUP or lies below it. */
bool cgroup_is_below(const char *path, const char *group);

/*
 * Finds the id of the container that PATH, or a part of it, belongs to: the last run of exactly 64
 * hexadecimal digits.  docker, containerd, cri-o and podman name their groups so.  Borrowed from PATH,
 * whose rest follows the digits.  Returns NULL if PATH has no such run.
 */
#define CGROUP_ID_DIGITS 64
#define CGROUP_ID_SHOWN 12 /* digits that stand for a container without a name */
const char *cgroup_container(const char *path);

/* A mounted hierarchy. */
#define CGROUP_MOUNT_SIZE 4096
struct cgroup_mounted {
	char path[CGROUP_MOUNT_SIZE];
	bool second;              /* version 2 */
	struct cgroup_path words; /* its options, in the text: "rw,nosuid,cpu,cpuacct" */
};

/* Reads the lines of /proc/mounts up to the next hierarchy.  False at the end. */
bool cgroup_mount_next(struct scanner *lines, struct cgroup_mounted *mounted);
/* It is one of version 1 that has CONTROLLER. */
bool cgroup_mount_has(const struct cgroup_mounted *mounted, const char *controller);

/*
 * Finds the mount point of the hierarchy whose groups perf_event_open(2) takes, in the text of
 * /proc/mounts.  That is the version 1 hierarchy with the perf_event controller, else version 2's.
 */
struct cgroup_mount {
	char path[CGROUP_MOUNT_SIZE];
	const char *controller; /* for cgroup_path_find() */
};
bool cgroup_mount_find(const char *text, size_t size, struct cgroup_mount *mount);

#endif
