/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/stat.h"

#include <errno.h>
#include <string.h>

#include "base/cpu.h"
#include "base/owner.h"

/* Numbers of /proc/PID/stat's fields, as proc(5) counts them. */
enum stat_field {
	STAT_PPID = 4,
	STAT_PGRP = 5,
	STAT_SESSION = 6,
	STAT_TTY = 7,
	STAT_FLAGS = 9,
	STAT_MINFLT = 10,
	STAT_MAJFLT = 12,
	STAT_UTIME = 14,
	STAT_STIME = 15,
	STAT_PRIORITY = 18,
	STAT_NICE = 19,
	STAT_THREADS = 20,
	STAT_START = 22,
	STAT_VSIZE = 23,
	STAT_RSS = 24,
	STAT_PROCESSOR = 39,
	STAT_DISK = 42,
	STAT_FIELDS
};

static void task_stat_set(struct task_stat *out, const uint64_t *f)
{
	out->ppid = (uint32_t)f[STAT_PPID];
	out->pgrp = (uint32_t)f[STAT_PGRP];
	out->session = (uint32_t)f[STAT_SESSION];
	out->tty = (uint32_t)f[STAT_TTY];
	out->flags = (uint32_t)f[STAT_FLAGS];
	out->minor_faults = f[STAT_MINFLT];
	out->major_faults = f[STAT_MAJFLT];
	out->user_ticks = f[STAT_UTIME];
	out->system_ticks = f[STAT_STIME];
	out->priority = (int32_t)f[STAT_PRIORITY];
	out->nice = (int32_t)f[STAT_NICE];
	out->threads = (uint32_t)f[STAT_THREADS];
	out->start_ticks = f[STAT_START];
	out->virtual_bytes = f[STAT_VSIZE];
	out->resident_pages = (int64_t)f[STAT_RSS];
	out->processor = (uint32_t)f[STAT_PROCESSOR];
	out->disk_ticks = f[STAT_DISK];
}

int task_stat_parse(const char *text, size_t size, struct task_stat *out)
{
	struct scanner s = scanner_of(text, size);
	uint64_t fields[STAT_FIELDS] = { 0 }, pid;
	const char *name, *close;
	size_t length;

	memset(out, 0, sizeof(*out));
	if (!scanner_u64(&s, &pid) || !scanner_char(&s, ' ') || !scanner_char(&s, '('))
		return -EBADMSG;
	name = s.at;
	close = memrchr(name, ')', (size_t)(s.end - name));
	if (!close || s.end - close < 3 || close[1] != ' ')
		return -EBADMSG;
	length = (size_t)(close - name);
	if (length >= sizeof(out->comm))
		length = sizeof(out->comm) - 1;
	memcpy(out->comm, name, length);
	out->pid = (uint32_t)pid;
	out->state = close[2];
	s.at = close + 3;
	for (int i = STAT_PPID; i < STAT_FIELDS && scanner_s64(&s, &fields[i]);)
		i++;
	task_stat_set(out, fields);
	return 0;
}

/*
 * Parser of files with lines "key: number number …".  A row names a line and one of its numbers;
 * the value goes to the row's index.
 */
struct line_key {
	const char *key; /* beginning of the line */
	int which;       /* 0 the first number, …, LAST_NUMBER */
};

#define LAST_NUMBER (-1)

static void line_number(struct scanner line, int which, uint64_t *out)
{
	for (int i = 0; scanner_u64(&line, out) && i != which;)
		i++;
}

/*
 * Fills VALUES, one for each of KEYS; a missing key leaves its value alone.  Returns the number of
 * keys found.
 */
static size_t lines_parse(const char *text, size_t size, const struct line_key *keys, size_t count,
			  uint64_t *values)
{
	struct scanner s = scanner_of(text, size), line;
	size_t found = 0;

	while (scanner_line(&s, &line)) {
		for (size_t i = 0; i < count; i++) {
			struct scanner rest = line;

			if (!scanner_word(&rest, keys[i].key))
				continue;
			line_number(rest, keys[i].which, &values[i]);
			found++;
		}
	}
	return found;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum status_value {
	STATUS_TGID,
	STATUS_PPID,
	STATUS_UID,
	STATUS_EUID,
	STATUS_VOLUNTARY,
	STATUS_INVOLUNTARY,
	STATUS_SWAP,
	STATUS_NSPID,
	STATUS_VALUES
};

static const struct line_key status_keys[STATUS_VALUES] = {
	[STATUS_TGID] = { "Tgid:", 0 },
	[STATUS_PPID] = { "PPid:", 0 },
	[STATUS_UID] = { "Uid:", 0 },
	[STATUS_EUID] = { "Uid:", 1 },
	[STATUS_VOLUNTARY] = { "voluntary_ctxt_switches:", 0 },
	[STATUS_INVOLUNTARY] = { "nonvoluntary_ctxt_switches:", 0 },
	[STATUS_SWAP] = { "VmSwap:", 0 },
	[STATUS_NSPID] = { "NSpid:", LAST_NUMBER },
};

int task_status_parse(const char *text, size_t size, struct task_status *out)
{
	uint64_t v[STATUS_VALUES] = {
		[STATUS_VOLUNTARY] = UINT64_MAX, [STATUS_INVOLUNTARY] = UINT64_MAX
	};

	memset(out, 0, sizeof(*out));
	if (!lines_parse(text, size, status_keys, COUNT(status_keys), v) || !v[STATUS_TGID])
		return -EBADMSG;
	out->tgid = (uint32_t)v[STATUS_TGID];
	out->ppid = (uint32_t)v[STATUS_PPID];
	out->uid = (uint32_t)v[STATUS_UID];
	out->euid = (uint32_t)v[STATUS_EUID];
	out->voluntary_switches = (int64_t)v[STATUS_VOLUNTARY];
	out->involuntary_switches = (int64_t)v[STATUS_INVOLUNTARY];
	out->swap_kib = v[STATUS_SWAP];
	out->nspid = (uint32_t)v[STATUS_NSPID];
	return 0;
}

/* "Uid:" or "Gid:", real, effective, saved and of files.  Returns false unless all are the same, *ID. */
static bool ids_same(struct scanner line, uint32_t *id)
{
	uint64_t first = 0, next = 0;
	int count = 0;

	while (scanner_u64(&line, &next) && (!count || next == first)) {
		first = next;
		count++;
	}
	*id = (uint32_t)first;
	return count == 4;
}

static bool has_capabilities(struct scanner line)
{
	scanner_blanks(&line);
	while (scanner_char(&line, '0'))
		;
	return scanner_left(&line) != 0;
}

/* "Z (zombie)": its ids are those that it had, its files are root's. */
static bool has_ended(struct scanner line)
{
	scanner_blanks(&line);
	return scanner_char(&line, 'Z') || scanner_char(&line, 'X');
}

int task_status_owner(const char *text, size_t size, uint64_t *owner)
{
	struct scanner s = scanner_of(text, size), line;
	uint32_t uid = 0, gid = 0;
	bool same = true;

	while (scanner_line(&s, &line)) {
		if (scanner_word(&line, "State:") && has_ended(line))
			return -EBADMSG;
		if (scanner_word(&line, "Uid:"))
			same &= ids_same(line, &uid);
		else if (scanner_word(&line, "Gid:"))
			same &= ids_same(line, &gid);
		else if (scanner_word(&line, "CapPrm:")) {
			same &= !has_capabilities(line);
			*owner = same ? owner_make(uid, gid) : OWNER_NOBODY;
			return 0;
		}
	}
	return -EBADMSG;
}

/* 765 438 410 5 0 123 0 */
int task_statm_parse(const char *text, size_t size, struct task_statm *out)
{
	struct scanner s = scanner_of(text, size);

	memset(out, 0, sizeof(*out));
	if (!scanner_u64(&s, &out->size_pages) || !scanner_u64(&s, &out->resident_pages) ||
	    !scanner_u64(&s, &out->shared_pages))
		return -EBADMSG;
	return 0;
}

#define IO_KEYS 5

static const struct line_key io_keys[IO_KEYS] = {
	{ "read_bytes:", 0 }, { "write_bytes:", 0 }, { "cancelled_write_bytes:", 0 },
	{ "syscr:", 0 },      { "syscw:", 0 },
};

int task_io_parse(const char *text, size_t size, uint64_t *out)
{
	return lines_parse(text, size, io_keys, IO_KEYS, out) < IO_KEYS ? -EBADMSG : 0;
}

/* 639767 5200 4 */
int task_schedstat_parse(const char *text, size_t size, uint64_t *run_ns, uint64_t *delay_ns)
{
	struct scanner s = scanner_of(text, size);

	return scanner_u64(&s, run_ns) && scanner_u64(&s, delay_ns) ? 0 : -EBADMSG;
}

/* Behind those of `enum cpu_tick`. */
enum host_value {
	HOST_SWITCHES = CPU_TICKS,
	HOST_FORKS,
	HOST_BOOT,
	HOST_RUNNING,
	HOST_BLOCKED,
	HOST_VALUES
};

/* "cpu  4705 150 1120 16250 520 30 45 2 0 0"; newer columns are missing on old kernels. */
static const struct line_key host_keys[HOST_VALUES] = {
	[CPU_TICK_USER] = { "cpu ", 0 },
	[CPU_TICK_NICE] = { "cpu ", 1 },
	[CPU_TICK_SYSTEM] = { "cpu ", 2 },
	[CPU_TICK_IDLE] = { "cpu ", 3 },
	[CPU_TICK_IOWAIT] = { "cpu ", 4 },
	[CPU_TICK_IRQ] = { "cpu ", 5 },
	[CPU_TICK_SOFTIRQ] = { "cpu ", 6 },
	[CPU_TICK_STEAL] = { "cpu ", 7 },
	[HOST_SWITCHES] = { "ctxt ", 0 },
	[HOST_FORKS] = { "processes ", 0 },
	[HOST_BOOT] = { "btime ", 0 },
	[HOST_RUNNING] = { "procs_running ", 0 },
	[HOST_BLOCKED] = { "procs_blocked ", 0 },
};

/* The online CPUs: lines "cpu0 …", "cpu1 …". */
static uint32_t host_cpus(const char *text, size_t size)
{
	struct scanner s = scanner_of(text, size), line;
	uint32_t cpus = 0;

	while (scanner_line(&s, &line)) {
		if (line.end - line.at < 4 || memcmp(line.at, "cpu", 3))
			continue;
		line.at += 3;
		cpus += scanner_at_digit(&line);
	}
	return cpus;
}

int host_stat_parse(const char *text, size_t size, struct host_stat *out)
{
	uint64_t v[HOST_VALUES] = { 0 };

	memset(out, 0, sizeof(*out));
	if (size < 4 || memcmp(text, "cpu ", 4))
		return -EBADMSG;
	lines_parse(text, size, host_keys, COUNT(host_keys), v);
	*out = (struct host_stat){
		.context_switches = v[HOST_SWITCHES],
		.processes_forked = v[HOST_FORKS],
		.boot_time_s = v[HOST_BOOT],
		.running = (uint32_t)v[HOST_RUNNING],
		.blocked = (uint32_t)v[HOST_BLOCKED],
		.cpus = host_cpus(text, size),
	};
	memcpy(out->ticks, v, sizeof(out->ticks));
	return 0;
}

bool cpu_stat_next(struct scanner *s, struct cpu_stat *out)
{
	struct scanner line;
	uint64_t number;

	while (scanner_line(s, &line)) {
		memset(out, 0, sizeof(*out));
		if (!scanner_word(&line, "cpu") || !scanner_at_digit(&line) ||
		    !scanner_u64(&line, &number) || number >= CPU_LIMIT)
			continue;
		out->number = (uint32_t)number;
		for (int i = 0; i < CPU_TICKS && scanner_u64(&line, &out->ticks[i]);)
			i++;
		return true;
	}
	return false;
}

enum memory_value {
	MEMORY_TOTAL,
	MEMORY_FREE,
	MEMORY_AVAILABLE,
	MEMORY_SWAP_TOTAL,
	MEMORY_SWAP_FREE,
	MEMORY_VALUES
};

/* MemTotal:       24610484 kB */
static const struct line_key memory_keys[MEMORY_VALUES] = {
	[MEMORY_TOTAL] = { "MemTotal:", 0 },         [MEMORY_FREE] = { "MemFree:", 0 },
	[MEMORY_AVAILABLE] = { "MemAvailable:", 0 }, [MEMORY_SWAP_TOTAL] = { "SwapTotal:", 0 },
	[MEMORY_SWAP_FREE] = { "SwapFree:", 0 },
};

int host_memory_parse(const char *text, size_t size, struct host_memory *out)
{
	uint64_t v[MEMORY_VALUES] = { 0 };

	memset(out, 0, sizeof(*out));
	if (!lines_parse(text, size, memory_keys, COUNT(memory_keys), v) || !v[MEMORY_TOTAL])
		return -EBADMSG;
	*out = (struct host_memory){
		.total_kib = v[MEMORY_TOTAL],
		.free_kib = v[MEMORY_FREE],
		.available_kib = v[MEMORY_AVAILABLE],
		.swap_total_kib = v[MEMORY_SWAP_TOTAL],
		.swap_free_kib = v[MEMORY_SWAP_FREE],
	};
	return 0;
}

/* 0.16 0.06 0.01 3/107 11333 */
int host_load_parse(const char *text, size_t size, struct host_load *out)
{
	struct scanner s = scanner_of(text, size);
	uint64_t running = 0, tasks = 0, last_pid = 0;

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < 3; i++) {
		if (!scanner_decimal(&s, &out->load[i]))
			return -EBADMSG;
	}
	if (!scanner_u64(&s, &running) || !scanner_char(&s, '/') || !scanner_u64(&s, &tasks))
		return -EBADMSG;
	scanner_u64(&s, &last_pid);
	out->running = (uint32_t)running;
	out->tasks = (uint32_t)tasks;
	out->last_pid = (uint32_t)last_pid;
	return 0;
}

/* 1033.62 2015.31 */
int host_uptime_parse(const char *text, size_t size, double *uptime_s)
{
	struct scanner s = scanner_of(text, size);

	return scanner_decimal(&s, uptime_s) ? 0 : -EBADMSG;
}
