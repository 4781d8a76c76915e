/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "output/output.h"

#define SIZE_LIMIT (64 * 1024) /* bytes; ours are some hundred */
#define NOTES_LIMIT 10         /* a file that is none at all deserves no thousand lines */

int config_path(struct buf *out, struct error *err)
{
	const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (folder && *folder == '/') /* a relative one is invalid: XDG base directories */
		buf_printf(out, "%s/ptop/config", folder);
	else if (home && *home)
		buf_printf(out, "%s/.config/ptop/config", home);
	else
		return error_set(err, _("no place for the configuration: set HOME or "
					"XDG_CONFIG_HOME"));
	return 0;
}

/* Cuts the blanks off both ends, in place. */
static char *trimmed(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

#define BIND "bind"

/* "bind F5 tree"; "bind = F5 tree" is as other lines are. */
static bool is_binding(const char *line)
{
	size_t word = strcspn(line, " \t");

	return word == strlen(BIND) && !strncmp(line, BIND, word) && line[word] &&
	       line[word + strspn(line + word, " \t")] != '=';
}

static int parse_line(struct options *o, char *text, struct error *err)
{
	char *name = trimmed(text), *equals = strchr(name, '='), *value;
	const struct option_row *row;

	if (!*name || *name == '#')
		return 0;
	if (is_binding(name))
		return options_set_kept(o, option_find(BIND), name + strlen(BIND), err);
	if (!equals)
		return error_set(err, _("'%.40s' is no 'option = value'"), name);
	*equals = '\0';
	name = trimmed(name);
	value = trimmed(equals + 1);
	row = option_find(name);
	if (!row)
		return error_set(err, _("unknown option '%.40s'"), name);
	if (!row->keep)
		return error_set(err, _("option '%s' is for the command line only"), name);
	if (row->check && !strcmp(value, "help")) /* each start would fail */
		return error_set(err, _("option '%s' is for the command line only"), "help");
	return options_set_kept(o, row, value, err);
}

void config_parse(struct options *o, const char *path, const char *text, size_t size,
		  struct buf *notes)
{
	size_t number = 0, noted = 0;

	for (const char *end = text + size; text < end;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);
		char *line = mem_strndup(text, length);
		struct error err = { "" };

		number++;
		if (strlen(line) < length)
			error_set(&err, _("a NUL byte: this is no text"));
		else
			parse_line(o, line, &err);
		if (err.text[0] && noted++ < NOTES_LIMIT)
			buf_printf(notes, "%s:%zu: %s\n", path, number, err.text);
		free(line);
		text += length + (newline != NULL);
	}
	if (noted > NOTES_LIMIT)
		buf_printf(notes, _("%s: %zu more lines that cannot be used\n"), path,
			   noted - NOTES_LIMIT);
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

/*
 * After su or sudo HOME may be another user's, who could lead us to any file of ours.  Every folder
 * on the way, before and behind symbolic links, must belong to us or to root.  Otherwise the file
 * is neither read nor written.
 */
static int check_trusted(const char *path, const char *target, struct error *err)
{
	int failed = check_owners(path, err);

	return !failed && target ? check_owners(target, err) : failed;
}

/* A file that is not there, or that we may not see, is none. */
void config_load(struct options *o, struct buf *notes)
{
	struct buf path = { 0 };
	struct error err;
	char *text, *target;
	ssize_t size;

	if (config_path(&path, NULL))
		return;
	text = mem_alloc(SIZE_LIMIT);
	target = realpath(path.bytes, NULL);
	size = read_file(path.bytes, text, SIZE_LIMIT);
	if (size >= 0 && check_trusted(path.bytes, target, &err))
		buf_printf(notes, _("%s: not read: %s\n"), path.bytes, err.text);
	else if (size >= 0)
		config_parse(o, path.bytes, text, (size_t)size, notes);
	else if (errno == EFBIG)
		buf_printf(notes, _("%s: not read: no regular file of at most 64 KiB\n"),
			   path.bytes);
	else if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
		buf_printf(notes, _("%s: not read: %s\n"), path.bytes, strerror(errno));
	free(text);
	free(target);
	buf_fini(&path);
}

void config_format(struct buf *out, const struct options *o)
{
	buf_add_str(out, "# Written by ptop (key W).  Lines are option = value; see ptop(1).\n");
	for (const struct option_row *row = option_table; row->name; row++) {
		if (!row->keep || !o->given[row - option_table])
			continue;
		buf_printf(out, "%s = ", row->name);
		row->format(out, o, row);
		buf_add_char(out, '\n');
	}
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

int config_write(const struct options *o, struct error *err)
{
	struct buf path = { 0 }, text = { 0 };
	char *target = NULL;
	int failed = config_path(&path, err) || check_owners(path.bytes, err);

	if (!failed) {
		make_folders(path.bytes);
		target = realpath(path.bytes, NULL);
		failed = check_kind(path.bytes, err) || check_trusted(path.bytes, target, err);
	}
	if (!failed) {
		config_format(&text, o);
		failed = output_replace(target ? target : path.bytes, &text, 0600, true, err);
	}
	free(target);
	buf_fini(&path);
	buf_fini(&text);
	return failed ? -1 : 0;
}
