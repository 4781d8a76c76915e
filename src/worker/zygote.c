/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/zygote.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "worker/channel.h"
#include "worker/nursery.h"

#define END_TIMEOUT_MS 100 /* it ends by itself, too, when it has its turn */

struct zygote {
	int socket;
	pid_t pid;
	struct nursery_account *account; /* owned */
	_Atomic(uint64_t) told_cpu_ns;
	_Atomic(uint64_t) memory_bytes; /* the most that a worker gets; 0: no limit */
	_Atomic(uint32_t) spawned;
};

/* Forks the zygote; returns its pid and our end of its socket, or -1. */
static pid_t start(const struct nursery_work *work, int *socket)
{
	int ends[2], parent = getpid();
	pid_t pid;

	if (channel_pair(ends) < 0)
		return -1;
	pid = fork();
	if (!pid)
		nursery_run(ends[1], parent, work);
	close(ends[1]);
	*socket = ends[0];
	if (pid < 0)
		close(ends[0]);
	return pid;
}

struct zygote *zygote_start(worker_main *const *jobs, size_t count)
{
	struct nursery_work work = { .jobs = jobs, .count = count };
	struct zygote *z = mem_alloc(sizeof(*z));

	work.account = mmap(NULL, sizeof(*work.account), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	z->account = work.account;
	z->pid = z->account == MAP_FAILED ? -1 : start(&work, &z->socket);
	if (z->pid >= 0)
		return z;
	if (z->account != MAP_FAILED)
		munmap(z->account, sizeof(*z->account));
	free(z);
	return NULL;
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
	munmap(z->account, sizeof(*z->account));
	free(z);
}

static void limit_wait(int socket, uint32_t ms)
{
	const struct timeval wait = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
}

/* A number that no worker of the last 2^32 - 1 had; never 0. */
static uint32_t next_id(struct zygote *z)
{
	uint32_t id = atomic_fetch_add(&z->spawned, 1) + 1;

	return id ? id : next_id(z);
}

int zygote_spawn(struct zygote *z, unsigned job, const struct worker_limits *limits, uint32_t *id)
{
	struct nursery_request r;
	struct channel_fds passed = { .count = 1 };
	int ends[2], failed = channel_pair(ends);
	uint64_t memory_bytes;

	if (failed)
		return failed;
	if (limits->idle_ms)
		limit_wait(ends[1], limits->idle_ms);
	memset(&r, 0, sizeof(r));
	r.job = job;
	r.id = *id = next_id(z);
	r.limits = *limits;
	memory_bytes = atomic_load(&z->memory_bytes);
	if (memory_bytes && r.limits.memory_bytes > memory_bytes)
		r.limits.memory_bytes = memory_bytes;
	passed.fds[0] = ends[1];
	failed = channel_send(z->socket, &r, sizeof(r), &passed);
	close(ends[1]);
	if (!failed)
		return ends[0];
	close(ends[0]);
	return failed;
}

uint64_t zygote_cpu_ns(struct zygote *z)
{
	uint64_t ns, told;

	if (!z)
		return 0;
	told = atomic_load(&z->told_cpu_ns);
	ns = atomic_load(&z->account->cpu_ns);
	for (size_t i = 0; i < NURSERY_PLACES; i++)
		ns += clock_cpu_ns_of(atomic_load(&z->account->places[i].pid));
	while (ns > told && !atomic_compare_exchange_weak(&z->told_cpu_ns, &told, ns))
		;
	return ns > told ? ns : told;
}

/* Returns NULL when others have taken its place since. */
static struct nursery_place *place_of(struct zygote *z, uint32_t id)
{
	for (size_t i = 0; i < NURSERY_PLACES; i++)
		if (atomic_load(&z->account->places[i].id) == id)
			return &z->account->places[i];
	return NULL;
}

uint64_t zygote_worker_cpu_ns(struct zygote *z, uint32_t id)
{
	struct nursery_place *place = place_of(z, id);

	if (!place)
		return 0;
	return clock_cpu_ns_of(atomic_load(&place->pid)) + atomic_load(&place->cpu_ns);
}

/* The memory of a process in bytes, and how much of that belongs to files; 0 once it has ended. */
struct resident {
	uint64_t bytes, of_files;
};

/* "7312 1043 640 …", in pages: the size, what is in memory, the part of that in files; proc_pid_statm(5). */
static struct resident resident_of(int pid)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned long size, resident = 0, of_files = 0;
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	f = fopen(path, "re");
	if (!f)
		return (struct resident){ 0 };
	if (fscanf(f, "%lu %lu %lu", &size, &resident, &of_files) != 3)
		resident = of_files = 0;
	fclose(f);
	return (struct resident){ resident * page, of_files * page };
}

/* A worker begins as a copy of the zygote, and shares these pages; others are its own. */
static uint64_t own_bytes(int pid, const struct resident *zygote)
{
	uint64_t bytes = pid ? resident_of(pid).bytes : 0;

	return bytes > zygote->bytes ? bytes - zygote->bytes : 0;
}

uint64_t zygote_worker_resident_bytes(struct zygote *z, uint32_t id)
{
	const struct resident zygote = resident_of(z->pid);
	const struct nursery_place *place = place_of(z, id);

	return place ? own_bytes(atomic_load(&place->pid), &zygote) : 0;
}

uint64_t zygote_resident_bytes(struct zygote *z)
{
	struct resident zygote;
	uint64_t bytes;

	if (!z)
		return 0;
	zygote = resident_of(z->pid);
	bytes = zygote.bytes > zygote.of_files ? zygote.bytes - zygote.of_files : 0;
	for (size_t i = 0; i < NURSERY_PLACES; i++)
		bytes += own_bytes(atomic_load(&z->account->places[i].pid), &zygote);
	return bytes;
}

void zygote_limit_memory(struct zygote *z, uint64_t bytes)
{
	if (z)
		atomic_store(&z->memory_bytes, bytes);
}

int zygote_pid(const struct zygote *z)
{
	return z->pid;
}

bool zygote_has(const struct zygote *z, int pid)
{
	if (!z || pid <= 0)
		return false;
	for (size_t i = 0; i < NURSERY_PLACES; i++)
		if (atomic_load(&z->account->places[i].pid) == pid)
			return true;
	return z->pid == pid;
}

bool zygote_worker_ended(const void *message, size_t size, struct worker_ended *out)
{
	if (size != sizeof(*out))
		return false;
	memcpy(out, message, sizeof(*out));
	return out->tag == WORKER_ENDED;
}
