/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/zygote.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "worker/channel.h"
#include "worker/nursery.h"

#define END_TIMEOUT_MS 1000

struct zygote {
	int socket;
	pid_t pid;
	_Atomic(uint64_t) cpu_ns;
};

struct zygote *zygote_start(worker_main *const *jobs, size_t count)
{
	struct zygote *z;
	int ends[2], parent = getpid();
	pid_t pid;

	if (channel_pair(ends) < 0)
		return NULL;
	pid = fork();
	if (!pid)
		nursery_run(ends[1], parent, jobs, count);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return NULL;
	}
	z = mem_alloc(sizeof(*z));
	z->socket = ends[0];
	z->pid = pid;
	return z;
}

/* It ends at once, unless somebody has stopped it: then it ends later, without us. */
void zygote_free(struct zygote *z)
{
	struct pollfd closed;

	if (!z)
		return;
	shutdown(z->socket, SHUT_WR);
	closed = (struct pollfd){ .fd = z->socket, .events = POLLIN };
	if (poll(&closed, 1, END_TIMEOUT_MS) > 0)
		waitpid(z->pid, NULL, 0);
	close(z->socket);
	free(z);
}

int zygote_spawn(struct zygote *z, unsigned job, const struct worker_limits *limits)
{
	struct nursery_request r;
	struct channel_fds passed = { .count = 1 };
	int ends[2], failed = channel_pair(ends);

	if (failed)
		return failed;
	memset(&r, 0, sizeof(r));
	r.job = job;
	r.limits = *limits;
	passed.fds[0] = ends[1];
	failed = channel_send(z->socket, &r, sizeof(r), &passed);
	close(ends[1]);
	if (!failed)
		return ends[0];
	close(ends[0]);
	return failed;
}

uint64_t zygote_cpu_ns(const struct zygote *z)
{
	return z ? atomic_load(&z->cpu_ns) : 0;
}

int zygote_pid(const struct zygote *z)
{
	return z->pid;
}

bool zygote_worker_ended(struct zygote *z, const void *message, size_t size,
			 struct worker_ended *out)
{
	if (size != sizeof(*out))
		return false;
	memcpy(out, message, sizeof(*out));
	if (out->tag != WORKER_ENDED)
		return false;
	atomic_fetch_add(&z->cpu_ns, out->cpu_ns);
	return true;
}
