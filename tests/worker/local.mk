# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/worker/test-zygote
tests_worker_test_zygote_SOURCES = tests/worker/test-zygote.c tests/unit.h
