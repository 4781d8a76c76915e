# SPDX-License-Identifier: GPL-3.0-or-later
large_machine = tests/engine/large-machine.c tests/engine/large-machine.h tests/proc/tree.c tests/proc/tree.h \
	$(engine_rig)
many_cpus = tests/engine/many-cpus.c tests/engine/many-cpus.h tests/proc/tree.c tests/proc/tree.h $(engine_rig)
engine_rig = tests/engine/rig.c tests/engine/rig.h $(fake_source)
unit_tests += tests/engine/test-attribution tests/engine/test-budget tests/engine/test-chains \
	tests/engine/test-collector \
	tests/engine/test-engine tests/engine/test-inlines tests/engine/test-objects tests/engine/test-offcpu tests/engine/test-times tests/engine/test-recorder \
	tests/engine/test-tap tests/engine/test-unwinding tests/engine/test-window
unit_tests += tests/engine/test-watch tests/engine/test-thinning
tests_engine_test_thinning_SOURCES = tests/engine/test-thinning.c tests/unit.h $(engine_rig)
tests_engine_test_watch_SOURCES = tests/engine/test-watch.c tests/unit.h $(engine_rig)
tests_engine_test_window_SOURCES = tests/engine/test-window.c tests/unit.h $(engine_rig)
unit_tests += tests/engine/test-account
tests_engine_test_account_SOURCES = tests/engine/test-account.c tests/proc/tree.c tests/proc/tree.h tests/unit.h $(engine_rig)
unit_tests += tests/engine/test-memory
tests_engine_test_memory_SOURCES = tests/engine/test-memory.c tests/unit.h tests/proc/tree.c tests/proc/tree.h
tests_engine_test_objects_SOURCES = tests/engine/test-objects.c tests/unit.h
tests_engine_test_tap_SOURCES = tests/engine/test-tap.c tests/unit.h
tests_engine_test_attribution_SOURCES = tests/engine/test-attribution.c tests/unit.h
tests_engine_test_budget_SOURCES = tests/engine/test-budget.c tests/unit.h
tests_engine_test_chains_SOURCES = tests/engine/test-chains.c tests/unit.h $(engine_rig)
tests_engine_test_collector_SOURCES = tests/engine/test-collector.c tests/unit.h $(engine_rig)
tests_engine_test_engine_SOURCES = tests/engine/test-engine.c tests/proc/tree.c tests/proc/tree.h tests/unit.h $(engine_rig)
tests_engine_test_inlines_SOURCES = tests/engine/test-inlines.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h $(engine_rig)
tests_engine_test_unwinding_SOURCES = tests/engine/test-unwinding.c tests/symbol/fixture.c \
	tests/symbol/fixture.h $(bad_jobs)
tests_engine_test_times_SOURCES = tests/engine/test-times.c tests/unit.h $(engine_rig)
tests_engine_test_offcpu_SOURCES = tests/engine/test-offcpu.c tests/unit.h
tests_engine_test_recorder_SOURCES = tests/engine/test-recorder.c tests/unit.h $(engine_rig)
unit_tests += tests/engine/test-cells tests/engine/test-sample-names tests/engine/test-task-counts tests/engine/test-cpu-use tests/engine/test-targets tests/engine/test-data
tests_engine_test_cells_SOURCES = tests/engine/test-cells.c tests/unit.h $(engine_rig)
tests_engine_test_sample_names_SOURCES = tests/engine/test-sample-names.c tests/unit.h $(engine_rig)
tests_engine_test_task_counts_SOURCES = tests/engine/test-task-counts.c tests/unit.h $(engine_rig)
tests_engine_test_cpu_use_SOURCES = tests/engine/test-cpu-use.c tests/unit.h $(engine_rig)
tests_engine_test_targets_SOURCES = tests/engine/test-targets.c tests/unit.h $(engine_rig)
tests_engine_test_data_SOURCES = tests/engine/test-data.c tests/unit.h $(engine_rig)

fuzz_tests += tests/engine/fuzz-engine
tests_engine_fuzz_engine_SOURCES = tests/engine/fuzz-engine.c $(engine_rig) $(fuzz_main)
tests_engine_fuzz_engine_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"engine"'
tests_engine_fuzz_engine_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
unit_tests += tests/engine/test-cpus tests/engine/test-groups
tests_engine_test_groups_SOURCES = tests/engine/test-groups.c tests/proc/tree.c tests/proc/tree.h tests/unit.h $(engine_rig)
tests_engine_test_cpus_SOURCES = tests/engine/test-cpus.c tests/unit.h $(engine_rig)
unit_tests += tests/engine/test-scale tests/engine/test-many-cpus
tests_engine_test_many_cpus_SOURCES = tests/engine/test-many-cpus.c tests/unit.h $(many_cpus)
tests_engine_test_scale_SOURCES = tests/engine/test-scale.c tests/unit.h $(large_machine)
