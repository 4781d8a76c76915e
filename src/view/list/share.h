/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_SHARE_H
#define PTOP_VIEW_LIST_SHARE_H

/*
 * The sum that is 100 %.  Every list and every output takes its shares from here, so a function, a
 * process or a stack has one share wherever it is shown.
 *
 * The whole is the sum over the shown samples of the event: those that pass rows_cell_passes().
 * Filters of processes (by pid, user or text), a zoom, and hidden kernel or user symbols make the
 * whole smaller.  The shares of a list then add up to 100.  With `of_all` the whole is the sum over
 * all samples of the event; the parts stay the same.  The text filter of any other list chooses
 * rows, not samples, and changes no share.  A window of time and the base are snapshots of their
 * own, each with its own whole under the same filters.
 */
struct share_sum {
	double now, base; /* BASE: in the base; a whole is NAN without one */
};

struct shares {
	struct share_sum samples, period; /* wholes */
};

/* 100 × PART / WHOLE; NAN when the whole is 0. */
double share_percent(const struct share_sum *whole, double part);

/*
 * Percent points: the share of PART now minus the share of BASE in the base.  NAN without a base.
 */
double share_delta(const struct share_sum *whole, double part, double base);

/*
 * The width of a box in a flame graph, in percent: the share of PART now plus the share of GONE in
 * the base.
 */
double share_width(const struct share_sum *whole, double part, double gone);

#endif
