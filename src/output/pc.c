/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/i18n.h"
#include "output/format.h"

/*
 * The program counters alone, one a line in order of time, as pcsample(2) gave them.
 *
 *	0x55d0c8e01189
 */
static void pc_write(struct buf *out, const struct output_sample *s)
{
	buf_printf(out, "0x%" PRIx64 "\n", s->address);
}

/* clang-format off */
const struct output_format format_pc = {
	.name = "pc", .extensions = ".pc", .help = N_("program counters, one a sample"),
	.sample = pc_write, .address_alone = true,
};
/* clang-format on */
