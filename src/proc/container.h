/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_CONTAINER_H
#define PTOP_PROC_CONTAINER_H

#include <stdbool.h>

#include "base/buf.h"
#include "proc/group-name.h"

/*
 * Names of containers and pods, from what their runtimes and the kubelet keep on the disk.  No server is
 * asked.  Only folders of root are read: a user's own (rootless podman) may lie on a file system that
 * answers never.
 *
 *	/var/lib/docker/containers/ID/config.v2.json           docker, and cri-dockerd
 *	/run/containerd/io.containerd.runtime.v2.task/NAMESPACE/ID/config.json   containerd, nerdctl
 *	/run/k3s/containerd/…                                  likewise
 *	/run/containers/storage/…-containers/ID/userdata/config.json             CRI-O
 *	/var/lib/containers/storage/…-containers/containers.json                 podman
 *	/var/log/pods/NAMESPACE_POD_UID                        the kubelet
 */
#define CONTAINER_NAME_BYTES 512

struct container_names {
	int root; /* "/" */
	struct buf text;
};

/* ROOT: NULL means "/".  Where it cannot be opened no name is found. */
void container_names_init(struct container_names *c, const char *root);
void container_names_fini(struct container_names *c);

/*
 * Writes the name of the container or pod NAME into OUT: "web", "NAMESPACE/POD/CONTAINER",
 * "NAMESPACE/POD".  Foreign bytes.  Reads up to some ten files of at most a few MiB, so ask once.
 * Returns false, and leaves OUT alone, if it is neither, or nothing tells its name.
 */
bool container_name_find(struct container_names *c, const struct group_name *name,
			 char out[CONTAINER_NAME_BYTES]);

#endif
