/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/i18n.h"
#include "output/format.h"

/*
 * Text is the screen without a terminal: the view draws, and every cell has passed its sanitiser.
 */
static int text_write(struct buf *out, const struct output_request *request, struct error *err)
{
	struct grid *g = grid_new(1, 1);

	(void)err;
	if (!request->first)
		buf_add_char(out, '\n');
	view_draw_batch(request->view, g);
	grid_dump(g, out);
	grid_free(g);
	return 0;
}

/* clang-format off */
const struct output_format format_text = {
	.name = "text", .extensions = ".txt .text .log", .help = N_("what the screen would show"),
	.write = text_write, .screen = true,
};
/* clang-format on */
