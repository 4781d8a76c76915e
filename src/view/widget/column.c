/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/column.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* Returns true if two names are equal, ignoring case and '%' and '+'. */
static bool alike(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "%+");
		b += strspn(b, "%+");
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

const struct column *column_find(const struct column *table, const char *name)
{
	for (const struct column *c = table; c->name; c++) {
		if (!strcasecmp(c->name, name))
			return c;
	}
	for (const struct column *c = table; c->name; c++) {
		if (alike(c->name, name))
			return c;
	}
	return NULL;
}

double column_number(const struct column *c, const struct column_row *row)
{
	return c->formula ? c->evaluate(c->formula, row) : c->number(row);
}

void column_format(const struct column *c, const struct column_row *row, char out[32])
{
	double number = column_number(c, row);

	if (isnan(number))
		strcpy(out, "-");
	else
		c->format(out, number);
}
