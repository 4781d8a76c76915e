/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "symbol/demangle.h"

/* Input: the name of a symbol, which whoever wrote the file chose. */
#define PLAIN_MAX (64u * 1024)

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size), *plain = symbol_demangle(name);

	if (plain && (!*plain || strlen(plain) > PLAIN_MAX))
		abort();
	free(plain);
	free(name);
	return 0;
}
