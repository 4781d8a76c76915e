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

/* 0, or a negative errno. */
static int prepare(int fd, const struct groups *where, const char *filter, uint64_t *id)
{
	int err = perf_control(fd, PERF_EVENT_IOC_ID, (uintptr_t)id);

	if (!err && filter)
		err = perf_control(fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)filter);
	if (!err)
		err = perf_control(fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)where->output_fd);
	if (!err)
		err = perf_control(fd, PERF_EVENT_IOC_ENABLE, 0);
	return err;
}

int tracepoint_open(struct tracepoint_event *b, struct perf_event_attr *attr,
		    const struct groups *where, const char *filter)
{
	uint64_t id = 0;
	int fd, err;

	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->disabled = 1;
	fd = perf_open(attr, where->pid, where->cpu, -1, where->flags);
	if (fd < 0)
		return fd;
	err = prepare(fd, where, filter, &id);
	if (err) {
		close(fd);
		return err;
	}
	tracepoint_close(b);
	b->fd = fd;
	b->id = id;
	b->period = attr->sample_period;
	return 0;
}

void tracepoint_close(struct tracepoint_event *b)
{
	if (b->fd < 0)
		return;
	tracepoint_run(b, false); /* a child that has not called exec() yet may hold it as well */
	close(b->fd);
	b->fd = -1;
	b->former_id = b->id;
	b->former_period = b->period;
	b->id = 0;
}

void tracepoint_redirect(const struct tracepoint_event *b, int output_fd)
{
	if (b->fd >= 0)
		perf_control(b->fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)output_fd);
}

void tracepoint_run(const struct tracepoint_event *b, bool run)
{
	if (b->fd >= 0)
		perf_control(b->fd, run ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

bool tracepoint_is(const struct tracepoint_event *b, uint64_t id)
{
	return id && (id == b->id || id == b->former_id);
}

uint64_t tracepoint_calls(const struct tracepoint_event *b, uint64_t id)
{
	return id == b->id ? b->period : b->former_period;
}

bool tracepoint_made(const struct tracepoint_event *b, const struct perf_event_header *h)
{
	uint64_t id;

	if (h->size < sizeof(*h) + sizeof(id))
		return false;
	memcpy(&id, h + 1, sizeof(id));
	return tracepoint_is(b, id);
}
