/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/column.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "view/widget/number.h"

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
	return c->number ? c->number(row) : c->evaluate(c, row);
}

static const char *field_of(const struct column *c, const struct column_row *row)
{
	const char *of;

	memcpy(&of, (const char *)row + c->field.row, sizeof(of));
	return of + c->field.field;
}

double column_double(const struct column *c, const struct column_row *row)
{
	return *(const double *)field_of(c, row);
}

double column_known(const struct column *c, const struct column_row *row)
{
	return number_known(*(const int64_t *)field_of(c, row));
}

const char *column_text(const struct column *c, const struct column_row *row)
{
	return c->text ? c->text(row) : *(const char *const *)field_of(c, row);
}

void column_format(const struct column *c, const struct column_row *row, char out[32])
{
	double number = column_number(c, row);

	if (isnan(number))
		strcpy(out, "-");
	else
		c->format(out, number);
}
