/* SPDX-License-Identifier: GPL-3.0-or-later */
/* short [MILLISECONDS]: 30 ms of CPU in short_hot unless told otherwise, then exits with 3. */
#include "workload.h"

HOT static void short_hot(uint64_t n)
{
	burn(n);
}

int main(int argc, char **argv)
{
	double limit_s = number_argument(argc, argv, 1, 30) / 1e3;

	while (cpu_s(RUSAGE_SELF) < limit_s)
		short_hot(20000);
	return 3;
}
