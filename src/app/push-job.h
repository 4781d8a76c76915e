/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_PUSH_JOB_H
#define PTOP_APP_PUSH_JOB_H

#include <stdint.h>

#define PUSH_WAITING_BYTES \
	(16u << 20) /* of an interval as it goes, and of all that wait in memory */

/* An interval that is to be sent; its bytes are elsewhere. */
struct push_job {
	uint64_t from_s, until_s; /* CLOCK_REALTIME */
	uint64_t rate_hz;         /* of sampling; 0: by period */
	uint64_t samples;         /* that it has */
	uint64_t size;            /* of the bytes */
};

#endif
