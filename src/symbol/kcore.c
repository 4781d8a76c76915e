/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/kcore.h"

#include <errno.h>
#include <string.h>

#include "base/i18n.h"

static struct object *explain(const char *path, int error, struct error *err)
{
	if (error == EACCES || error == EPERM)
		error_set(err,
			  _("%s is for root alone, with CAP_SYS_RAWIO, of a kernel that is not "
			    "locked "
			    "down"),
			  path);
	else
		error_set(err, "%s: %s", path, strerror(error));
	return NULL;
}

struct object *kcore_open(const char *path, struct error *err)
{
	int fd = object_open_file(path);
	struct object *o;

	if (fd < 0)
		return explain(path, -fd, err);
	o = object_new_core(fd);
	if (o->elf && o->header.e_type == ET_CORE)
		return o;
	object_free(o);
	error_set(err, _("%s is no ELF core"), path);
	return NULL;
}
