/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/java.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "worker/sandbox.h"

#define TEXT_BYTES 8192
#define MAPS_BYTES (8u << 20)
#define NS_PER_MS (NS_PER_S / 1000)
#define STEP_MS 20 /* between two looks for the socket */

/* Its version, the command, and three arguments, each with a NUL behind it. */
static const char request[] = "1\0jcmd\0Compiler.perfmap\0\0";

/* The files of the process that are open: after this nothing is found by its number again. */
struct target {
	struct java_process is;
	int pidfd, proc, tmp, cwd;
	uint64_t until_ns;
};

const char *java_result_text(enum java_result r)
{
	static const char *const texts[JAVA_RESULTS] = {
		[JAVA_STARTING] = N_("Java does not handle SIGQUIT"),
		[JAVA_FORBIDDEN] = N_("Java was started with -XX:+DisableAttachMechanism"),
		[JAVA_TOO_OLD] = N_("Java before JDK 17 does not tell the names of its code"),
		[JAVA_DENIED] = N_("Java belongs to another user, or its /tmp lets nobody in"),
		[JAVA_SILENT] = N_("Java does not answer"),
		[JAVA_FAILED] = N_("Java does not tell the names of its code"),
	};

	return texts[r];
}

/* The text behind the line's KEY, or NULL. */
static const char *field(const char *text, const char *key)
{
	size_t size = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, size))
			return line + size;
	}
	return NULL;
}

/* "Uid:	1000	1000	1000	1000": the effective one is the second. */
static bool second_number(const char *text, uint32_t *value)
{
	return text && sscanf(text, "%*u %" SCNu32, value) == 1;
}

/* "NSpid:	4123	7": the last one is that of the innermost name space. */
static bool last_number(const char *text, uint32_t *value)
{
	int size = 0;
	bool any = false;

	for (; text && sscanf(text, "%*[ \t]%" SCNu32 "%n", value, &size) == 1; text += size)
		any = true;
	return any;
}

bool java_status_parse(struct java_process *p, const char *text, size_t size)
{
	char line[TEXT_BYTES + 1];
	const char *caught;

	if (size > TEXT_BYTES)
		size = TEXT_BYTES;
	memcpy(line, text, size);
	line[size] = '\0';
	caught = field(line, "SigCgt:");
	if (!caught || !second_number(field(line, "Uid:"), &p->uid) ||
	    !second_number(field(line, "Gid:"), &p->gid) ||
	    !last_number(field(line, "NSpid:"), &p->nspid))
		return false;
	p->takes_quit = strtoull(caught, NULL, 16) >> (SIGQUIT - 1) & 1;
	return true;
}

bool java_forbids(const char *cmdline, size_t size)
{
	static const char option[] = "-XX:+DisableAttachMechanism";

	for (size_t at = 0; at < size;) {
		size_t length = strnlen(cmdline + at, size - at);

		if (length == sizeof(option) - 1 && !memcmp(cmdline + at, option, length))
			return true;
		at += length + 1;
	}
	return false;
}

enum java_result java_answer_parse(const char *text, size_t size)
{
	static const char unknown[] = "Unknown diagnostic command";

	if (size >= 2 && !memcmp(text, "0\n", 2))
		return JAVA_NAMED;
	return memmem(text, size, unknown, sizeof(unknown) - 1) ? JAVA_TOO_OLD : JAVA_FAILED;
}

/* The first SIZE bytes of a file of the process; -1: it cannot be read. */
static ssize_t read_file(const struct target *t, const char *name, char *text, size_t size)
{
	int fd = openat(t->proc, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : (ssize_t)io_read(fd, text, size);

	if (fd >= 0)
		close(fd);
	return got;
}

/* One page of text at a time, with the end of the previous one: the name may lie across both. */
static bool maps_library(const struct target *t)
{
	static const char library[] = "/libjvm.so";
	char text[TEXT_BYTES];
	size_t kept = 0, total = 0;
	int fd = openat(t->proc, "maps", O_RDONLY | O_CLOEXEC);
	bool found = false;
	ssize_t got;

	while (fd >= 0 && !found && total < MAPS_BYTES &&
	       (got = read(fd, text + kept, sizeof(text) - kept)) > 0) {
		size_t size = kept + (size_t)got;

		total += (size_t)got;
		found = memmem(text, size, library, sizeof(library) - 1);
		kept = size < sizeof(library) ? size : sizeof(library);
		memmove(text, text + size - kept, kept);
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* /tmp as the process sees it: no link leads out of its root folder. */
static int open_tmp(const struct target *t)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int root = openat(t->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int tmp = root < 0 ? -1 : (int)syscall(SYS_openat2, root, "tmp", &how, sizeof(how));

	if (root >= 0)
		close(root);
	return tmp;
}

static enum java_result target_open(struct target *t, const char *proc_root, uint32_t pid)
{
	char path[64], text[TEXT_BYTES];
	ssize_t size;

	t->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	snprintf(path, sizeof(path), "%s/%u", proc_root, pid);
	t->proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size = read_file(t, "status", text, sizeof(text));
	if (t->pidfd < 0 || size < 0 || !java_status_parse(&t->is, text, (size_t)size))
		return JAVA_NONE;
	if (!maps_library(t))
		return JAVA_NONE;
	size = read_file(t, "cmdline", text, sizeof(text));
	if (size > 0 && java_forbids(text, (size_t)size))
		return JAVA_FORBIDDEN;
	t->tmp = open_tmp(t);
	t->cwd = openat(t->proc, "cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return t->tmp < 0 ? JAVA_DENIED : JAVA_NAMED;
}

/* Whatever the process made of its folders, we reach what its user reaches. */
static bool become(const struct java_process *p)
{
	if ((geteuid() != p->uid || getegid() != p->gid) &&
	    (setgroups(0, NULL) || setresgid(p->gid, p->gid, p->gid) ||
	     setresuid(p->uid, p->uid, p->uid)))
		return false;
	return !sandbox_cut_capabilities(0);
}

/* The socket's path is as long as sun_path allows, whatever the folder's is. */
static int connect_to(const struct target *t)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof(peer);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/.java_pid%u", t->tmp,
		 t->is.nspid);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == t->is.uid)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The file that tells SIGQUIT from a wish for a thread dump.  Returns its folder, or -1. */
static int leave_mark(const struct target *t, const char *name)
{
	const int folders[] = { t->cwd, t->tmp };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		int fd = folders[i] < 0 ? -1
					: openat(folders[i], name,
						 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		if (fd < 0)
			continue;
		close(fd);
		return folders[i];
	}
	return -1;
}

static int wait_for_socket(const struct target *t)
{
	int fd = -1;

	while (fd < 0 && clock_monotonic_ns(&clock_system) < t->until_ns) {
		poll(NULL, 0, STEP_MS);
		fd = connect_to(t);
	}
	return fd;
}

static enum java_result reach(const struct target *t, int *fd)
{
	char name[32];
	int folder;

	*fd = connect_to(t);
	if (*fd >= 0)
		return JAVA_NAMED;
	if (!t->is.takes_quit)
		return JAVA_STARTING;
	snprintf(name, sizeof(name), ".attach_pid%u", t->is.nspid);
	folder = leave_mark(t, name);
	if (folder < 0)
		return JAVA_DENIED;
	if (!syscall(SYS_pidfd_send_signal, t->pidfd, SIGQUIT, NULL, 0))
		*fd = wait_for_socket(t);
	unlinkat(folder, name, 0);
	return *fd < 0 ? JAVA_SILENT : JAVA_NAMED;
}

/* A map that is written over could not be told from one that grew. */
static void remove_map(const struct target *t)
{
	struct stat st;
	char name[32];

	snprintf(name, sizeof(name), "perf-%u.map", t->is.nspid);
	if (!fstatat(t->tmp, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	    st.st_uid == t->is.uid)
		unlinkat(t->tmp, name, 0);
}

/* Everything up to the end, of which TEXT has the beginning; -1: no end by then. */
static ssize_t read_answer(const struct target *t, int fd, char *text, size_t size)
{
	size_t kept = 0;
	char rest[256];

	for (;;) {
		struct pollfd more = { .fd = fd, .events = POLLIN };
		uint64_t now = clock_monotonic_ns(&clock_system);
		bool full = kept == size;
		ssize_t got;

		if (now >= t->until_ns ||
		    poll(&more, 1, (int)((t->until_ns - now) / NS_PER_MS) + 1) < 1)
			return -1;
		got = read(fd, full ? rest : text + kept, full ? sizeof(rest) : size - kept);
		if (got <= 0)
			return got ? -1 : (ssize_t)kept;
		kept += full ? 0 : (size_t)got;
	}
}

static enum java_result order_map(const struct target *t, int fd)
{
	char text[TEXT_BYTES];
	ssize_t size;

	remove_map(t);
	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) != (ssize_t)sizeof(request))
		return JAVA_FAILED;
	size = read_answer(t, fd, text, sizeof(text));
	return size < 0 ? JAVA_SILENT : java_answer_parse(text, (size_t)size);
}

enum java_result java_write_map(const char *proc_root, uint32_t pid)
{
	struct target t = { .until_ns = clock_monotonic_ns(&clock_system) +
					JAVA_ANSWER_MS * NS_PER_MS };
	enum java_result result = target_open(&t, proc_root, pid);
	int fd;

	if (result != JAVA_NAMED)
		return result;
	if (!become(&t.is))
		return JAVA_DENIED;
	result = reach(&t, &fd);
	return result == JAVA_NAMED ? order_map(&t, fd) : result;
}
