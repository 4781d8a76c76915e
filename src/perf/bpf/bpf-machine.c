/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/bpf/bpf-machine.h"

#include "base/i18n.h"

#ifdef HAVE_LIBBPF

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define PID_NAMESPACE "/proc/self/ns/pid"
#define FIRST_PID_NAMESPACE 0xeffffffcu /* include/linux/proc_ns.h: PROC_PID_INIT_INO */

static bool kernel_is_new(void)
{
	struct utsname u;
	unsigned major = 0, minor = 0;

	return !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 19));
}

/* Numbers of threads are those of the machine. */
static bool is_outside(void)
{
	struct stat st;

	return !stat(PID_NAMESPACE, &st) && st.st_ino != FIRST_PID_NAMESPACE;
}

int bpf_machine_suits(struct error *err)
{
	if (!kernel_is_new())
		return error_set(err, "%s", _("Linux 5.19 or newer is needed"));
	if (access(BTF_FILE, R_OK))
		return error_set(err, _("this kernel does not describe its types (%s)"), BTF_FILE);
	if (is_outside())
		return error_set(err, "%s",
				 _("a container has other numbers of threads than the kernel"));
	return 0;
}

int bpf_machine_refuse(struct error *err, int error)
{
	if (error == -EPERM || error == -EACCES)
		return error_set(err, "%s",
				 _("the kernel refuses: this needs CAP_BPF and CAP_PERFMON, and a "
				   "kernel that is not locked down"));
	return error_set(err, _("the kernel refuses the program: %s"), strerror(-error));
}

/* libbpf would print; each failure has an errno, which bpf_machine_refuse() tells. */
static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

void bpf_machine_hush(void)
{
	libbpf_set_print(say_nothing);
}

#endif
