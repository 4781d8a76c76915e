/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_NUMBER_H
#define PTOP_VIEW_WIDGET_NUMBER_H

#include <stdint.h>

/*
 * Formats of numbers that columns share.  NUMBER is not NAN.  Each comment gives the largest width.
 */
void number_id(char out[32], double number);       /* all digits */
void number_percent(char out[32], double number);  /* 5: "99.7", "12800" */
void number_delta(char out[32], double number);    /* 6: "+12.3", "-0.1" */
void number_ratio(char out[32], double number);    /* 4: "1.83", "12.4", "1830" */
void number_count(char out[32], double number);    /* 5: "1994", "21.3k" */
void number_short(char out[32], double number);    /* 4: "9999", "12k" */
void number_any(char out[32], double number);      /* 8: "-0.125", "21.3k", "1.2e-05" */
void number_bytes(char out[32], double number);    /* 5: "3.2M" */
void number_span(char out[32], double number);     /* 6: "850us", "12.3ms", of milliseconds */
void number_cpu_time(char out[32], double number); /* 9: "1:02.33" */
void number_date(char out[32], double number);     /* 11: "01-31 12:04", local time */

/* A / B, or NAN when one is absent or B is zero. */
double number_divide(double a, double b);

double number_known(int64_t value); /* NAN if VALUE is negative: not known */

#endif
