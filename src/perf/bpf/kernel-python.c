/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/bpf/kernel-python.h"

#include <stddef.h>

#include "base/i18n.h"

/*
 * A third of a second at the usual frequency: 341 walks of 22 frames.  Rings of samples are as large
 * in time (perf/live/live.c).
 */
#define RING_BYTES_CPU (256u << 10)
#define RING_BYTES_MIN (1u << 20)
#define RING_BYTES_MAX (64u << 20)

uint32_t kernel_python_ring_bytes(size_t cpus)
{
	uint32_t bytes = RING_BYTES_MIN;

	while (bytes < RING_BYTES_MAX && bytes / RING_BYTES_CPU < cpus)
		bytes *= 2;
	return bytes;
}

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "perf/bpf/bpf-machine.h"
#include "perf/bpf/python-object.h" /* python_object[] */

#define SLACK_NS 100000u /* between the times of a sample and its walk */
#define QUEUE_MAX 1024u  /* walks of a CPU that wait for their samples */
#define CPUS_MAX 4096u

#if defined(__aarch64__)
#define IS_AARCH64 1u
#else
#define IS_AARCH64 0u
#endif

struct queued {
	struct python_walked *walked; /* owned; only as many frames as there are */
	bool after_gap;
};

/* Walks of a CPU, the oldest at FIRST; circular. */
struct queue {
	struct queued items[QUEUE_MAX];
	size_t first, count;
	uint32_t sequence; /* of the newest one */
};

struct kernel_python {
	struct bpf_object *object;
	struct ring_buffer *ring;
	int program, threads;
	struct map watched;                /* the threads */
	struct map queues;                 /* struct queue by CPU, owned */
	struct python_walked *handed_over; /* owned, or NULL */
	uint64_t lost;
};

/* ---- From the ring to the queues. */

static struct queue *queue_of(struct kernel_python *k, uint32_t cpu)
{
	struct queue *q = map_find(&k->queues, cpu);

	if (!q) {
		q = mem_alloc(sizeof(*q));
		map_put(&k->queues, cpu, q);
	}
	return q;
}

static struct python_walked *queue_take(struct queue *q)
{
	struct python_walked *oldest = q->items[q->first].walked;

	q->first = (q->first + 1) % QUEUE_MAX;
	q->count--;
	return oldest;
}

static void queue_free(void *queue)
{
	struct queue *q = queue;

	while (q->count)
		free(queue_take(q));
	free(q);
}

/* The program wrote it: that SIZE fits its count is checked all the same. */
static int receive(void *context, void *data, size_t size)
{
	struct kernel_python *k = context;
	const size_t head = offsetof(struct python_walked, frames);
	const struct python_walked *w = data;
	struct python_walked *copy;
	struct queue *q;
	uint32_t gap;

	if (size < head || w->count > PYTHON_WALK_FRAMES ||
	    size < head + w->count * sizeof(*w->frames) || w->cpu >= CPUS_MAX)
		return 0;
	q = queue_of(k, w->cpu);
	gap = w->sequence - q->sequence - 1;
	k->lost += gap;
	if (q->count == QUEUE_MAX) {
		free(queue_take(q));
		k->lost++;
	}
	copy = mem_alloc(size);
	memcpy(copy, w, size);
	q->items[(q->first + q->count++) % QUEUE_MAX] = (struct queued){ copy, gap != 0 };
	q->sequence = w->sequence;
	return 0;
}

/* ---- Loading. */

/* The only constant of the program. */
static void set_machine(const struct kernel_python *k)
{
	const uint32_t is_aarch64 = IS_AARCH64;
	struct bpf_map *m;

	bpf_object__for_each_map(m, k->object)
	{
		if (strstr(bpf_map__name(m), ".rodata"))
			bpf_map__set_initial_value(m, &is_aarch64, sizeof(is_aarch64));
	}
}

static int set_ring(const struct kernel_python *k)
{
	struct bpf_map *walks = bpf_object__find_map_by_name(k->object, "walks");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!walks || cpus < 1)
		return -EINVAL;
	return bpf_map__set_max_entries(walks, kernel_python_ring_bytes((size_t)cpus));
}

static int begin(struct kernel_python *k)
{
	int err;

	bpf_machine_hush();
	k->object = bpf_object__open_mem(python_object, sizeof(python_object), NULL);
	if (!k->object)
		return -errno;
	set_machine(k);
	err = set_ring(k);
	if (!err)
		err = bpf_object__load(k->object);
	if (err)
		return err;
	k->program = bpf_program__fd(bpf_object__find_program_by_name(k->object, "on_sample"));
	k->threads = bpf_object__find_map_fd_by_name(k->object, "threads");
	k->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(k->object, "walks"), receive, k,
				   NULL);
	return k->ring ? 0 : -errno;
}

struct kernel_python *kernel_python_open(struct error *err)
{
	struct kernel_python *k;
	int error;

	if (bpf_machine_suits(err))
		return NULL;
	k = mem_alloc(sizeof(*k));
	error = begin(k);
	if (!error)
		return k;
	bpf_machine_refuse(err, error);
	kernel_python_close(k);
	return NULL;
}

void kernel_python_close(struct kernel_python *k)
{
	if (!k)
		return;
	ring_buffer__free(k->ring);
	bpf_object__close(k->object);
	map_fini(&k->watched);
	map_fini_each(&k->queues, queue_free);
	mem_free(k->handed_over, k);
}

int kernel_python_attach(const struct kernel_python *k, int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, k->program) ? -errno : 0;
}

uint64_t kernel_python_lost(const struct kernel_python *k)
{
	return k->lost;
}

/* ---- Threads and samples. */

int kernel_python_watch(struct kernel_python *k, uint32_t tid, const struct python_walk *w)
{
	int err;

	if (!w) {
		map_remove(&k->watched, tid);
		return bpf_map_delete_elem(k->threads, &tid);
	}
	err = bpf_map_update_elem(k->threads, &tid, w, BPF_ANY);
	if (!err)
		map_put(&k->watched, tid, k);
	return err;
}

/* Takes the walk that is the sample's off Q; NULL: it is not there.  Walks that are too old go. */
static struct python_walked *queue_find(struct queue *q, uint32_t tid, uint64_t ip,
					uint64_t time_ns)
{
	const struct queued *oldest;

	while (q->count && q->items[q->first].walked->time_ns + SLACK_NS < time_ns)
		free(queue_take(q));
	oldest = &q->items[q->first];
	if (!q->count || oldest->after_gap || oldest->walked->tid != tid ||
	    oldest->walked->ip != ip || oldest->walked->time_ns > time_ns + SLACK_NS)
		return NULL;
	return queue_take(q);
}

const struct python_walked *kernel_python_find(struct kernel_python *k, uint32_t cpu, uint32_t tid,
					       uint64_t ip, uint64_t time_ns)
{
	struct queue *q;

	if (!map_find(&k->watched, tid) || cpu >= CPUS_MAX)
		return NULL;
	free(k->handed_over);
	q = queue_of(k, cpu);
	k->handed_over = queue_find(q, tid, ip, time_ns);
	if (k->handed_over)
		return k->handed_over;
	ring_buffer__consume(k->ring);
	k->handed_over = queue_find(q, tid, ip, time_ns);
	return k->handed_over;
}

#else

uint64_t kernel_python_lost(const struct kernel_python *k)
{
	(void)k;
	return 0;
}

struct kernel_python *kernel_python_open(struct error *err)
{
	error_set(err, "%s", _("this ptop was built without libbpf"));
	return NULL;
}

void kernel_python_close(struct kernel_python *k)
{
	(void)k;
}

int kernel_python_attach(const struct kernel_python *k, int fd)
{
	(void)k;
	(void)fd;
	return 0;
}

int kernel_python_watch(struct kernel_python *k, uint32_t tid, const struct python_walk *w)
{
	(void)k;
	(void)tid;
	(void)w;
	return 0;
}

const struct python_walked *kernel_python_find(struct kernel_python *k, uint32_t cpu, uint32_t tid,
					       uint64_t ip, uint64_t time_ns)
{
	(void)k;
	(void)cpu;
	(void)tid;
	(void)ip;
	(void)time_ns;
	return NULL;
}

#endif
