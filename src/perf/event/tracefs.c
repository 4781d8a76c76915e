/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/event/sysfile.h"

/* 0 when the directory can be read, else a negative errno. */
static int directory_check(const char *path)
{
	DIR *dir = opendir(path);

	if (!dir)
		return -errno;
	closedir(dir);
	return 0;
}

/* ROOT/events, or NULL; of several failures *WHY keeps the one that tells most. */
static char *events_in(const char *root, int *why)
{
	char *path = mem_printf("%s/events", root);
	int status = directory_check(path);

	if (!status)
		return path;
	if (status != -ENOENT)
		*why = status;
	free(path);
	return NULL;
}

/* The first mounted tracefs: "nodev /mnt/tracing tracefs rw,relatime 0 0". */
static char *events_mounted(int *why)
{
	FILE *mounts = setmntent("/proc/mounts", "re");
	char line[4096], *found = NULL;
	struct mntent entry;

	if (!mounts)
		return NULL;
	while (!found && getmntent_r(mounts, &entry, line, sizeof(line))) {
		if (!strcmp(entry.mnt_type, "tracefs"))
			found = events_in(entry.mnt_dir, why);
	}
	endmntent(mounts);
	return found;
}

char *tracefs_events(const struct event_env *env, struct error *err)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char *found = env->tracefs ? events_in(env->tracefs, &(int){ 0 }) : NULL;
	int why = -ENOENT;

	for (size_t i = 0; !env->tracefs && !found && i < sizeof(roots) / sizeof(roots[0]); i++)
		found = events_in(roots[i], &why);
	if (!env->tracefs && !found)
		found = events_mounted(&why);
	if (found)
		return found;
	if (why == -EACCES)
		error_set(err, _("only root may read tracefs, where tracepoints are described"));
	else
		error_set(err, _("tracefs is not mounted; as root: mount -t tracefs nodev "
				 "/sys/kernel/tracing"));
	return NULL;
}

int tracefs_id(const char *events, const char *subsystem, const char *name, uint64_t *id)
{
	char *path = mem_printf("%s/%s/%s/id", events, subsystem, name);
	int status = sysfile_number(path, id);

	free(path);
	return status;
}
