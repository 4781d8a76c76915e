# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/app/test-asks tests/app/test-audiences tests/app/test-options tests/app/test-config tests/app/test-confine tests/app/test-ending tests/app/test-act tests/app/test-priority tests/app/test-remote tests/app/test-spool
tests_app_test_asks_SOURCES = tests/app/test-asks.c tests/unit.h
tests_app_test_audiences_SOURCES = tests/app/test-audiences.c tests/unit.h
tests_app_test_options_SOURCES = tests/app/test-options.c tests/unit.h
tests_app_test_config_SOURCES = tests/app/test-config.c tests/unit.h
tests_app_test_confine_SOURCES = tests/app/test-confine.c tests/unit.h
tests_app_test_priority_SOURCES = tests/app/test-priority.c tests/unit.h
tests_app_test_act_SOURCES = tests/app/test-act.c tests/unit.h
unit_tests += tests/app/test-facts tests/app/test-runner
tests_app_test_runner_SOURCES = tests/app/test-runner.c tests/unit.h
tests_app_test_facts_SOURCES = tests/app/test-facts.c $(proc_tree) $(view_golden)
tests_app_test_remote_SOURCES = tests/app/test-remote.c tests/unit.h
tests_app_test_spool_SOURCES = tests/app/test-spool.c tests/unit.h
tests_app_test_ending_SOURCES = tests/app/test-ending.c tests/unit.h

fuzz_tests += tests/app/fuzz-order
tests_app_fuzz_order_SOURCES = tests/app/fuzz-order.c $(fuzz_main)
tests_app_fuzz_order_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"order"'
tests_app_fuzz_order_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/app/fuzz-listen
tests_app_fuzz_listen_SOURCES = tests/app/fuzz-listen.c $(fuzz_main)
tests_app_fuzz_listen_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"listen"'
tests_app_fuzz_listen_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/app/fuzz-config
tests_app_fuzz_config_SOURCES = tests/app/fuzz-config.c $(fuzz_main)
tests_app_fuzz_config_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"config"'
tests_app_fuzz_config_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

dist_check_SCRIPTS += tests/app/test-completions
TESTS += tests/app/test-completions
