/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/refusal.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"

#define PARANOID_FILE "/proc/sys/kernel/perf_event_paranoid"

struct refusal {
	int error;
	const char *text; /* NULL: a matter of privilege */
};

static const struct refusal refusal_table[] = {
	{ ENOENT, N_("no such counter on this machine") },
	{ EOPNOTSUPP,
	  N_("this machine's counter cannot do that (no sampling, or not at this precision)") },
	{ ENODEV, N_("this CPU has no such counter") },
	{ ENOSYS, N_("this kernel was built without performance events") },
	{ EACCES, NULL },
	{ EPERM, NULL },
	{ EBUSY, N_("another profiler holds the counter, often the NMI watchdog: "
		    "try `sysctl kernel.nmi_watchdog=0`") },
	{ EMFILE, N_("too many open files: raise `ulimit -n`") },
	{ ENFILE, N_("too many open files in the whole system: raise fs.file-max") },
	{ ENOSPC, N_("all breakpoint registers or counters are taken: use fewer events") },
	{ ENOMEM, N_("the kernel is short of memory") },
	{ EINVAL, N_("the kernel rejects this event with these modifiers and this rate") },
	{ E2BIG, N_("this kernel is too old for this event") },
	{ ESRCH, N_("no such process") },
	{ EALREADY, N_("this event needs stacks: start with -g") },
};

static int paranoid_level(char *text, size_t size)
{
	FILE *f = fopen(PARANOID_FILE, "re");
	int ok;

	if (!f)
		return -1;
	ok = fgets(text, (int)size, f) != NULL;
	fclose(f);
	if (!ok)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

char *refusal_privilege(void)
{
	char level[16];

	if (paranoid_level(level, sizeof(level)) < 0)
		return refusal_text(ENOSYS); /* the file is there when the feature is */
	return mem_printf(
		_("kernel.perf_event_paranoid is %s: run as root, let a group run ptop with "
		  "capabilities (PRIVILEGES in ptop(1)), or "
		  "`sudo sysctl kernel.perf_event_paranoid=-1`"),
		level);
}

char *refusal_text(int error)
{
	for (size_t i = 0; i < sizeof(refusal_table) / sizeof(refusal_table[0]); i++) {
		const struct refusal *r = &refusal_table[i];

		if (r->error == error)
			return r->text ? mem_strdup(_(r->text)) : refusal_privilege();
	}
	return mem_strdup(strerror(error));
}
