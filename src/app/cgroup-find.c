/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/cgroup-find.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "proc/cgroup.h"
#include "proc/procfs.h"

#define MOUNTS_LIMIT (16u * 1024 * 1024)

static bool find_mount(struct cgroup_mount *mount)
{
	struct buf text = { 0 };
	struct procfs proc;
	bool found;

	if (procfs_open(&proc, "/proc", NULL))
		return false;
	found = procfs_read_whole(&proc, "self/mounts", &text, MOUNTS_LIMIT) > 0 &&
		cgroup_mount_find(text.bytes, text.size, mount);
	procfs_close(&proc);
	buf_fini(&text);
	return found;
}

/* A directory that is MOUNT or below it, without links and dots; owned, or NULL and errno. */
static char *directory_of(const char *mount, const char *path)
{
	char *real = realpath(path, NULL);
	struct stat st;

	if (real && cgroup_is_below(real, mount) && !stat(real, &st) && S_ISDIR(st.st_mode))
		return real;
	free(real);
	if (real)
		errno = ENOENT;
	return NULL;
}

int cgroup_resolve(struct cgroup *g, const char *text, struct error *err)
{
	struct cgroup_mount mount;
	char *below;

	if (!find_mount(&mount))
		return error_set(err,
				 _("cannot find the control group '%s': neither cgroup2 nor "
				   "perf_event of version 1 is mounted; 'mount -t cgroup2 none "
				   "/sys/fs/cgroup' does it"),
				 text);
	below = mem_printf("%s/%s", mount.path, text);
	g->directory = directory_of(mount.path, below);
	if (!g->directory)
		g->directory = directory_of(mount.path, text);
	free(below);
	if (!g->directory)
		return error_set(err,
				 _("no control group '%s' below %s (%s); 'systemd-cgls' or "
				   "'ls' there show them"),
				 text, mount.path, strerror(errno));
	below = g->directory + strlen(mount.path);
	g->path = mem_strdup(*below ? below : "/");
	g->controller = mount.controller;
	return 0;
}

void cgroup_fini(struct cgroup *g)
{
	free(g->directory);
	free(g->path);
	*g = (struct cgroup){ 0 };
}
