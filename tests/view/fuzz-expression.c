/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "view/expression.h"

/*
 * Input: the text of an expression.  An expression that parses has a value for any inputs; any
 * other must give an error.
 */
static bool find(void *context, const char *name, struct buf *canonical)
{
	(void)context;
	if (strlen(name) % 3 == 0)
		return false;
	buf_add_str(canonical, name);
	return true;
}

static const struct expression_names names = { .find = find };

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct error err = { "" };
	struct expression *e = expression_parse((const char *)data, size, &names, &err);
	double inputs[EXPRESSION_STEPS];

	if (!e != !!err.text[0])
		abort();
	if (!e)
		return 0;
	if (expression_inputs(e) > EXPRESSION_STEPS)
		abort();
	for (size_t i = 0; i < expression_inputs(e); i++) {
		if (!*expression_input(e, i))
			abort();
		inputs[i] = (double)i - 1;
	}
	expression_value(e, inputs);
	expression_free(e);
	return 0;
}
