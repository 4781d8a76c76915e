/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/allow.h"

#include <string.h>

#include "base/i18n.h"

const char *const permission_names[PERMISSIONS] = {
	[ALLOW_EVENTS] = "events", [ALLOW_STACKS] = "stacks", [ALLOW_CODE] = "code"
};

void allow_list(struct buf *out, const char *between)
{
	for (int i = 0; i < PERMISSIONS; i++)
		buf_printf(out, "%s%s", i ? between : "", permission_names[i]);
}

static int permission_find(const char *name, size_t size)
{
	for (int i = 0; i < PERMISSIONS; i++) {
		if (strlen(permission_names[i]) == size && !memcmp(permission_names[i], name, size))
			return i;
	}
	return -1;
}

static int tell_unknown(const char *name, size_t size, struct error *err)
{
	struct buf names = { 0 };

	allow_list(&names, ", ");
	error_set(err, _("--allow has no '%.*s': there are %s"), (int)size, name, names.bytes);
	buf_fini(&names);
	return -1;
}

int allow_parse(const char *list, unsigned *allowed, struct error *err)
{
	size_t size;

	*allowed = 0;
	for (; *list; list += size + (list[size] == ',')) {
		int found;

		size = strcspn(list, ",");
		found = permission_find(list, size);
		if (found < 0)
			return tell_unknown(list, size, err);
		*allowed |= 1u << found;
	}
	return 0;
}
