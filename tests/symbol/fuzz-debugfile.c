/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "base/bytes.h"
#include "symbol/debugfile.h"

/*
 * Input: a question for a debug file, as a worker that somebody has taken over asks it: way and
 * place, a build id, and a name.  An opened file has one of the few paths that the file itself
 * decides.
 */
#define ROOT "/proc/self/root/nonexistent"

const struct fuzz_bound fuzz_bound = { 100000, 20000, 64, 64 };

static struct debugfile_request request_of(struct bytes *in)
{
	struct debugfile_request r = { .way = bytes_u8(in), .place = bytes_u8(in) };
	size_t size;
	const void *id;

	r.id.size = bytes_u8(in);
	id = bytes_take(in, sizeof(r.id.bytes));
	if (id)
		memcpy(r.id.bytes, id, sizeof(r.id.bytes));
	size = in->left < sizeof(r.name) ? in->left : sizeof(r.name);
	memcpy(r.name, in->at, size);
	return r;
}

#define FOLDERS 3

/* By build id and by link: below one of the folders, by a name without a folder in it. */
static const char *const file_folders[FOLDERS] = { ROOT "/.build-id/", "/bin/", ROOT "/bin/" };

/* A module's file is looked for on this machine alone: below one of these. */
static const char *const module_folders[FOLDERS] = { ROOT "/lib/modules/", ROOT "/usr/lib/modules/",
						     "/lib/modules/" };

static bool is_below(const char *path, const char *const folders[FOLDERS])
{
	for (size_t i = 0; i < FOLDERS; i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return !strstr(path + strlen(folders[i]) - 1, "/../");
	return false;
}

static bool is_allowed(const struct debugfile_request *r, const char *path)
{
	if (r->way == DEBUGFILE_MODULE)
		return is_below(path, module_folders);
	if (r->way > DEBUGFILE_LINK)
		return true;
	return is_below(strncmp(path, "/proc/1/root", 12) ? path : path + 12, file_folders);
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = "/bin/sh", .pid = 1 },
			  .proc_root = "/proc",
			  .debug_root = ROOT,
			  .kallsyms = "" };
	struct bytes in = bytes_of(data, size);
	struct debugfile_request r = request_of(&in);
	struct debugfile_path path = { "" };
	int fd = debugfile_open(&l, &r, &path);

	if (!memchr(path.text, '\0', sizeof(path.text)))
		abort();
	if (*path.text && !is_allowed(&r, path.text))
		abort();
	if (fd >= 0)
		close(fd);
	return 0;
}
