/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/cgroup.h"

#include <string.h>

#include "base/scanner.h"

#define CONTAINER_DIGITS 64
#define CONTROLLER	 "perf_event"

struct piece {
	const char *at;
	size_t size;
};

/* Takes the text before the next END, and skips END.  Returns false if there is no END. */
static bool take_until(struct scanner *s, char end, struct piece *piece)
{
	const char *found = s->at == s->end ? NULL :
					      memchr(s->at, end, (size_t)(s->end - s->at));

	if (!found)
		return false;
	*piece = (struct piece){ s->at, (size_t)(found - s->at) };
	s->at = found + 1;
	return true;
}

static bool piece_is(struct piece piece, const char *text)
{
	return piece.size == strlen(text) && !memcmp(piece.at, text, piece.size);
}

/* Returns true if the comma-separated LIST has WORD. */
static bool list_has_word(struct piece list, const char *word)
{
	struct scanner s = scanner_of(list.at, list.size);
	struct piece item;

	while (take_until(&s, ',', &item)) {
		if (piece_is(item, word))
			return true;
	}
	return piece_is((struct piece){ s.at, (size_t)(s.end - s.at) }, word);
}

/* "4:memory,pids:/path": number, controllers, path. */
static bool parse_line(struct scanner line, struct piece *controllers, struct cgroup_path *path)
{
	struct piece number;

	if (!take_until(&line, ':', &number) || !take_until(&line, ':', controllers) ||
	    line.at == line.end || *line.at != '/')
		return false;
	*path = (struct cgroup_path){ line.at, (size_t)(line.end - line.at) };
	return true;
}

static bool is_root(const struct cgroup_path *path)
{
	return path->size == 1;
}

/* Ranks a line when no controller was asked for: the more its path tells, the higher. */
static int rank(struct piece controllers, const struct cgroup_path *path)
{
	if (is_root(path))
		return 1;
	return controllers.size ? 2 : 3;
}

bool cgroup_path_find(const char *text, size_t size, const char *controller,
		      struct cgroup_path *path)
{
	struct scanner s = scanner_of(text, size), line;
	struct piece controllers;
	struct cgroup_path found;
	int best = 0, worth;

	while (scanner_line(&s, &line)) {
		if (!parse_line(line, &controllers, &found))
			continue;
		if (controller)
			worth = *controller ? list_has_word(controllers, controller) :
					      !controllers.size;
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

bool cgroup_container(const char *path, char id[CGROUP_ID_SIZE])
{
	bool found = false;

	while (*path) {
		size_t digits = 0, size = 0;

		for (; is_id_part(path[size]); size++)
			digits += scanner_hex_digit(path[size]) >= 0;
		if (size == CONTAINER_DIGITS && digits == size) {
			memcpy(id, path, CGROUP_ID_SIZE - 1);
			id[CGROUP_ID_SIZE - 1] = '\0';
			found = true;
		}
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
static bool unescape(struct piece from, char to[CGROUP_MOUNT_SIZE])
{
	size_t size = 0;

	for (size_t i = 0; i < from.size; i++) {
		char c = from.at[i];

		if (c == '\\' && from.size - i > 3) {
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
static int mount_rank(struct scanner line, struct cgroup_mount *mount)
{
	struct piece device, place, type, options;
	bool second;

	if (!take_until(&line, ' ', &device) || !take_until(&line, ' ', &place) ||
	    !take_until(&line, ' ', &type) || !take_until(&line, ' ', &options))
		return 0;
	second = piece_is(type, "cgroup2");
	if (!second && !(piece_is(type, "cgroup") && list_has_word(options, CONTROLLER)))
		return 0;
	mount->controller = second ? "" : CONTROLLER;
	if (!unescape(place, mount->path))
		return 0;
	return second ? 1 : 2;
}

bool cgroup_mount_find(const char *text, size_t size, struct cgroup_mount *mount)
{
	struct scanner s = scanner_of(text, size), line;
	struct cgroup_mount found;
	int best = 0, worth;

	while (scanner_line(&s, &line)) {
		worth = mount_rank(line, &found);
		if (worth <= best)
			continue;
		best = worth;
		*mount = found;
	}
	return best > 0;
}
