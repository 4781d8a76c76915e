/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/privilege.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_LIBCAP
#include <sys/capability.h>
#endif

#include "app/confine.h"
#include "app/priority.h"
#include "base/alloc.h"
#include "base/i18n.h"
#include "symbol/fetch.h"

#define NAME_SERVICES "/etc/nsswitch.conf"

bool privilege_is_lent(void)
{
	return getauxval(AT_SECURE) != 0;
}

#ifdef HAVE_LIBCAP

/* Not in all versions of the kernel's headers: <linux/capability.h>. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

/* The kinds of runs that need a capability after the start. */
enum use {
	USE_LIVE = 1,
	USE_FILE = 2,      /* -i */
	USE_LENT = 4,      /* also if the program file lends it: it shows what perf shows with it */
	USE_COMMAND = 8,   /* with a command */
	USE_OVERRIDE = 16, /* files are made in another user's folder */
	USE_ACTS =
		32 /* keys change processes.  Not lent: what kill(2) lets the person do needs none */
};

struct kept {
	cap_value_t capability;
	unsigned use;
};

/* clang-format off */
static const struct kept kept_table[] = {
	{ CAP_PERFMON, USE_LIVE | USE_LENT },         /* events are added, and opened anew for added CPUs */
	{ CAP_SYS_PTRACE, USE_LIVE | USE_LENT },      /* maps, smaps, files and code of others in /proc */
	{ CAP_IPC_LOCK, USE_LIVE | USE_LENT },        /* rings of these events */
	{ CAP_SYSLOG, USE_LIVE | USE_FILE | USE_LENT }, /* addresses in /proc/kallsyms */
	{ CAP_CHECKPOINT_RESTORE, USE_LIVE },         /* /proc/PID/map_files: mapped files without a name */
	{ CAP_SYS_RAWIO, USE_LIVE },                  /* /proc/kcore: the kernel's code */
	{ CAP_DAC_READ_SEARCH, USE_LIVE | USE_FILE }, /* programs in folders of their users */
	{ CAP_KILL, USE_COMMAND | USE_ACTS },         /* the command may have become another user */
	{ CAP_SYS_NICE, USE_ACTS },                   /* nice values and CPUs of others */
	{ CAP_DAC_OVERRIDE, USE_OVERRIDE },
};
/* clang-format on */

#define KEPT (sizeof(kept_table) / sizeof(*kept_table))

static bool is_permitted(cap_t now, cap_value_t capability)
{
	cap_flag_value_t value = CAP_CLEAR;

	return !cap_get_flag(now, capability, CAP_PERMITTED, &value) && value == CAP_SET;
}

static void add(cap_t set, cap_value_t capability)
{
	cap_set_flag(set, CAP_PERMITTED, 1, &capability, CAP_SET);
	cap_set_flag(set, CAP_EFFECTIVE, 1, &capability, CAP_SET);
}

/*
 * Returns the part of NOW that USES need.  CAP_SYS_ADMIN stands for CAP_PERFMON and
 * CAP_CHECKPOINT_RESTORE where the kernel (before 5.9) or a container does not give them.
 */
static cap_t reduced(cap_t now, unsigned uses)
{
	cap_t set = cap_init();

	for (size_t i = 0; set && i < KEPT; i++) {
		if (kept_table[i].use & uses && is_permitted(now, kept_table[i].capability))
			add(set, kept_table[i].capability);
	}
	if (set && uses & USE_LIVE && !is_permitted(now, CAP_PERFMON) &&
	    is_permitted(now, CAP_SYS_ADMIN))
		add(set, CAP_SYS_ADMIN);
	return set;
}

/* Needs CAP_SETPCAP; without it no_new_privs keeps them from coming back. */
static void cut_bounding(cap_t set)
{
	for (cap_value_t c = 0; cap_get_bound(c) >= 0; c++) {
		if (!is_permitted(set, c))
			cap_drop_bound(c);
	}
}

/* Inheritable ones are not in the set, and ambient ones go with them. */
static bool cut_capabilities(unsigned uses)
{
	cap_t now = cap_get_proc(), set = now ? reduced(now, uses) : NULL;
	bool done = false;

	if (set) {
		cut_bounding(set);
		done = !cap_set_proc(set);
	}
	cap_free(set);
	cap_free(now);
	return done;
}

static bool has_capabilities(void)
{
	return true;
}

#else

enum use {
	USE_LIVE = 1,
	USE_FILE = 2,
	USE_LENT = 4,
	USE_COMMAND = 8,
	USE_OVERRIDE = 16,
	USE_ACTS = 32
};

static bool cut_capabilities(unsigned uses)
{
	(void)uses;
	return false;
}

static bool has_capabilities(void)
{
	return false;
}

#endif

void privilege_begin(void)
{
	uid_t user = getuid();
	gid_t group = getgid();

	if (!privilege_is_lent())
		return;
	/* Without libcap they are lost with the user: ptop then measures what is the person's own. */
	if (has_capabilities())
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (setresgid(group, group, group) || setresuid(user, user, user))
		abort();
	if (user)
		cut_capabilities(USE_LENT);
	prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
}

/* "passwd: files systemd": does a source ask another process?  A line without sources is as files. */
static bool line_asks(const char *line)
{
	static const char *const own[] = { "files", "compat", "db" };
	size_t size;

	for (line += strspn(line, " \t"); *line && *line != '#' && *line != '\n';
	     line += size + strspn(line + size, " \t")) {
		bool known = *line == '[';

		size = strcspn(line, " \t\n#");
		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			known |= size == strlen(own[i]) && !strncmp(line, own[i], size);
		if (!known)
			return true;
	}
	return false;
}

static bool names_need_socket(void)
{
	FILE *f = fopen(NAME_SERVICES, "re");
	char line[1024];
	bool asks = false;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "passwd:", strlen("passwd:")))
			asks |= line_asks(line + strlen("passwd:"));
	}
	if (f)
		fclose(f);
	return asks;
}

/* The folder in which new files are most likely made: that of -o or --record, or the present one. */
static char *folder_of_files(const struct options *o)
{
	const char *path = o->output ? o->output : o->record ? o->record : "";
	const char *slash = strrchr(path, '/');

	return slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup(".");
}

/* Returns true if only a capability lets us write to FOLDER. */
static bool needs_override(const char *folder)
{
	struct stat st;

	return !geteuid() && !stat(folder, &st) && st.st_uid && !(st.st_mode & S_IWOTH) &&
	       !(st.st_mode & S_IWGRP && st.st_gid == getegid());
}

struct privilege_needs privilege_needs_of(const struct options *o, pid_t command)
{
	struct privilege_needs needs = {
		.live = options_are_live(o),
		.creates = !o->batch || o->output || o->record_bytes || o->trigger_count,
		.fetches = !o->attach && fetch_is_wanted(),
		.serves = o->listen != NULL,
		.shares = o->serve && strcmp(o->serve, "-") != 0,
		.audiences = options_serve_users(o),
		.attaches = o->attach != NULL,
		.unix_names = names_need_socket(),
		.acts = !o->batch && options_are_live(o) && !o->read_only,
		.command = command,
	};
	const char *home = secure_getenv("HOME");
	char *folder = folder_of_files(o);

	needs.overrides = (needs.creates && needs_override(folder)) ||
			  (needs.fetches && home && needs_override(home)); /* its cache */
	free(folder);
	return needs;
}

static unsigned uses_of(const struct privilege_needs *needs)
{
	unsigned uses = needs->live ? USE_LIVE : needs->attaches ? 0 : USE_FILE;

	if (needs->command)
		uses |= USE_COMMAND;
	if (needs->acts)
		uses |= USE_ACTS;
	if (needs->overrides)
		uses |= USE_OVERRIDE;
	return uses;
}

void privilege_cut(const struct privilege_needs *needs)
{
	const struct rlimit none = { 0, 0 };

	priority_keep();
	cut_capabilities(uses_of(needs));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none); /* other users' memory is in ours */
	confine(needs);
}

void privilege_describe(struct buf *out)
{
	bool filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2;

	buf_add_str(out, has_capabilities() ? _("capabilities: only those that measuring needs")
					    : _("capabilities: all are kept, for this ptop was "
						"built without libcap"));
	if (filtered)
		buf_printf(out, "; %s\n", _("system calls: filtered"));
	else
		buf_printf(out, "; %s: %s\n", _("system calls: not filtered"), confine_missing());
}
