/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/i18n.h"
#include "view/column.h"
#include "view/number.h"

/* What the cells have is of the time that their weights stand for. */
static double faults_number(const struct column_row *r)
{
	return number_divide(r->mapping->faults, r->snapshot->cells_s);
}

static double major_number(const struct column_row *r)
{
	return number_divide(r->mapping->major, r->snapshot->cells_s);
}

static double delta_number(const struct column_row *r)
{
	return r->mapping->delta_percent;
}

static double count_number(const struct column_row *r)
{
	return r->mapping->count ? (double)r->mapping->count : NAN;
}

static double resident_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.resident);
}

static double proportional_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.proportional);
}

static double swap_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.swap);
}

static double dirty_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.private_dirty);
}

static double clean_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.private_clean);
}

static double shared_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.shared_clean) + number_known(r->mapping->usage.shared_dirty);
}

static double anonymous_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.anonymous);
}

static double lazy_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.lazy_free);
}

static const char *name_text(const struct column_row *r)
{
	return r->mapping->name;
}

static const char *path_text(const struct column_row *r)
{
	return r->mapping->path;
}

const struct column mapping_columns[] = {
	{ .name = "faults/s", .title = "FAULTS/S", .unit = N_("per second"),
	  .help = N_("page faults at its addresses / time, as samples of page-faults tell"),
	  .width = 8, .priority = 1, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = faults_number, .format = number_count },
	{ .name = "delta%", .title = "DELTA%", .unit = N_("percent points"),
	  .help = N_("its share of the page faults, less the one that it has in the base: key =, --base"),
	  .with_base = true,
	  .width = 6, .priority = 1, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .by_size = true, .resolution = 0.01, .number = delta_number,
	  .format = number_delta },
	{ .name = "majflt/s", .title = "MAJFLT/S", .unit = N_("per second"),
	  .help = N_("those of them with I/O, as samples of major-faults tell"),
	  .width = 8, .priority = 6, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = major_number, .format = number_count },
	{ .name = "rss", .title = "RSS", .unit = N_("bytes"),
	  .help = N_("resident memory of the process in it"), .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = resident_number, .format = number_bytes },
	{ .name = "pss", .title = "PSS", .unit = N_("bytes"),
	  .help = N_("the same, what is shared divided by those that share it"),
	  .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 3, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = proportional_number, .format = number_bytes },
	{ .name = "swap", .title = "SWAP", .unit = N_("bytes"), .help = N_("what is swapped out of it"),
	  .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = swap_number, .format = number_bytes },
	{ .name = "dirty", .title = "DIRTY", .unit = N_("bytes"),
	  .help = N_("private and changed: what only this process has"), .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 5, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = dirty_number, .format = number_bytes },
	{ .name = "clean", .title = "CLEAN", .unit = N_("bytes"),
	  .help = N_("private and as in the file"), .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = clean_number, .format = number_bytes },
	{ .name = "shared", .title = "SHARED", .unit = N_("bytes"),
	  .help = N_("resident, and mapped by others, too"), .extras = EXTRA_MAPPINGS,
	  .width = 6, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = shared_number, .format = number_bytes },
	{ .name = "anon", .title = "ANON", .unit = N_("bytes"),
	  .help = N_("resident, and of no file"), .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = anonymous_number, .format = number_bytes },
	{ .name = "lazyfree", .title = "LAZYFREE", .unit = N_("bytes"),
	  .help = N_("given back by madvise(2), and not taken yet"), .extras = EXTRA_MAPPINGS,
	  .width = 8, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = lazy_number, .format = number_bytes },
	{ .name = "maps", .title = "MAPS", .unit = N_("count"), .help = N_("mappings of that name"),
	  .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 7, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = count_number, .format = number_count },
	{ .name = "path", .title = "PATH", .unit = N_("path"), .help = N_("as it is mapped"),
	  .width = 30, .grow = 20, .priority = 9, .type = COLUMN_TEXT, .text = path_text },
	{ .name = "mapping", .title = "MAPPING", .unit = N_("name"),
	  .help = N_("a file, [heap], [stack], //anon, shared memory"),
	  .width = 0, .priority = 0, .type = COLUMN_TEXT, .shown = true, .text = name_text },
	{ .name = NULL }
};
