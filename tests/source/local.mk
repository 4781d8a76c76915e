# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of the source itself: they read the tree, they do not run the program.
source_tests = \
	tests/check-format \
	tests/check-layers \
	tests/source/test-check-layers \
	tests/source/test-check-prose \
	tests/source/test-documents \
	tests/source/test-hardened \
	tests/source/test-security \
	tests/source/test-translations \
	tests/source/test-units
dist_check_SCRIPTS += $(source_tests) tests/check-prose
TESTS += $(source_tests)

# A scripted source of records, for every test that needs one.
fake_source = tests/source/fake-source.c tests/source/fake-source.h

unit_tests += tests/source/test-fake-source
tests_source_test_fake_source_SOURCES = tests/source/test-fake-source.c tests/unit.h $(fake_source)
dist_noinst_SCRIPTS += tests/source/check-installed

unit_tests += tests/source/test-manual
tests_source_test_manual_SOURCES = tests/source/test-manual.c tests/unit.h

# What only an installed ptop can show: `make distcheck` runs it.
installcheck-local:
	$(srcdir)/tests/source/check-installed '$(DESTDIR)$(bindir)/ptop' '$(DESTDIR)$(mandir)'
