/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_GROUP_NAME_H
#define PTOP_PROC_GROUP_NAME_H

#include "base/group-facts.h"
#include "proc/cgroup.h"

/*
 * The kind and the name of a control group, by its path.  Pure.  Who makes groups writes into their
 * names what they are for:
 *
 *	/system.slice/docker-4f1c….scope                          a container's id, 64 digits
 *	/docker/4f1c…                                             likewise
 *	/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1b2c_3d4e….slice/cri-containerd-4f1c….scope
 *	/kubepods/burstable/pod1b2c-3d4e…/4f1c…                   a pod's uid, above its containers
 *	/machine.slice/machine-qemu\x2d1\x2dvm.scope              systemd-machined, systemd.unit(5) "escaping"
 *	/machine.slice/systemd-nspawn@web.service
 *	/lxc.payload.web  /lxc/web                                LXC
 *	/system.slice/nginx.service                               systemd
 */
#define GROUP_NAME_BYTES 256 /* NAME_MAX, and a NUL */
#define GROUP_ID_BYTES (CGROUP_ID_DIGITS + 1)
#define GROUP_UID_BYTES \
	37 /* "1b2c3d4e-0000-1111-2222-333344445555", or 32 digits of a static pod */

struct group_name {
	enum group_kind kind;
	char text
		[GROUP_NAME_BYTES]; /* what can be said without another file; raw bytes, never "" */
	char id[GROUP_ID_BYTES];    /* of a container; "" else */
	char pod[GROUP_UID_BYTES];  /* the uid of a pod, in the form with '-'; "" else */
};

/* PATH begins with '/'. */
void group_name_parse(const char *path, struct group_name *name);

#endif
