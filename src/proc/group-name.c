/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/group-name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/scanner.h"

#define UUID_SIZE 36
#define MACHINE_ID_DIGITS 32

static bool is_uuid(const char *text)
{
	for (int i = 0; i < UUID_SIZE; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : scanner_hex_digit(text[i]) < 0)
			return false;
	}
	return true;
}

static bool is_machine_id(const char *text)
{
	for (int i = 0; i < MACHINE_ID_DIGITS; i++) {
		if (scanner_hex_digit(text[i]) < 0)
			return false;
	}
	return true;
}

/* "pod1b2c_3d4e_….slice", "pod1b2c-3d4e-…": systemd has '_' for '-', which parts slices. */
static bool find_pod(const char *part, char uid[GROUP_UID_BYTES])
{
	const char *at = strstr(part, "pod");
	size_t size;

	while (at && strstr(at + 1, "pod")) /* "kubepods-burstable-pod…" */
		at = strstr(at + 1, "pod");
	if (!at)
		return false;
	size = strcspn(at + 3, ".");
	if (size != UUID_SIZE && size != MACHINE_ID_DIGITS)
		return false;
	for (size_t i = 0; i < size; i++)
		uid[i] = at[3 + i] == '_' ? '-' : at[3 + i];
	uid[size] = '\0';
	return size == UUID_SIZE ? is_uuid(uid) : is_machine_id(uid);
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), tail = strlen(end);

	return size > tail && !strcmp(text + size - tail, end);
}

/* Replaces "\x2d" by what it stands for. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		int high = at[0] == '\\' && at[1] == 'x' ? scanner_hex_digit(at[2]) : -1;
		int low = high >= 0 ? scanner_hex_digit(at[3]) : -1;

		*to = low >= 0 && (high || low) ? (char)(high << 4 | low) : *at;
		at += low >= 0 && (high || low) ? 4 : 1;
	}
	*to = '\0';
}

/* A name between BEFORE and AFTER in PART.  Returns false if PART is not so, or the name empty. */
static bool between(const char *part, const char *before, const char *after,
		    char out[GROUP_NAME_BYTES])
{
	size_t size = strlen(part), head = strlen(before), tail = strlen(after);

	if (size <= head + tail || strncmp(part, before, head) != 0 ||
	    strcmp(part + size - tail, after) != 0)
		return false;
	snprintf(out, GROUP_NAME_BYTES, "%.*s", (int)(size - head - tail), part + head);
	unescape(out);
	return *out;
}

/* PARENT: the path up to PART, with its '/'. */
static bool find_machine(const char *parent, const char *part, char out[GROUP_NAME_BYTES])
{
	static const struct {
		const char *parent, *before, *after; /* parent: the end of the path; NULL: any */
	} shapes[] = {
		{ "/machine.slice/", "machine-", ".scope" },
		{ NULL, "systemd-nspawn@", ".service" },
		{ NULL, "lxc.payload.", "" },
		{ "/lxc/", "", "" },
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		size_t size = shapes[i].parent ? strlen(shapes[i].parent) : 0;

		if (strlen(parent) >= size &&
		    !strncmp(parent + strlen(parent) - size,
			     shapes[i].parent ? shapes[i].parent : "", size) &&
		    between(part, shapes[i].before, shapes[i].after, out))
			return true;
	}
	return false;
}

static enum group_kind unit_kind(const char *part)
{
	static const struct {
		const char *end;
		enum group_kind kind;
	} ends[] = {
		{ ".slice", GROUP_SLICE },   { ".service", GROUP_SERVICE },
		{ ".scope", GROUP_SCOPE },   { ".socket", GROUP_SERVICE },
		{ ".mount", GROUP_SERVICE }, { ".swap", GROUP_SERVICE },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (ends_with(part, ends[i].end))
			return ends[i].kind;
	}
	return GROUP_PLAIN;
}

static void set_container(struct group_name *n, const char *part, const char *id)
{
	bool monitor = strstr(part, "conmon-") && strstr(part, "conmon-") < id;

	snprintf(n->text, sizeof(n->text), "%s%.*s", monitor ? "conmon " : "", CGROUP_ID_SHOWN, id);
	if (monitor) { /* it is not in the container, but watches it */
		n->kind = unit_kind(part);
		return;
	}
	n->kind = GROUP_CONTAINER;
	memcpy(n->id, id, CGROUP_ID_DIGITS);
	n->id[CGROUP_ID_DIGITS] = '\0';
}

void group_name_parse(const char *path, struct group_name *n)
{
	const char *slash = strrchr(path, '/'), *part = slash ? slash + 1 : path;
	const char *id = cgroup_container(part);
	char parent[GROUP_NAME_BYTES];
	size_t size = (size_t)(part - path);

	memset(n, 0, sizeof(*n));
	snprintf(n->text, sizeof(n->text), "%s", *part ? part : "/");
	if (!*part) {
		n->kind = GROUP_ROOT;
		return;
	}
	/* The end of a long path is enough: no shape is longer. */
	if (size >= sizeof(parent)) {
		path += size - sizeof(parent) + 1;
		size = sizeof(parent) - 1;
	}
	snprintf(parent, sizeof(parent), "%.*s", (int)size, path);
	if (id) {
		set_container(n, part, id);
	} else if (find_pod(part, n->pod)) {
		n->kind = GROUP_POD;
		snprintf(n->text, sizeof(n->text), "%s", n->pod);
	} else if (*n->pod = '\0', find_machine(parent, part, n->text)) {
		n->kind = GROUP_MACHINE;
	} else {
		n->kind = unit_kind(part);
		if (n->kind != GROUP_PLAIN)
			unescape(n->text);
	}
}
