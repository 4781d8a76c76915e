/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_CONFINE_H
#define PTOP_APP_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

/* The system calls that a run still makes after its sources are open. */
struct privilege_needs {
	bool live;      /* opens events and reads /proc later, too; otherwise a recording is read */
	bool creates;   /* makes files: keys on the screen, --record-size, -o */
	bool overrides; /* in a folder that its user may not write to without CAP_DAC_OVERRIDE */
	bool fetches;   /* from debuginfod: sockets, and files in its cache */
	bool sends;     /* the process of --push: sockets that it connects */
	bool serves;    /* --listen */
	bool shares;    /* --serve: removes its shared memory at the end */
	bool audiences; /* --serve: users' viewers connect to its socket, and get memory of their own */
	bool attaches;   /* --attach: measures nothing and needs no right */
	bool unix_names; /* names of users come from another process, over a socket of this machine */
	bool acts;       /* keys send signals, and change nice values, CPUs and I/O priorities */
	pid_t command;   /* is sent signals; 0: there is none */
	bool sums;       /* the kernel sums waits: ptop empties its maps */
	bool walks;      /* the kernel walks Python's frames: ptop tells it threads in a map */
};

/*
 * Takes from this process, by seccomp(2), the system calls that no run of ptop makes after its
 * start.  It then runs no program, makes no process, traces, mounts and loads nothing, and has no
 * sockets.  It signals nobody but its command, changes no other process, and opens files for writing only if it makes them.
 * NEEDS makes the exceptions.
 *
 * The filter is a list of what is allowed.  A call that is not in it fails with ENOSYS, as one that the kernel does not have;
 * one that may only be made otherwise, with EPERM.
 *
 * seccomp sees no paths: who may make files may make them anywhere.
 */
void confine(const struct privilege_needs *needs);

const char *confine_missing(void); /* for a person: why calls are not filtered; static */

#endif
