# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/ui/test-key tests/ui/test-looks tests/ui/test-painter tests/ui/test-prompt tests/ui/test-theme
tests_ui_test_key_SOURCES = tests/ui/test-key.c tests/unit.h
tests_ui_test_looks_SOURCES = tests/ui/test-looks.c $(view_golden) $(view_sample)
tests_ui_test_painter_SOURCES = tests/ui/test-painter.c tests/unit.h
tests_ui_test_prompt_SOURCES = tests/ui/test-prompt.c tests/unit.h
tests_ui_test_theme_SOURCES = tests/ui/test-theme.c tests/unit.h

dist_check_SCRIPTS += tests/ui/test-picture tests/ui/test-screen tests/ui/test-sessions tests/ui/test-steady tests/ui/test-tutorial
TESTS += tests/ui/test-picture tests/ui/test-screen tests/ui/test-sessions tests/ui/test-steady tests/ui/test-tutorial
measuring_tests += tests/ui/test-steady tests/ui/test-tutorial
dist_noinst_DATA += tests/ui/ptyscreen.py

fuzz_tests += tests/ui/fuzz-keys
tests_ui_fuzz_keys_SOURCES = tests/ui/fuzz-keys.c $(model_walker) $(fuzz_main)
tests_ui_fuzz_keys_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"keys"'
tests_ui_fuzz_keys_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
tests_ui_fuzz_keys_LDADD = $(LDADD) -lutil
