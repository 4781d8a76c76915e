/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-damage.h"

#include <stdarg.h>
#include <stdio.h>

void file_damage_note(struct file_damage *d, const char *format, ...)
{
	char text[sizeof(d->first.text)];
	va_list args;

	if (d->first.text[0])
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	error_set(&d->first, "%s", text);
}
