/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/output.h"

#include <string.h>

#define FORMAT_ROW(name) &format_##name,

const struct output_format *const output_formats[] = { FORMATS(FORMAT_ROW) NULL };

void output_format_names(struct buf *out, const char *separator)
{
	for (size_t i = 0; output_formats[i]; i++)
		buf_printf(out, "%s%s", i ? separator : "", output_formats[i]->name);
}

const struct output_format *output_format_find(const char *name)
{
	for (size_t i = 0; output_formats[i]; i++) {
		if (strcmp(output_formats[i]->name, name) == 0)
			return output_formats[i];
	}
	return NULL;
}

/* The length of the longest word of LIST (words with spaces between) that NAME ends with; or 0. */
static size_t longest_extension(const char *list, const char *name)
{
	size_t size = strlen(name), longest = 0;

	while (*list) {
		size_t word = strcspn(list, " ");

		if (word <= size && word > longest && !strncmp(name + size - word, list, word))
			longest = word;
		list += word;
		list += strspn(list, " ");
	}
	return longest;
}

const struct output_format *output_format_of_file(const char *path)
{
	const char *name = strrchr(path, '/');
	const struct output_format *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; output_formats[i]; i++) {
		size_t size = longest_extension(output_formats[i]->extensions, name ? name : path);

		if (size > longest) {
			longest = size;
			best = output_formats[i];
		}
	}
	return best;
}
