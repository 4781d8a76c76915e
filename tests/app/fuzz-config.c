/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "app/config.h"

/*
 * Input: a configuration file.  The configuration that was understood is written, and then reads
 * the same.
 */
const struct fuzz_bound fuzz_bound = { 200000, 50000, 1024, 1024 };

/* The options of TEXT as config_write() has them; what was wrong goes to NOTES. */
static struct buf rewritten(const char *text, size_t size, struct buf *notes)
{
	struct options o;
	struct buf out = { 0 };

	options_init(&o);
	config_parse(&o, "f", text, size, notes);
	config_format(&out, &o);
	options_fini(&o);
	return out;
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct buf notes = { 0 }, none = { 0 };
	struct buf once = rewritten((const char *)data, size, &notes);
	struct buf twice = rewritten(once.bytes, once.size, &none);

	if (none.size || once.size != twice.size || memcmp(once.bytes, twice.bytes, once.size))
		abort();
	buf_fini(&once);
	buf_fini(&twice);
	buf_fini(&notes);
	return 0;
}
