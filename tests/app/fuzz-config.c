/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "app/config.h"
#include "ui/themes.h"

/*
 * Input: a configuration file, which is a theme as well.  Where nothing has changed the file is written as it was;
 * a change is read back.
 */
const struct fuzz_bound fuzz_bound = { 200000, 50000, 1024, 1024 };

/* The options of TEXT; what was wrong is left out. */
static void read_options(struct options *o, const struct buf *text)
{
	struct buf notes = { 0 };

	options_init(o);
	config_parse(o, "f", text, &notes);
	buf_fini(&notes);
}

static void must_stay(const struct options *o, const struct buf *text)
{
	struct buf out = { 0 };

	config_format(&out, text, o);
	if (text->size && (out.size < text->size || memcmp(out.bytes, text->bytes, text->size)))
		abort();
	buf_fini(&out);
}

static void must_be_read_back(struct options *o, const struct buf *text)
{
	struct buf out = { 0 };
	struct options again;
	struct error err;

	if (options_replace(o, option_find("delay"), "7", &err))
		abort();
	config_format(&out, text, o);
	read_options(&again, &out);
	if (again.delay_s != 7)
		abort();
	options_fini(&again);
	buf_fini(&out);
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct buf text = { 0 }, notes = { 0 };
	struct theme_colors theme;
	struct options o;

	buf_add(&text, data, size);
	read_options(&o, &text);
	must_stay(&o, &text);
	must_be_read_back(&o, &text);
	options_fini(&o);
	theme_parse(&theme, "f", &text, &notes);
	buf_fini(&text);
	buf_fini(&notes);
	return 0;
}
