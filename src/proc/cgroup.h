/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_CGROUP_H
#define PTOP_PROC_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Control groups as /proc tells of them: cgroups(7).  Pure parsers: (bytes, size) in, pieces of these
 * out.
 */
struct cgroup_path {
	const char *at;			/* in the text; not NUL-terminated */
	size_t size;			/* bytes, at least 1: it begins with '/' */
};

/*
 * The group that the text of /proc/PID/cgroup names in the hierarchy of CONTROLLER: "perf_event" of
 * version 1, "" for version 2.  NULL: the one that tells most, which is that of version 2, or where
 * that has no groups the first other one that is not the root.  false when there is none.
 *
 *	0::/system.slice/docker-4f1c….scope
 *	4:memory:/docker/4f1c…
 */
bool cgroup_path_find(const char *text, size_t size, const char *controller,
		      struct cgroup_path *path);

/* Whether PATH is GROUP or below it. */
bool cgroup_is_below(const char *path, const char *group);

/*
 * The short id of the container whose group PATH is, or is in: the first 12 digits of the last run
 * of exactly 64 hexadecimal digits, which is how docker, containerd, cri-o and podman name their
 * groups.  false when it has none.
 */
#define CGROUP_ID_SIZE 13
bool cgroup_container(const char *path, char id[CGROUP_ID_SIZE]);

/*
 * Where the text of /proc/mounts says that the hierarchy is mounted by which perf_event_open(2)
 * takes groups: the one with the perf_event controller of version 1, else that of version 2.
 */
#define CGROUP_MOUNT_SIZE 4096
struct cgroup_mount {
	char path[CGROUP_MOUNT_SIZE];
	const char *controller;		/* for cgroup_path_find() */
};
bool cgroup_mount_find(const char *text, size_t size, struct cgroup_mount *mount);

#endif
