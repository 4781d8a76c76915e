/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#if defined(HAVE_LIBSECCOMP) && !defined(INSTRUMENTED)
#include <seccomp.h>
#endif

#include "base/i18n.h"

#if defined(HAVE_LIBSECCOMP) && !defined(INSTRUMENTED)

/* A name that an architecture does not have is left out. */
static const char *const never[] = {
	"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_writev", "process_madvise",
	"process_mrelease", "pidfd_getfd", "kcmp", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	/* name spaces and file systems */
	"mount", "umount", "umount2", "pivot_root", "chroot", "setns", "unshare", "move_mount",
	"fsopen", "fsmount", "fsconfig", "fspick", "open_tree", "mount_setattr", "swapon",
	"swapoff", "quotactl", "quotactl_fd", "open_by_handle_at", "name_to_handle_at",
	"fanotify_init", "mknod", "mknodat", "link", "linkat", "symlink", "symlinkat", "chmod",
	"fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat", "setxattr", "lsetxattr",
	"fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "creat",
	"truncate",
	/* the kernel, keys and clocks */
	"bpf", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load",
	"reboot", "iopl", "ioperm", "modify_ldt", "keyctl", "add_key", "request_key", "acct",
	"syslog", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime",
	"sethostname", "setdomainname", "vhangup", "userfaultfd", "personality",
	/* rights, and the order of others */
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid",
	"setfsgid", "setgroups", "capset", "sched_setscheduler", "sched_setparam", "sched_setattr",
	"migrate_pages", "move_pages", "set_mempolicy_home_node",
	/* a way round a filter */
	"io_uring_setup", "io_uring_enter", "io_uring_register"
};

static const char *const acts[] = { "pidfd_send_signal", "setpriority", "ioprio_set",
				    "sched_setaffinity" };
static const char *const sockets[] = { "socket", "connect" };
static const char *const servers[] = { "bind", "listen" };
static const char *const receivers[] = { "accept", "accept4" };
static const char *const changes[] = { "rename", "renameat", "renameat2",
				       "mkdir",  "mkdirat",  "rmdir" };
static const char *const removals[] = { "unlink", "unlinkat" };
static const char *const measures[] = { "perf_event_open", "process_vm_readv" };

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* The call NAME fails with ERROR if its argument ARG is so. */
static void refuse_if(scmp_filter_ctx filter, const char *name, int error, struct scmp_arg_cmp arg)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number != __NR_SCMP_ERROR)
		seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), number, 1, arg);
}

static void refuse(scmp_filter_ctx filter, const char *name, int error)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number != __NR_SCMP_ERROR)
		seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), number, 0);
}

static void refuse_all(scmp_filter_ctx filter, const char *const names[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		refuse(filter, names[i], EPERM);
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
	refuse(f, "openat2", ENOSYS); /* its flags are in memory, which a filter does not see */
	if (needs->fetches)
		return; /* libdebuginfod writes its cache as it likes */
	refuse_writing(f, "open", 1, needs->creates);
	refuse_writing(f, "openat", 2, needs->creates);
	if (!needs->creates)
		refuse_all(f, changes, COUNT(changes));
	if (!needs->creates && !needs->shares)
		refuse_all(f, removals, COUNT(removals));
}

static void refuse_sockets(scmp_filter_ctx f, const struct privilege_needs *needs)
{
	/* A pair has no other end than its maker: the workers that read files are talked to by one. */
	refuse_if(f, "socketpair", EPERM, SCMP_CMP(0, SCMP_CMP_NE, AF_UNIX, 0));
	if (!needs->serves)
		refuse_all(f, receivers, COUNT(receivers));
	if (needs->fetches)
		return;
	refuse_all(f, servers, COUNT(servers));
	if (needs->sends)
		return;
	if (needs->unix_names)
		refuse_if(f, "socket", EPERM, SCMP_CMP(0, SCMP_CMP_NE, AF_UNIX, 0));
	else
		refuse_all(f, sockets, COUNT(sockets));
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
}

/* Threads alone.  clone3's flags are in memory; libc then takes clone. */
static void refuse_processes(scmp_filter_ctx f)
{
	refuse(f, "clone3", ENOSYS);
#ifndef __s390__ /* the flags are its second argument */
	refuse_if(f, "clone", EPERM, SCMP_CMP(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
#endif
}

void confine(const struct privilege_needs *needs)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);

	if (!f)
		return;
	/* Also binary search, and threads that a library has started; older libraries do without. */
	seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1);
	seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	refuse_all(f, never, COUNT(never));
	refuse_if(f, "ioctl", EPERM, SCMP_CMP(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCSTI));
	refuse_if(f, "ioctl", EPERM, SCMP_CMP(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCLINUX));
	if (!needs->acts)
		refuse_all(f, acts, COUNT(acts));
	refuse_processes(f);
	refuse_signals(f, needs);
	refuse_files(f, needs);
	refuse_sockets(f, needs);
	if (!needs->live)
		refuse_all(f, measures, COUNT(measures));
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	seccomp_load(f);
	seccomp_release(f);
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
