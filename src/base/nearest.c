/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

void nearest_init(struct nearest *n, const char *want, size_t size)
{
	n->want = want;
	n->size = size;
	n->distance = size > NEAREST_MAX ? 0 : size / 3 + 2;
	n->best[0] = '\0';
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance, over three rows of its matrix. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t rows[3][NEAREST_MAX + 1];

	for (size_t j = 0; j <= b_size; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			size_t cost = same(a[i - 1], b[j - 1]) ? 0 : 1;

			now[j] = least(last[j - 1] + cost, least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return rows[a_size % 3][b_size];
}

void nearest_try(struct nearest *n, const char *candidate)
{
	size_t size = strlen(candidate), d;

	if (!n->distance || size > NEAREST_MAX)
		return;
	d = distance(n->want, n->size, candidate, size);
	if (d >= n->distance)
		return;
	n->distance = d;
	memcpy(n->best, candidate, size + 1);
}
