/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/ring-sizes.h"

/*
 * 2 MiB a CPU.  A record of the group has about 300 bytes.  A machine that switches 30 000 times a second on each CPU
 * has many tasks to run, so we may wait 200 ms for our turn.  Copies of stacks are 8 KiB and more each.
 */
#define PLAIN 512u
#define COPIES 4096u
/*
 * 256 KiB: a configure script on two CPUs makes 700 KB of mappings a second, and on a loaded
 * machine it can take 200 ms until we run.
 */
#define SIDEBAND 64u
#define ALL (4u * (COPIES + SIDEBAND)) /* of a machine, 65 MiB */
#define LEAST 4u                       /* however many CPUs there are: some hundred records */

struct ring_sizes ring_sizes_for(size_t cpus, bool copies)
{
	struct ring_sizes s = { copies ? COPIES : PLAIN, SIDEBAND };

	while ((s.samples + s.sideband) * cpus > ALL && s.samples > LEAST) {
		if (s.samples > s.sideband)
			s.samples /= 2;
		else
			s.sideband /= 2;
	}
	return s;
}
