/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_MICROSTATE_H
#define PTOP_BASE_MICROSTATE_H

/* One thing that a thread does at a moment: at each moment it does exactly one of these. */
enum microstate {
	MICROSTATE_USER,   /* on a CPU */
	MICROSTATE_SYSTEM, /* likewise, in the kernel */
	MICROSTATE_QUEUE,  /* ready to run, and something else has the CPU */
	MICROSTATE_DISK,   /* waits for I/O: state D */
	MICROSTATE_SLEEP,
	MICROSTATE_STOP, /* stopped by a signal or a tracer */
	MICROSTATES
};

#endif
