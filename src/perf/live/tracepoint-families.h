/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_TRACEPOINT_FAMILIES_H
#define PTOP_PERF_LIVE_TRACEPOINT_FAMILIES_H

/*
 * The families of tracepoints, a row each: see tracepoints.h.  A family's file defines family_NAME.  Its data is a
 * struct NAME that only its own files know; `live.NAME` points to it.
 */
/* clang-format off */
#define TRACEPOINT_FAMILIES(ROW) \
	ROW(wakeups) \
	ROW(waits) \
	ROW(raw_calls) \
	ROW(network)
/* clang-format on */

#endif
