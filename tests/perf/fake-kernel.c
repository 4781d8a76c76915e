/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/fake-kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "perf/live/open.h"

#define EVENTS 512
#define TURN_MS 4

struct fake_event {
	bool used, on;
	struct perf_event_attr attr;
	int cpu, leader; /* its own number when it leads */
	uint64_t value, enabled_ms, running_ms;
};

static struct {
	struct fake_kernel kernel;
	struct fake_event events[EVENTS]; /* by descriptor */
	int end;                          /* no event is at it or behind */
} fake;

struct fake_kernel *fake_kernel_boot(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.kernel = (struct fake_kernel){ .counters = 6, .precise = 3, .no_sampling_type = -1 };
	return &fake.kernel;
}

/*
 * The descriptors are real ones: closing them is how events end.  Called before anything is told or
 * time passes, since nobody closes one meanwhile.
 */
static void end_closed(void)
{
	for (int fd = 0; fd < fake.end; fd++)
		fake.events[fd].used = fake.events[fd].used && fcntl(fd, F_GETFD) >= 0;
}

static bool is_open(int fd)
{
	return fake.events[fd].used;
}

static bool is_slots(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_RAW && attr->config == 0x400;
}

static bool is_part(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_RAW && attr->config >= 0x8000 && attr->config <= 0x8700;
}

static bool is_hardware(const struct fake_event *e)
{
	return e->attr.type != PERF_TYPE_SOFTWARE && !is_slots(&e->attr) && !is_part(&e->attr);
}

/* Counters that the group wants, with those members that are on, or as the kernel reckons. */
static unsigned group_size(int leader)
{
	unsigned size = 0;

	for (int fd = 0; fd < fake.end; fd++) {
		const struct fake_event *e = &fake.events[fd];

		if (is_open(fd) && e->leader == leader && is_hardware(e) && (e->on || fd == leader))
			size++;
	}
	return size;
}

static void group_count(int leader, bool runs)
{
	for (int fd = 0; fd < fake.end; fd++) {
		struct fake_event *e = &fake.events[fd];

		if (!is_open(fd) || e->leader != leader)
			continue;
		e->enabled_ms += e->on;
		e->running_ms += e->on && runs;
		if (e->on && runs)
			e->value += FAKE_RATE * (e->attr.config + 1);
	}
}

/* The leaders of CPU that are on, of groups with hardware events or without. */
static size_t leaders_of(int cpu, bool hardware, int leaders[EVENTS])
{
	size_t count = 0;

	for (int fd = 0; fd < fake.end; fd++) {
		const struct fake_event *e = &fake.events[fd];

		if (is_open(fd) && e->leader == fd && e->cpu == cpu && e->on &&
		    hardware == (group_size(fd) > 0))
			leaders[count++] = fd;
	}
	return count;
}

/* Another group is the first at each turn; those that still fit run beside it. */
static void cpu_pass(int cpu)
{
	unsigned left = fake.kernel.counters - fake.kernel.pinned;
	int leaders[EVENTS];
	size_t count = leaders_of(cpu, false, leaders);

	for (size_t i = 0; i < count; i++)
		group_count(leaders[i], true);
	count = leaders_of(cpu, true, leaders);
	for (size_t i = 0; i < count; i++) {
		int leader = leaders[(fake.kernel.now_ms / TURN_MS + i) % count];
		unsigned size = group_size(leader);

		group_count(leader, size <= left);
		left -= size <= left ? size : 0;
	}
}

void fake_kernel_pass(uint64_t ms)
{
	end_closed();
	for (uint64_t i = 0; i < ms; i++) {
		fake.kernel.now_ms++;
		for (int cpu = -1; cpu < 8; cpu++)
			cpu_pass(cpu);
	}
}

unsigned fake_kernel_open(int cpu, uint32_t type, uint64_t config)
{
	unsigned count = 0;

	end_closed();
	for (int fd = 0; fd < fake.end; fd++) {
		const struct fake_event *e = &fake.events[fd];

		count += is_open(fd) && e->cpu == cpu && e->attr.type == type &&
			 e->attr.config == config;
	}
	return count;
}

unsigned fake_kernel_pinned(int cpu)
{
	unsigned count = 0;

	end_closed();
	for (int fd = 0; fd < fake.end; fd++)
		count += is_open(fd) && fake.events[fd].cpu == cpu && fake.events[fd].attr.pinned;
	return count;
}

unsigned fake_kernel_precision(uint32_t type, uint64_t config)
{
	unsigned precision = 0;

	end_closed();
	for (int fd = 0; fd < fake.end; fd++) {
		const struct fake_event *e = &fake.events[fd];

		if (is_open(fd) && e->attr.type == type && e->attr.config == config)
			precision = e->attr.precise_ip;
	}
	return precision;
}

static int refusal(const struct perf_event_attr *attr, int group_fd)
{
	if (is_part(attr) && (group_fd < 0 || !is_slots(&fake.events[group_fd].attr) ||
			      fake.events[group_fd].attr.sample_period || attr->sample_period))
		return -EINVAL;
	if (is_slots(attr) && fake.kernel.no_slots)
		return -EINVAL;
	if (group_fd >= 0 && (attr->pinned || attr->exclusive))
		return -EINVAL;
	if (attr->precise_ip > fake.kernel.precise ||
	    (attr->sample_period && (int)attr->type == fake.kernel.no_sampling_type))
		return -EOPNOTSUPP;
	if (group_fd >= 0 && is_hardware(&(struct fake_event){ .attr = *attr }) &&
	    !attr->disabled && group_size(group_fd) + 1 > fake.kernel.counters)
		return -EINVAL;
	return 0;
}

int perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group_fd,
	      unsigned long flags)
{
	int err, fd;

	(void)pid;
	(void)flags;
	end_closed();
	err = refusal(attr, group_fd);
	if (err)
		return err;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fd >= EVENTS)
		return -EMFILE;
	fake.events[fd] = (struct fake_event){
		.used = true,
		.on = !attr->disabled,
		.attr = *attr,
		.cpu = cpu,
		.leader = group_fd < 0 ? fd : group_fd,
	};
	fake.end = fd < fake.end ? fake.end : fd + 1;
	return fd;
}

int perf_control(int fd, unsigned long request, uintptr_t argument)
{
	static uint64_t ids = 100;

	end_closed();
	if (fd < 0 || fd >= fake.end || !is_open(fd))
		return -EBADF;
	if (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE)
		fake.events[fd].on = request == PERF_EVENT_IOC_ENABLE;
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)argument = ids++;
	return 0;
}

int perf_read(int fd, uint64_t *words, size_t count)
{
	size_t at = 3;

	fake_kernel_pass(1);
	words[1] = fake.events[fd].enabled_ms * 1000000;
	words[2] = fake.events[fd].running_ms * 1000000;
	for (int i = 0; i < fake.end && at + 1 < count; i++) {
		if (!is_open(i) || fake.events[i].leader != fd)
			continue;
		words[at++] = fake.events[i].value;
		words[at++] = 0;
	}
	words[0] = (at - 3) / 2;
	return at == count ? 0 : -ENODATA;
}
