/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library for turnover.c, built under two names.  PLUGIN is its function. */
#include "workload.h"

void PLUGIN(uint64_t n);

HOT void PLUGIN(uint64_t n)
{
	burn(n);
}
