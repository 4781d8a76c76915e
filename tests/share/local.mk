# SPDX-License-Identifier: GPL-3.0-or-later
share_sample = tests/profile/sample-snapshot.c tests/profile/sample-snapshot.h
unit_tests += tests/share/test-ask tests/share/test-audience tests/share/test-block tests/share/test-segment tests/share/test-wire
tests_share_test_ask_SOURCES = tests/share/test-ask.c tests/unit.h
tests_share_test_audience_SOURCES = tests/share/test-audience.c tests/unit.h $(share_sample)
tests_share_test_block_SOURCES = tests/share/test-block.c tests/unit.h $(share_sample) $(view_code)
tests_share_test_segment_SOURCES = tests/share/test-segment.c tests/unit.h
tests_share_test_wire_SOURCES = tests/share/test-wire.c tests/unit.h

fuzz_tests += tests/share/fuzz-ask tests/share/fuzz-block tests/share/fuzz-wire
tests_share_fuzz_ask_SOURCES = tests/share/fuzz-ask.c $(fuzz_main)
tests_share_fuzz_ask_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"ask"'
tests_share_fuzz_ask_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
tests_share_fuzz_block_SOURCES = tests/share/fuzz-block.c $(share_sample) $(view_code) $(fuzz_main)
tests_share_fuzz_block_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"block"'
tests_share_fuzz_block_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
tests_share_fuzz_wire_SOURCES = tests/share/fuzz-wire.c $(share_sample) $(fuzz_main)
tests_share_fuzz_wire_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"wire"'
tests_share_fuzz_wire_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
