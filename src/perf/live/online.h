/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_ONLINE_H
#define PTOP_PERF_LIVE_ONLINE_H

#include "base/list.h"

/*
 * Reads a list of CPUs of sysfs, such as /sys/devices/system/cpu/online:
 *
 *	0-3,5
 *
 * into L, which is empty before.  0, or a negative errno with L empty.
 */
int cpu_list_read(struct list *l, const char *path);

#endif
