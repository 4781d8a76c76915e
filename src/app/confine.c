/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/confine.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#if defined(HAVE_LIBSECCOMP) && !defined(INSTRUMENTED)
#include <seccomp.h>
#endif

#include "base/i18n.h"

#if defined(HAVE_LIBSECCOMP) && !defined(INSTRUMENTED)

/* clang-format off */

/* Runs that need a group: a member of struct privilege_needs, or any run. */
#define NEEDED_BY(member) offsetof(struct privilege_needs, member)
#define ALWAYS SIZE_MAX

/*
 * The calls of a run, by name; refuse_arguments() has what it may not do with some of these.  A name that this machine or
 * libseccomp does not have is left out.  Anything else is answered as by a kernel that lacks it (ENOSYS), so that a
 * C library with newer calls takes an older one; so names of both are here.
 *
 * The calls were found by strace over runs with each view, format and kind of source.
 */
static const struct {
	size_t need;
	const char *names; /* with blanks between */
} allowed[] = {
	/* Files of /proc, programs, recordings.  open(2) and openat(2) mostly for reading, see refuse_files(). */
	{ ALWAYS, "open openat read readv pread64 preadv preadv2 lseek _llseek close close_range" },
	{ ALWAYS, "stat stat64 lstat lstat64 fstat fstat64 fstatat64 newfstatat statx statfs statfs64 "
		  "fstatfs fstatfs64 access faccessat faccessat2 readlink readlinkat getcwd "
		  "getdents getdents64 fadvise64 fadvise64_64 arm_fadvise64_64 readahead" },
	{ ALWAYS, "fcntl fcntl64 dup dup2 dup3 flock" },
	/* Writing to what is open: the output, a recording, the terminal. */
	{ ALWAYS, "write writev pwrite64 pwritev pwritev2 ftruncate ftruncate64 fsync fdatasync "
		  "sync_file_range sync_file_range2 fallocate sendfile sendfile64 copy_file_range" },
	/* Memory, also of libraries that are loaded late: character sets, name services. */
	{ ALWAYS, "mmap mmap2 munmap mremap mprotect madvise brk mlock mlock2 munlock msync mincore "
		  "memfd_create membarrier get_mempolicy" },
	/* Threads, see refuse_processes().  The last two lines: of some machines. */
	{ ALWAYS, "clone exit exit_group futex futex_time64 set_robust_list get_robust_list rseq "
		  "set_tid_address sched_yield sched_getaffinity sched_getparam sched_getscheduler "
		  "sched_getattr sched_get_priority_max sched_get_priority_min getpriority ioprio_get getcpu "
		  "arch_prctl set_thread_area get_thread_area set_tls cacheflush "
		  "riscv_flush_icache riscv_hwprobe" },
	/* Signals, see refuse_signals(). */
	{ ALWAYS, "rt_sigaction rt_sigprocmask rt_sigreturn sigreturn rt_sigpending rt_sigsuspend "
		  "rt_sigtimedwait rt_sigtimedwait_time64 sigaltstack signalfd4 kill tgkill pause "
		  "restart_syscall alarm setitimer getitimer" },
	{ ALWAYS, "clock_gettime clock_gettime64 clock_getres clock_getres_time64 clock_nanosleep "
		  "clock_nanosleep_time64 nanosleep gettimeofday time times timerfd_create timerfd_settime "
		  "timerfd_settime64 timerfd_gettime timerfd_gettime64" },
	{ ALWAYS, "poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 epoll_create "
		  "epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd2 pipe pipe2" },
	/* The workers, and other processes that were forked before: messages to them, and their ends. */
	{ ALWAYS, "socketpair sendmsg recvmsg sendto recvfrom send recv shutdown getsockopt setsockopt "
		  "wait4 waitid waitpid pidfd_open" },
	/* Questions about itself and the machine. */
	{ ALWAYS, "getpid getppid gettid getpgrp getpgid getsid getuid getuid32 geteuid geteuid32 getgid "
		  "getgid32 getegid getegid32 getresuid getresuid32 getresgid getresgid32 getgroups "
		  "getgroups32 capget prctl prlimit64 getrlimit ugetrlimit setrlimit getrusage uname sysinfo "
		  "getrandom umask" },
	{ NEEDED_BY(live), "perf_event_open process_vm_readv" },
	{ NEEDED_BY(creates), "rename renameat renameat2 mkdir mkdirat rmdir unlink unlinkat fchmod" },
	{ NEEDED_BY(shares), "unlink unlinkat accept accept4" },
	{ NEEDED_BY(audiences), "fchmod" },
	{ NEEDED_BY(acts), "pidfd_send_signal setpriority ioprio_set sched_setaffinity" },
	{ NEEDED_BY(serves), "accept accept4 getsockname getpeername" },
	{ NEEDED_BY(unix_names), "socket connect getsockname getpeername" },
	{ NEEDED_BY(sends), "socket connect bind getsockname getpeername sendmmsg recvmmsg "
			    "recvmmsg_time64" },
	{ NEEDED_BY(fetches), "socket connect bind listen getsockname getpeername sendmmsg recvmmsg "
			      "recvmmsg_time64" },
	/* libdebuginfod keeps its cache as it likes. */
	{ NEEDED_BY(fetches), "rename renameat renameat2 mkdir mkdirat rmdir unlink unlinkat utime utimes "
			      "utimensat utimensat_time64 futimesat chdir fchdir fchmod" },
};

/* Requests to a terminal, and to a source of bytes.  A terminal is not told to type (TIOCSTI) or to paste (TIOCLINUX). */
static const unsigned long ioctls[] = {
	TCGETS, TCSETS, TCSETSW, TCSETSF, TCFLSH, TCXONC, TCSBRK, TCSBRKP, TIOCGWINSZ, TIOCGPGRP,
	TIOCSPGRP, TIOCGSID, TIOCOUTQ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX,
#ifdef TCGETS2 /* a newer C library's */
	TCGETS2, TCSETS2, TCSETSW2, TCSETSF2,
#endif
};
#define EVENT_IOCTLS ((unsigned)'$' << _IOC_TYPESHIFT) /* linux/perf_event.h: each of an event has this type */

/* clang-format on */

#define NAME_MAX_BYTES 32

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* The call NAME fails with ERROR if its argument ARG is so. */
static void refuse_if(scmp_filter_ctx filter, const char *name, int error, struct scmp_arg_cmp arg)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number != __NR_SCMP_ERROR)
		seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), number, 1, arg);
}

/* CREATES: what is written must be a new file, so none that is there is ever opened for writing. */
static void refuse_writing(scmp_filter_ctx f, const char *name, unsigned arg, bool creates)
{
	const unsigned modes[] = { O_WRONLY, O_RDWR, O_ACCMODE };

	for (size_t i = 0; i < COUNT(modes); i++) {
		if (!creates)
			refuse_if(f, name, EPERM,
				  SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, O_ACCMODE, modes[i]));
		refuse_if(f, name, EPERM,
			  SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT, modes[i]));
		refuse_if(f, name, EPERM,
			  SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_EXCL, modes[i]));
	}
	refuse_if(f, name, EPERM,
		  SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, creates ? O_CREAT | O_EXCL : O_CREAT, O_CREAT));
	refuse_if(f, name, EPERM, SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, O_TRUNC, O_TRUNC));
}

static void refuse_files(scmp_filter_ctx f, const struct privilege_needs *needs)
{
	if (needs->fetches)
		return; /* libdebuginfod writes its cache as it likes */
	refuse_writing(f, "open", 1, needs->creates);
	refuse_writing(f, "openat", 2, needs->creates);
}

static void refuse_sockets(scmp_filter_ctx f, const struct privilege_needs *needs)
{
	/* A pair has no other end than its maker: the workers that read files are talked to by one. */
	refuse_if(f, "socketpair", EPERM, SCMP_CMP(0, SCMP_CMP_NE, AF_UNIX, 0));
	if (!needs->fetches && !needs->sends)
		refuse_if(f, "socket", EPERM, SCMP_CMP(0, SCMP_CMP_NE, AF_UNIX, 0));
}

/* A signal of number 0 only asks whether a process is there. */
static void refuse_signals(scmp_filter_ctx f, const struct privilege_needs *needs)
{
	const struct scmp_arg_cmp other = SCMP_CMP(0, SCMP_CMP_NE, (scmp_datum_t)needs->command, 0);
	const struct scmp_arg_cmp real = SCMP_CMP(1, SCMP_CMP_NE, 0, 0);

	if (needs->command)
		seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 2, other, real);
	else
		seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 1, real);
	refuse_if(f, "tgkill", EPERM, SCMP_CMP(0, SCMP_CMP_NE, (scmp_datum_t)getpid(), 0));
	refuse_if(f, "prlimit64", EPERM, SCMP_CMP(0, SCMP_CMP_NE, 0, 0)); /* its own limits alone */
}

/* Threads alone.  The flags of clone3(2) and openat2(2) are in memory, which a filter does not see: these are not allowed. */
static void refuse_processes(scmp_filter_ctx f)
{
#ifndef __s390__ /* the flags are its second argument */
	refuse_if(f, "clone", EPERM, SCMP_CMP(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
#endif
}

static scmp_filter_ctx filter_new(uint32_t action)
{
	scmp_filter_ctx f = seccomp_init(action);

	if (!f)
		return NULL;
	/* Also binary search, and threads that a library has started; older libraries do without. */
	seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1);
	seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	return f;
}

static void filter_load(scmp_filter_ctx f)
{
	seccomp_load(f);
	seccomp_release(f);
}

static void refuse_arguments(const struct privilege_needs *needs)
{
	scmp_filter_ctx f = filter_new(SCMP_ACT_ALLOW);

	if (!f)
		return;
	refuse_processes(f);
	refuse_signals(f, needs);
	refuse_files(f, needs);
	refuse_sockets(f, needs);
	filter_load(f);
}

static void allow_names(scmp_filter_ctx f, const char *names)
{
	char name[NAME_MAX_BYTES];
	size_t size;
	int number;

	for (; *names; names += size + (names[size] == ' ')) {
		size = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)size, names);
		number = seccomp_syscall_resolve_name(name);
		if (number != __NR_SCMP_ERROR)
			seccomp_rule_add(f, SCMP_ACT_ALLOW, number, 0);
	}
}

static void allow_ioctl(scmp_filter_ctx f, uint32_t mask, uint64_t request)
{
	seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
			 SCMP_CMP(1, SCMP_CMP_MASKED_EQ, mask, request));
}

/* A busy thread falls back to its nice value (priority_keep()): no other thread, and no other policy. */
static void allow_falling_back(scmp_filter_ctx f)
{
	seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(sched_setscheduler), 2,
			 SCMP_CMP(0, SCMP_CMP_EQ, 0, 0), SCMP_CMP(1, SCMP_CMP_EQ, SCHED_OTHER, 0));
}

static void allow_bpf(scmp_filter_ctx f, unsigned command)
{
	seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(bpf), 1, SCMP_CMP(0, SCMP_CMP_EQ, command, 0));
}

/* Commands of bpf(2), enum bpf_cmd in <linux/bpf.h>: of maps that are open, and no more than each program needs. */
static void allow_maps(scmp_filter_ctx f, const struct privilege_needs *needs)
{
	enum { LOOKUP = 1, UPDATE = 2, DELETE = 3, LOOKUP_BATCH = 24 };

	if (needs->sums) {
		allow_bpf(f, LOOKUP);
		allow_bpf(f, LOOKUP_BATCH);
	}
	if (needs->walks)
		allow_bpf(f, UPDATE);
	if (needs->sums || needs->walks)
		allow_bpf(f, DELETE);
}

static bool is_needed(const struct privilege_needs *needs, size_t need)
{
	return need == ALWAYS || *(const bool *)((const char *)needs + need);
}

static void allow_calls(const struct privilege_needs *needs)
{
	scmp_filter_ctx f = filter_new(SCMP_ACT_ERRNO(ENOSYS));

	if (!f)
		return;
	for (size_t i = 0; i < COUNT(allowed); i++) {
		if (is_needed(needs, allowed[i].need))
			allow_names(f, allowed[i].names);
	}
	allow_maps(f, needs);
	allow_falling_back(f);
	for (size_t i = 0; i < COUNT(ioctls); i++)
		allow_ioctl(f, UINT32_MAX, ioctls[i]);
	allow_ioctl(f, (unsigned)_IOC_TYPEMASK << _IOC_TYPESHIFT, EVENT_IOCTLS);
	filter_load(f);
}

/* Two filters, of which the kernel takes the stricter answer: libseccomp has one answer for what a rule does not name. */
void confine(const struct privilege_needs *needs)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	refuse_arguments(needs);
	allow_calls(needs);
}

const char *confine_missing(void)
{
	return _("the kernel refuses");
}

#else

void confine(const struct privilege_needs *needs)
{
	(void)needs;
#ifndef INSTRUMENTED /* the leak sanitizer traces its own process */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

const char *confine_missing(void)
{
	return _("this ptop was built without libseccomp");
}

#endif
