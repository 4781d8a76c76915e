/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_BPF_BPF_MACHINE_H
#define PTOP_PERF_BPF_BPF_MACHINE_H

#include "base/error.h"

/*
 * Programs for the kernel have this in common: if this machine can run them, and what is said if it cannot.  Only with
 * libbpf.
 */

/* Returns 0, or -1 with ERR set: one line that says what the machine lacks. */
int bpf_machine_suits(struct error *err);

/* Sets ERR to why the kernel refused a program; ERROR is a negative errno.  Returns -1. */
int bpf_machine_refuse(struct error *err, int error);

/* libbpf says nothing from now on. */
void bpf_machine_hush(void);

#endif
