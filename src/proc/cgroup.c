/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/cgroup.h"

#include <string.h>

#include "base/scanner.h"

#define CONTROLLER "perf_event"

/* Returns true if the comma-separated LIST has WORD. */
static bool list_has_word(struct scanner list, const char *word)
{
	struct scanner item;

	while (scanner_part(&list, ',', &item)) {
		if (scanner_is(&item, word))
			return true;
	}
	return scanner_is(&list, word);
}

/* "4:memory,pids:/path": number, controllers, path. */
static bool parse_line(struct scanner line, struct scanner *controllers, struct cgroup_path *path)
{
	struct scanner number;

	if (!scanner_part(&line, ':', &number) || !scanner_part(&line, ':', controllers) ||
	    line.at == line.end || *line.at != '/')
		return false;
	*path = (struct cgroup_path){ line.at, scanner_left(&line) };
	return true;
}

static bool is_root(const struct cgroup_path *path)
{
	return path->size == 1;
}

/* Ranks a line when no controller was asked for: the more its path tells, the higher. */
static int rank(struct scanner controllers, const struct cgroup_path *path)
{
	if (is_root(path))
		return 1;
	return scanner_left(&controllers) ? 2 : 3;
}

bool cgroup_path_find(const char *text, size_t size, const char *controller,
		      struct cgroup_path *path)
{
	struct scanner s = scanner_of(text, size), line, controllers;
	struct cgroup_path found;
	int best = 0, worth;

	while (scanner_line(&s, &line)) {
		if (!parse_line(line, &controllers, &found))
			continue;
		if (controller)
			worth = *controller ? list_has_word(controllers, controller)
					    : !scanner_left(&controllers);
		else
			worth = rank(controllers, &found);
		if (worth <= best)
			continue;
		best = worth;
		*path = found;
	}
	return best > 0;
}

bool cgroup_is_below(const char *path, const char *group)
{
	size_t size = strlen(group);

	while (size && group[size - 1] == '/')
		size--;
	return !strncmp(path, group, size) && (!path[size] || path[size] == '/');
}

static bool is_id_part(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *cgroup_container(const char *path)
{
	const char *found = NULL;

	while (*path) {
		size_t digits = 0, size = 0;

		for (; is_id_part(path[size]); size++)
			digits += scanner_hex_digit(path[size]) >= 0;
		if (size == CGROUP_ID_DIGITS && digits == size)
			found = path;
		path += size ? size : 1;
	}
	return found;
}

/* Three octal digits as the byte that they stand for. */
static bool octal(const char *digits, char *byte)
{
	unsigned value = 0;

	for (int i = 0; i < 3; i++) {
		if (digits[i] < '0' || digits[i] > '7')
			return false;
		value = value << 3 | (unsigned)(digits[i] - '0');
	}
	*byte = (char)value;
	return value < 256;
}

/* Copies a path of /proc/mounts, where a blank is \040.  Returns false if it does not fit. */
static bool unescape(struct scanner from, char to[CGROUP_MOUNT_SIZE])
{
	size_t size = 0, left = scanner_left(&from);

	for (size_t i = 0; i < left; i++) {
		char c = from.at[i];

		if (c == '\\' && left - i > 3) {
			if (!octal(from.at + i + 1, &c))
				return false;
			i += 3;
		}
		if (size == CGROUP_MOUNT_SIZE - 1 || !c)
			return false;
		to[size++] = c;
	}
	to[size] = '\0';
	return true;
}

/* "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0": device, place, type, options. */
static bool parse_mount(struct scanner line, struct cgroup_mounted *m)
{
	struct scanner device, place, type, options;

	if (!scanner_part(&line, ' ', &device) || !scanner_part(&line, ' ', &place) ||
	    !scanner_part(&line, ' ', &type) || !scanner_part(&line, ' ', &options))
		return false;
	m->second = scanner_is(&type, "cgroup2");
	m->words = (struct cgroup_path){ options.at, scanner_left(&options) };
	return (m->second || scanner_is(&type, "cgroup")) && unescape(place, m->path);
}

bool cgroup_mount_next(struct scanner *lines, struct cgroup_mounted *mounted)
{
	struct scanner line;

	while (scanner_line(lines, &line)) {
		if (parse_mount(line, mounted))
			return true;
	}
	return false;
}

bool cgroup_mount_has(const struct cgroup_mounted *m, const char *controller)
{
	return !m->second && list_has_word(scanner_of(m->words.at, m->words.size), controller);
}

bool cgroup_mount_find(const char *text, size_t size, struct cgroup_mount *mount)
{
	struct scanner lines = scanner_of(text, size);
	struct cgroup_mounted m;
	int best = 0, worth;

	while (cgroup_mount_next(&lines, &m)) {
		worth = m.second ? 1 : cgroup_mount_has(&m, CONTROLLER) ? 2 : 0;
		if (worth <= best)
			continue;
		best = worth;
		memcpy(mount->path, m.path, sizeof(mount->path));
		mount->controller = m.second ? "" : CONTROLLER;
	}
	return best > 0;
}
