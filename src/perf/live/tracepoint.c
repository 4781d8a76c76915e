/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/tracepoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/live/open.h"
#include "perf/event/sysfile.h"
#include "perf/event/tracefs.h"

#define FORMAT_BYTES_MAX (64u * 1024)
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu /* PROC_PID_INIT_INO in include/linux/proc_ns.h */

/* The records' own pids are those of our namespace; what is in a tracepoint's data is not. */
static bool pids_are_ours(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == INITIAL_PID_NAMESPACE;
}

static bool format_read(struct tracepoint *t, const char *path, const char *field)
{
	char *text = mem_alloc(FORMAT_BYTES_MAX);
	int size = sysfile_read(path, text, FORMAT_BYTES_MAX);
	bool found = size > 0 && trace_format_id(text, (size_t)size, &t->id) &&
		     trace_format_field(text, (size_t)size, field, &t->field);

	if (!found || !trace_format_field(text, (size_t)size, "common_flags", &t->flags))
		t->flags = (struct trace_field){ 0 };
	free(text);
	return found;
}

int tracepoint_read(struct tracepoint *t, const struct event_env *env, const char *name,
		    const char *field, struct error *err)
{
	char *events = tracefs_events(env, err), *path;
	bool found;

	if (!events)
		return -1;
	path = mem_printf("%s/%s/format", events, name);
	*strchr(path + strlen(events), ':') = '/';
	found = format_read(t, path, field);
	free(path);
	free(events);
	return found ? 0 : error_set(err, _("this kernel has no tracepoint %s"), name);
}

int tracepoint_find(struct tracepoint *t, const struct event_env *env, const char *name,
		    const char *field, struct error *err)
{
	if (!pids_are_ours())
		return error_set(err, _("the kernel's tracepoints have pids of the initial pid "
					"namespace, which is not ptop's"));
	return tracepoint_read(t, env, name, field, err);
}
