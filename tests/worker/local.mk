# SPDX-License-Identifier: GPL-3.0-or-later
bad_jobs = tests/worker/bad-jobs.c tests/worker/bad-jobs.h tests/unit.h
unit_tests += tests/worker/test-zygote
tests_worker_test_zygote_SOURCES = tests/worker/test-zygote.c $(bad_jobs)
