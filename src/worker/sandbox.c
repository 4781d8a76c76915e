/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/alloc.h"

#define NOBODY 65534
#define CAPABILITIES_MAX 64 /* the kernel refuses numbers that it does not know */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

struct sandbox {
	struct sock_fprog programs[SANDBOX_ROLES]; /* `filter` owned */
};

#if defined(HAVE_LIBSECCOMP) && !defined(SANITIZED)
#include <seccomp.h>

/* clang-format off */
/*
 * The calls for reading a file and answering.  The C library's qsort(3) calls sysinfo(2); it also
 * blocks signals while it makes a library's variables of a thread.  The kernel calls restart_syscall(2) for a wait that
 * was interrupted by a stop, or because the machine was suspended.
 */
static const int worker_calls[] = {
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(fstat),
	SCMP_SYS(fstat64), SCMP_SYS(close), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(futex), SCMP_SYS(sendmsg), SCMP_SYS(recvmsg),
	SCMP_SYS(memfd_create), SCMP_SYS(ftruncate), SCMP_SYS(ftruncate64), SCMP_SYS(dup),
	SCMP_SYS(clock_gettime), SCMP_SYS(sysinfo), SCMP_SYS(getrandom), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

/* The further calls for forking, limiting, killing and waiting for workers. */
static const int zygote_calls[] = {
	SCMP_SYS(clone), SCMP_SYS(fork), SCMP_SYS(wait4), SCMP_SYS(kill), SCMP_SYS(poll),
	SCMP_SYS(ppoll), SCMP_SYS(prctl), SCMP_SYS(prlimit64), SCMP_SYS(setrlimit),
	SCMP_SYS(getrlimit), SCMP_SYS(setitimer), SCMP_SYS(alarm),
	SCMP_SYS(rt_sigaction), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(dup2), SCMP_SYS(dup3),
	SCMP_SYS(close_range),
};

/*
 * The attacher's: those of a zygote, and what becomes a user, finds a file of a process and talks to it.  The
 * C library takes other names of some on other machines.
 */
static const int attacher_calls[] = {
	SCMP_SYS(setgroups), SCMP_SYS(setgroups32), SCMP_SYS(setresgid), SCMP_SYS(setresgid32),
	SCMP_SYS(setresuid), SCMP_SYS(setresuid32), SCMP_SYS(geteuid), SCMP_SYS(geteuid32),
	SCMP_SYS(getegid), SCMP_SYS(getegid32), SCMP_SYS(capget), SCMP_SYS(capset), SCMP_SYS(openat2),
	SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_send_signal), SCMP_SYS(connect), SCMP_SYS(getsockopt),
	SCMP_SYS(send), SCMP_SYS(sendto), SCMP_SYS(fstatat64), SCMP_SYS(unlink), SCMP_SYS(unlinkat),
};
/* clang-format on */

/* Not those that have signals sent to others. */
static const int worker_fcntls[] = { F_GETFD,         F_SETFD,     F_GETFL,
				     F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS };

static int allow_calls(scmp_filter_ctx filter, const int *calls, size_t count)
{
	int failed = 0;

	for (size_t i = 0; i < count; i++)
		failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	return failed;
}

/* Memory may not become code. */
static int allow_mapping(scmp_filter_ctx filter)
{
	static const int calls[] = { SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(mprotect) };
	int failed = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 1,
					   SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	return failed;
}

static int allow_fcntls(scmp_filter_ctx filter)
{
	static const int calls[] = { SCMP_SYS(fcntl), SCMP_SYS(fcntl64) };
	int failed = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		for (size_t k = 0; k < sizeof(worker_fcntls) / sizeof(*worker_fcntls); k++)
			failed |= seccomp_rule_add(
				filter, SCMP_ACT_ALLOW, calls[i], 1,
				SCMP_A1(SCMP_CMP_EQ, (unsigned)worker_fcntls[k], 0));
	return failed;
}

/*
 * The C library's fstat(2) on machines where stat(2) has a newer form.  A path with these flags would
 * tell whether a file is there that this user can see, and no more.
 */
static int allow_fstat(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
				SCMP_A3(SCMP_CMP_EQ, AT_EMPTY_PATH, 0));
}

/* Only new files are written, and sockets are of this machine.  openat2(2) only opens a folder. */
static int allow_attaching(scmp_filter_ctx filter)
{
	return allow_calls(filter, attacher_calls,
			   sizeof(attacher_calls) / sizeof(*attacher_calls)) |
	       seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, 0)) |
	       seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, O_CREAT | O_EXCL, O_CREAT | O_EXCL)) |
	       seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 0) |
	       seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
				SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
}

/* libdw asks for the path of each file, and goes on without. */
static int refuse_readlink(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(readlink), 0) |
	       seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(readlinkat), 0);
}

static scmp_filter_ctx make_filter(enum sandbox_role role)
{
	bool attaches = role == SANDBOX_ATTACHER;
	scmp_filter_ctx filter =
		seccomp_init(attaches ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS);
	int failed;

	if (!filter)
		return NULL;
	failed = allow_calls(filter, worker_calls, sizeof(worker_calls) / sizeof(*worker_calls));
	failed |= allow_mapping(filter);
	failed |= allow_fcntls(filter);
	failed |= attaches ? allow_attaching(filter) : allow_fstat(filter);
	failed |= refuse_readlink(filter);
	if (role != SANDBOX_WORKER) {
		failed |= allow_calls(filter, zygote_calls,
				      sizeof(zygote_calls) / sizeof(*zygote_calls));
		/* The C library then takes clone(2), whose flags are no pointer. */
		failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	}
	if (!failed)
		return filter;
	seccomp_release(filter);
	return NULL;
}

/* The filter's program, which the kernel takes; libseccomp writes it only into files. */
static bool export_program(scmp_filter_ctx filter, struct sock_fprog *out)
{
	int fd = memfd_create("ptop-filter", MFD_CLOEXEC);
	off_t size;

	if (fd < 0 || seccomp_export_bpf(filter, fd) < 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	size = lseek(fd, 0, SEEK_END);
	out->filter = mem_alloc((size_t)size);
	out->len = (unsigned short)((size_t)size / sizeof(*out->filter));
	size -= pread(fd, out->filter, (size_t)size, 0);
	close(fd);
	return !size;
}

struct sandbox *sandbox_new(unsigned roles)
{
	struct sandbox *s = mem_alloc(sizeof(*s));

	for (int role = 0; role < SANDBOX_ROLES; role++) {
		scmp_filter_ctx filter;
		bool made;

		if (!(roles >> role & 1))
			continue;
		filter = make_filter(role);
		made = filter && export_program(filter, &s->programs[role]);
		if (filter)
			seccomp_release(filter);
		if (!made) {
			free(s);
			return NULL;
		}
	}
	return s;
}
#else
struct sandbox *sandbox_new(unsigned roles)
{
	(void)roles;
	return NULL;
}
#endif

int sandbox_enter(const struct sandbox *s, enum sandbox_role role)
{
	if (!s)
		return 0;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &s->programs[role]) < 0 ? -errno : 0;
}

/* By the system call: libcap is not everywhere, and no file capability may survive without it. */
static int set_capabilities(uint64_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (kept && syscall(SYS_capget, &header, sets) < 0)
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t set = sets[i].permitted & (uint32_t)(kept >> (32 * i));

		sets[i] = (struct __user_cap_data_struct){ .effective = set, .permitted = set };
	}
	return syscall(SYS_capset, &header, sets) < 0 ? -errno : 0;
}

int sandbox_cut_capabilities(uint64_t kept)
{
	for (int i = 0; i < CAPABILITIES_MAX; i++) {
		if (!(kept >> i & 1))
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	}
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return set_capabilities(kept);
}

/*
 * Root becomes another user, if its name space has one; without capabilities or system calls it can do
 * no more than that user.  Nothing can be gained from an empty bounding set.
 */
static void become_nobody(void)
{
	if (geteuid() != 0)
		return;
	for (int i = 0; i < CAPABILITIES_MAX; i++)
		prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	if (!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return;
}

static void limit(int which, uint64_t soft, uint64_t hard)
{
	const struct rlimit l = { .rlim_cur = soft, .rlim_max = hard };

	setrlimit(which, &l);
}

int sandbox_drop_privileges(int parent)
{
	int failed;

	become_nobody();
	failed = set_capabilities(0);
	if (failed)
		return failed;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	limit(RLIMIT_CORE, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -errno;
	return getppid() == parent ? 0 : -ESRCH;
}

void sandbox_close_files(int kept)
{
	if (kept != 0) {
		dup2(kept, 0);
		close(kept);
	}
	fcntl(0, F_SETFD, FD_CLOEXEC);
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, 1u, ~0u, 0u))
		return;
#endif
	for (long fd = sysconf(_SC_OPEN_MAX); fd > 0; fd--)
		close((int)fd);
}

void sandbox_limit(const struct worker_limits *limits, uint64_t begins_with_bytes)
{
	limit(RLIMIT_CPU, limits->cpu_s, limits->cpu_s + 1);
	limit(RLIMIT_FSIZE, limits->memory_bytes, limits->memory_bytes);
#ifndef SANITIZED
	limit(RLIMIT_AS, begins_with_bytes + limits->memory_bytes,
	      begins_with_bytes + limits->memory_bytes);
#else
	(void)begins_with_bytes; /* a sanitizer reserves terabytes of addresses */
#endif
	alarm(limits->wall_s);
}
