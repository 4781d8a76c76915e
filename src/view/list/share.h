/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_SHARE_H
#define PTOP_VIEW_LIST_SHARE_H

/*
 * What 100 % is.  Every list and every output takes its shares from here, so that a function, a process
 * or a stack has one share wherever it is shown.
 *
 * The whole is what is shown of the event: the samples that pass rows_cell_passes().  So a filter of
 * processes (by pid, user or text), a zoom into a process, thread, object or mapping, and hidden kernel
 * or user symbols make it smaller, and the shares of a list sum up to 100.  With `of_all` in the request
 * the whole is everything that was sampled of the event; what is counted stays the same.  The text filter
 * of any other list chooses rows, not samples: it changes no share.  A window of time and the base are
 * snapshots of their own, each with its own whole under the same filters.
 */
struct share_sum {
	double now, base; /* BASE: of what is compared with; of a whole NAN without one */
};

struct shares {
	struct share_sum samples, period; /* wholes */
};

/* 100 × PART / WHOLE; NAN when the whole is 0. */
double share_percent(const struct share_sum *whole, double part);

/* Percent points: the share of PART now, less that of BASE in the base; NAN without a base. */
double share_delta(const struct share_sum *whole, double part, double base);

/* The share of PART now, and that of GONE in the base: how wide a box of a flame graph is. */
double share_width(const struct share_sum *whole, double part, double gone);

#endif
