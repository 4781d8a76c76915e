/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number-list.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

#define LIST_LIMIT 65536

char *number_list_text(const struct number_list *l)
{
	struct buf text = { 0 };

	for (size_t i = 0, end; i < l->count; i = end) {
		for (end = i + 1; end < l->count && l->items[end] == l->items[end - 1] + 1;)
			end++;
		buf_printf(&text, "%s%" PRIu32, i ? "," : "", l->items[i]);
		if (end > i + 1)
			buf_printf(&text, "-%" PRIu32, l->items[end - 1]);
	}
	return text.bytes ? text.bytes : mem_strdup("");
}

void number_list_fini(struct number_list *l)
{
	free(l->items);
	memset(l, 0, sizeof(*l));
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

bool number_list_has(const struct number_list *l, uint32_t number)
{
	return l->count && bsearch(&number, l->items, l->count, sizeof(number), compare);
}

/* Parses the number at *TEXT, at most UINT32_MAX + 1, and moves *TEXT behind it.  -1: no number. */
static int64_t number_parse(const char **text)
{
	int64_t v = 0;

	if (!isdigit((unsigned char)**text))
		return -1;
	for (; isdigit((unsigned char)**text); ++*text) {
		v = v * 10 + (**text - '0');
		if (v > UINT32_MAX)
			v = (int64_t)UINT32_MAX + 1;
	}
	return v;
}

static void number_list_sort(struct number_list *l)
{
	size_t kept = 0;

	qsort(l->items, l->count, sizeof(*l->items), compare);
	for (size_t i = 0; i < l->count; i++) {
		if (!kept || l->items[kept - 1] != l->items[i])
			l->items[kept++] = l->items[i];
	}
	l->count = kept;
}

int number_list_parse(struct number_list *l, const char *text, const char *what, uint32_t min,
		      uint32_t max, struct error *err)
{
	const char *p = text;
	size_t capacity = 0;

	memset(l, 0, sizeof(*l));
	for (;; p++) {
		int64_t first = number_parse(&p), last = first;

		if (first >= 0 && *p == '-') {
			p++;
			last = number_parse(&p);
		}
		if (first < 0 || last < first || (*p && *p != ','))
			goto malformed;
		if (first < min || last > max)
			goto out_of_range;
		if (l->count + (size_t)(last - first) >= LIST_LIMIT)
			goto too_many;
		mem_grow((void **)&l->items, &capacity, l->count + (size_t)(last - first) + 1,
			 sizeof(*l->items));
		for (int64_t n = first; n <= last; n++)
			l->items[l->count++] = (uint32_t)n;
		if (!*p)
			break;
	}
	number_list_sort(l);
	return 0;
malformed:
	number_list_fini(l);
	return error_set(err, "%s list '%s' is not a list of numbers such as 1,4-7", what, text);
too_many:
	number_list_fini(l);
	return error_set(err, "%s list '%s' has more than %d numbers", what, text, LIST_LIMIT);
out_of_range:
	number_list_fini(l);
	return error_set(err, "%s list '%s': a %s is between %u and %u", what, text, what, min,
			 max);
}
