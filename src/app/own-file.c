/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/own-file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "output/output.h"

#define SIZE_LIMIT (64 * 1024) /* bytes; ours are some hundred */
#define LOCK_TRIES 50
#define LOCK_PAUSE_MS 20

int own_folder(struct buf *out, struct error *err)
{
	const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (folder && *folder == '/') /* a relative one is invalid: XDG base directories */
		buf_printf(out, "%s/ptop", folder);
	else if (home && *home)
		buf_printf(out, "%s/.config/ptop", home);
	else
		return error_set(err, _("no place for the configuration: set HOME or "
					"XDG_CONFIG_HOME"));
	return 0;
}

/* Who may change the file or the folder PATH, or what a symbolic link of that name leads to. */
static int check_owner(const char *path, const struct stat *st, struct error *err)
{
	if (st->st_uid && st->st_uid != geteuid())
		return error_set(
			err,
			_("'%s' belongs to user %u; set XDG_CONFIG_HOME to a folder of your own"),
			path, (unsigned int)st->st_uid);
	if (S_ISDIR(st->st_mode) && st->st_mode & S_IWOTH && !(st->st_mode & S_ISVTX))
		return error_set(
			err,
			_("'%s' can be written by everybody; set XDG_CONFIG_HOME to a folder of "
			  "your own"),
			path);
	return 0;
}

/* Each folder that leads to PATH, and itself, as far as they are there. */
static int check_owners(const char *path, struct error *err)
{
	char *part = mem_strdup(path);
	int failed = 0;

	for (size_t end = 1; !failed && end <= strlen(path); end++) {
		struct stat st;

		end += strcspn(path + end, "/");
		memcpy(part, path, end);
		part[end] = '\0';
		if (lstat(part, &st))
			break;
		failed = check_owner(part, &st, err);
	}
	free(part);
	return failed;
}

/* TARGET, which may be NULL, is where symbolic links of PATH lead. */
static int check_trusted(const char *path, const char *target, struct error *err)
{
	int failed = check_owners(path, err);

	return !failed && target ? check_owners(target, err) : failed;
}

/* The bytes of the file into TEXT, or -1 and errno: EFBIG for one that is too long or no file. */
static ssize_t read_file(const char *path, char *text, size_t size)
{
	struct stat st;
	ssize_t got = -1;
	int saved, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (size_t)st.st_size <= size)
		got = read(fd, text, size);
	else
		errno = EFBIG;
	saved = errno;
	close(fd);
	errno = saved;
	return got;
}

static int refuse_read(struct error *err)
{
	if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
		return 1;
	if (errno == EFBIG)
		return error_set(err, _("no regular file of at most 64 KiB"));
	return error_set(err, "%s", strerror(errno));
}

int own_file_read(const char *path, struct buf *text, struct error *err)
{
	char *bytes = mem_alloc(SIZE_LIMIT), *target = realpath(path, NULL);
	ssize_t size = read_file(path, bytes, SIZE_LIMIT);
	int result = size < 0 ? refuse_read(err) : check_trusted(path, target, err);

	if (!result)
		buf_add(text, bytes, (size_t)size);
	mem_free(bytes, target);
	return result;
}

/* Makes the folders of PATH; those that are there are as good. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

static int check_kind(const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT
			       ? 0
			       : error_set(err, _("cannot write '%s': %s"), path, strerror(errno));
	return S_ISREG(st.st_mode)
		       ? 0
		       : error_set(err, _("cannot write '%s': it is no regular file"), path);
}

/*
 * The folder of PATH, locked; it is unlocked when it is closed.  -1 if another ptop does not let it go.  A
 * file system without such locks has one writer at a time only by luck: then -2.
 */
static int lock_folder(const char *path)
{
	char *folder = mem_strndup(path, (size_t)(strrchr(path, '/') - path));
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), tries = LOCK_TRIES, failed = -1;

	free(folder);
	if (fd < 0)
		return -2;
	while (tries-- && (failed = flock(fd, LOCK_EX | LOCK_NB)) && errno == EWOULDBLOCK)
		poll(NULL, 0, LOCK_PAUSE_MS);
	if (!failed)
		return fd;
	failed = errno == EWOULDBLOCK ? -1 : -2;
	close(fd);
	return failed;
}

static int change_locked(const char *path, own_file_change *change, void *context,
			 struct error *err)
{
	char *target = realpath(path, NULL);
	int failed = check_kind(path, err) || check_trusted(path, target, err);
	struct buf old = { 0 }, text = { 0 };
	struct error why;

	if (!failed && own_file_read(path, &old, &why) < 0)
		failed = error_set(err, _("cannot write '%s': %s"), path, why.text);
	if (!failed) {
		change(context, &old, &text);
		failed = output_replace(target ? target : path, &text, 0600, true, err);
	}
	buf_fini(&old);
	buf_fini(&text);
	free(target);
	return failed ? -1 : 0;
}

int own_file_write(const char *path, own_file_change *change, void *context, struct error *err)
{
	char *folders = mem_strdup(path);
	int failed = check_owners(path, err), lock;

	if (!failed)
		make_folders(folders);
	free(folders);
	if (failed)
		return -1;
	lock = lock_folder(path);
	if (lock == -1)
		return error_set(err, _("cannot write '%s': another ptop writes it"), path);
	failed = change_locked(path, change, context, err);
	if (lock >= 0)
		close(lock);
	return failed;
}
