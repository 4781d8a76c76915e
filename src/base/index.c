/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SIZE_MIN 256

void index_reset(struct index *x, size_t items)
{
	struct index fit = { .size = SIZE_MIN };

	while (index_full(&fit, items))
		fit.size *= 2;
	if (fit.size == x->size) {
		index_clear(x);
		return;
	}
	free(x->slots);
	x->size = fit.size;
	x->slots = mem_array(x->size, sizeof(*x->slots));
}

void index_clear(struct index *x)
{
	memset(x->slots, 0, index_bytes(x));
}

void index_fini(struct index *x)
{
	free(x->slots);
	*x = (struct index){ 0 };
}
