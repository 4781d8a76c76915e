# SPDX-License-Identifier: GPL-3.0-or-later
# ptop for a long time: what it holds must not grow.
dist_check_SCRIPTS += tests/soak/run tests/soak/test-soak
TESTS += tests/soak/test-soak
measuring_tests += tests/soak/test-soak
dist_noinst_DATA += tests/soak/soak.py
