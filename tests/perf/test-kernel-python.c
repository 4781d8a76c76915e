/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "perf/bpf/kernel-python.h"

UNIT_TEST(the_ring_grows_with_the_cpus)
{
	const uint32_t mib = 1u << 20;

	assert_int_equal(kernel_python_ring_bytes(1), mib);
	assert_int_equal(kernel_python_ring_bytes(4), mib);
	assert_int_equal(kernel_python_ring_bytes(5), 2 * mib);
	assert_int_equal(kernel_python_ring_bytes(96), 32 * mib);
	assert_int_equal(kernel_python_ring_bytes(8192), 64 * mib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ring_grows_with_the_cpus),
	};

	return unit_run(tests);
}
