# SPDX-License-Identifier: GPL-3.0-or-later
# Random walks, of which every step is checked: over a world that a seed makes, and over a real machine.
model_walker = tests/model/walker.c tests/model/walker.h tests/model/world.c tests/model/world.h \
	$(engine_rig)
check_PROGRAMS += tests/model/scripted
TESTS += tests/model/scripted
tests_model_scripted_SOURCES = tests/model/scripted.c $(model_walker)

dist_check_SCRIPTS += tests/model/run tests/model/test-model
TESTS += tests/model/test-model
measuring_tests += tests/model/test-model
dist_noinst_DATA += tests/model/walk.py
