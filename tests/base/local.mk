# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/base/test-alloc tests/base/test-buf tests/base/test-build-id tests/base/test-bytes \
	tests/base/test-decimal tests/base/test-error tests/base/test-hash tests/base/test-index \
	tests/base/test-heap tests/base/test-io tests/base/test-number-list \
	tests/base/test-nearest tests/base/test-spare-time tests/base/test-strtab tests/base/test-text-pool
tests_base_test_alloc_SOURCES = tests/base/test-alloc.c tests/unit.h
tests_base_test_buf_SOURCES = tests/base/test-buf.c tests/unit.h
tests_base_test_build_id_SOURCES = tests/base/test-build-id.c tests/unit.h
tests_base_test_bytes_SOURCES = tests/base/test-bytes.c tests/unit.h
tests_base_test_decimal_SOURCES = tests/base/test-decimal.c tests/unit.h
tests_base_test_error_SOURCES = tests/base/test-error.c tests/unit.h
tests_base_test_hash_SOURCES = tests/base/test-hash.c tests/unit.h
tests_base_test_index_SOURCES = tests/base/test-index.c tests/unit.h
tests_base_test_heap_SOURCES = tests/base/test-heap.c tests/unit.h
tests_base_test_io_SOURCES = tests/base/test-io.c tests/unit.h
tests_base_test_number_list_SOURCES = tests/base/test-number-list.c tests/unit.h
tests_base_test_nearest_SOURCES = tests/base/test-nearest.c tests/unit.h
tests_base_test_spare_time_SOURCES = tests/base/test-spare-time.c tests/unit.h
tests_base_test_strtab_SOURCES = tests/base/test-strtab.c tests/unit.h
tests_base_test_text_pool_SOURCES = tests/base/test-text-pool.c tests/unit.h
