# SPDX-License-Identifier: GPL-3.0-or-later
# Programs whose truth is known: built plainly, for a sanitizer would change it.
workloads = \
	tests/workloads/alone \
	tests/workloads/attack \
	tests/workloads/blocks \
	tests/workloads/silent \
	tests/workloads/callers \
	tests/workloads/calls \
	tests/workloads/callstorm \
	tests/workloads/deep \
	tests/workloads/family \
	tests/workloads/faults \
	tests/workloads/filefaults \
	tests/workloads/handover \
	tests/workloads/hostile \
	tests/workloads/hot \
	tests/workloads/jit \
	tests/workloads/pages \
	tests/workloads/plugin-a.so \
	tests/workloads/plugin-b.so \
	tests/workloads/parallel \
	tests/workloads/pingpong \
	tests/workloads/shmswap \
	tests/workloads/short \
	tests/workloads/sleepers \
	tests/workloads/spin \
	tests/workloads/stack-fp \
	tests/workloads/stack-leaf \
	tests/workloads/stack-nofp \
	tests/workloads/turnover \
	tests/workloads/userfaults
check_PROGRAMS += $(workloads)
dist_check_SCRIPTS += tests/workloads/bigexe

workload_cflags = -std=gnu11 $(WARN_CFLAGS) -fno-omit-frame-pointer

tests_workloads_alone_SOURCES = tests/workloads/alone.c
tests_workloads_alone_CFLAGS = $(workload_cflags) -momit-leaf-frame-pointer -fno-stack-protector
tests_workloads_alone_LDFLAGS = -static -nostdlib
tests_workloads_alone_LDADD =

tests_workloads_callstorm_SOURCES = tests/workloads/callstorm.c
tests_workloads_callstorm_CFLAGS = $(workload_cflags)
tests_workloads_callstorm_LDFLAGS =
tests_workloads_callstorm_LDADD =

tests_workloads_callers_SOURCES = tests/workloads/callers.c
tests_workloads_callers_CFLAGS = $(workload_cflags)
tests_workloads_callers_LDFLAGS = -pthread
tests_workloads_callers_LDADD =

tests_workloads_attack_SOURCES = tests/workloads/attack.c tests/workloads/loop.h tests/workloads/workload.h
tests_workloads_attack_CFLAGS = $(workload_cflags)
tests_workloads_attack_LDFLAGS = -pthread
tests_workloads_attack_LDADD =

tests_workloads_silent_SOURCES = tests/workloads/silent.c tests/workloads/workload.h
tests_workloads_silent_CFLAGS = $(workload_cflags)
tests_workloads_silent_LDFLAGS = -pthread
tests_workloads_silent_LDADD =
tests_workloads_blocks_SOURCES = tests/workloads/blocks.c tests/workloads/workload.h
tests_workloads_blocks_CFLAGS = $(workload_cflags)
tests_workloads_blocks_LDFLAGS = -pthread
tests_workloads_blocks_LDADD =

tests_workloads_calls_SOURCES = tests/workloads/calls.c tests/workloads/workload.h
tests_workloads_calls_CFLAGS = $(workload_cflags)
tests_workloads_calls_LDFLAGS =
tests_workloads_calls_LDADD =

tests_workloads_deep_SOURCES = tests/workloads/deep.c tests/workloads/workload.h
tests_workloads_deep_CFLAGS = $(workload_cflags) -fomit-frame-pointer
tests_workloads_deep_LDFLAGS =
tests_workloads_deep_LDADD =

tests_workloads_family_SOURCES = tests/workloads/family.c tests/workloads/workload.h
tests_workloads_family_CFLAGS = $(workload_cflags)
tests_workloads_family_LDFLAGS =
tests_workloads_family_LDADD =

tests_workloads_faults_SOURCES = tests/workloads/faults.c tests/workloads/workload.h
tests_workloads_faults_CFLAGS = $(workload_cflags)
tests_workloads_faults_LDFLAGS =
tests_workloads_faults_LDADD =

tests_workloads_filefaults_SOURCES = tests/workloads/filefaults.c tests/workloads/workload.h
tests_workloads_filefaults_CFLAGS = $(workload_cflags)
tests_workloads_filefaults_LDFLAGS =
tests_workloads_filefaults_LDADD =

tests_workloads_handover_SOURCES = tests/workloads/handover.c tests/workloads/workload.h
tests_workloads_handover_CFLAGS = $(workload_cflags)
tests_workloads_handover_LDFLAGS = -pthread
tests_workloads_handover_LDADD =

tests_workloads_hostile_SOURCES = tests/workloads/hostile.c tests/workloads/workload.h
tests_workloads_hostile_CFLAGS = $(workload_cflags)
tests_workloads_hostile_LDFLAGS =
tests_workloads_hostile_LDADD =

tests_workloads_hot_SOURCES = tests/workloads/hot.c tests/workloads/workload.h
tests_workloads_hot_CFLAGS = $(workload_cflags)
tests_workloads_hot_LDFLAGS =
tests_workloads_hot_LDADD =

tests_workloads_jit_SOURCES = tests/workloads/jit.c tests/workloads/workload.h
tests_workloads_jit_CFLAGS = $(workload_cflags)
tests_workloads_jit_LDFLAGS =
tests_workloads_jit_LDADD =

tests_workloads_parallel_SOURCES = tests/workloads/parallel.c tests/workloads/workload.h
tests_workloads_parallel_CFLAGS = $(workload_cflags)
tests_workloads_parallel_LDFLAGS = -pthread
tests_workloads_parallel_LDADD =

tests_workloads_pages_SOURCES = tests/workloads/pages.c tests/workloads/workload.h
tests_workloads_pages_CFLAGS = $(workload_cflags)
tests_workloads_pages_LDFLAGS =
tests_workloads_pages_LDADD =

tests_workloads_pingpong_SOURCES = tests/workloads/pingpong.c tests/workloads/workload.h
tests_workloads_pingpong_CFLAGS = $(workload_cflags)
tests_workloads_pingpong_LDFLAGS =
tests_workloads_pingpong_LDADD =

tests_workloads_short_SOURCES = tests/workloads/short.c tests/workloads/workload.h
tests_workloads_short_CFLAGS = $(workload_cflags)
tests_workloads_short_LDFLAGS =
tests_workloads_short_LDADD =

tests_workloads_sleepers_SOURCES = tests/workloads/sleepers.c tests/workloads/workload.h
tests_workloads_sleepers_CFLAGS = $(workload_cflags)
tests_workloads_sleepers_LDFLAGS =
tests_workloads_sleepers_LDADD =

tests_workloads_turnover_SOURCES = tests/workloads/turnover.c tests/workloads/loop.h tests/workloads/workload.h
tests_workloads_turnover_CFLAGS = $(workload_cflags)
tests_workloads_turnover_LDFLAGS =
tests_workloads_turnover_LDADD = -ldl

tests_workloads_plugin_a_so_SOURCES = tests/workloads/plugin.c tests/workloads/workload.h
tests_workloads_plugin_a_so_CFLAGS = $(workload_cflags) -fPIC -DPLUGIN=plugin_a
tests_workloads_plugin_a_so_LDFLAGS = -shared
tests_workloads_plugin_a_so_LDADD =

tests_workloads_plugin_b_so_SOURCES = tests/workloads/plugin.c tests/workloads/workload.h
tests_workloads_plugin_b_so_CFLAGS = $(workload_cflags) -fPIC -DPLUGIN=plugin_b
tests_workloads_plugin_b_so_LDFLAGS = -shared
tests_workloads_plugin_b_so_LDADD =

tests_workloads_spin_SOURCES = tests/workloads/spin.c tests/workloads/workload.h
tests_workloads_spin_CFLAGS = $(workload_cflags)
tests_workloads_spin_LDFLAGS =
tests_workloads_spin_LDADD =

tests_workloads_shmswap_SOURCES = tests/workloads/shmswap.c tests/workloads/workload.h
tests_workloads_shmswap_CFLAGS = $(workload_cflags)
tests_workloads_shmswap_LDFLAGS = -pthread
tests_workloads_shmswap_LDADD = -lrt

tests_workloads_userfaults_SOURCES = tests/workloads/userfaults.c tests/workloads/workload.h
tests_workloads_userfaults_CFLAGS = $(workload_cflags)
tests_workloads_userfaults_LDFLAGS = -pthread
tests_workloads_userfaults_LDADD = -lrt

tests_workloads_stack_fp_SOURCES = tests/workloads/stack.c tests/workloads/workload.h
tests_workloads_stack_fp_CFLAGS = $(workload_cflags) -mno-omit-leaf-frame-pointer
tests_workloads_stack_fp_LDFLAGS = -pthread
tests_workloads_stack_fp_LDADD =

tests_workloads_stack_leaf_SOURCES = tests/workloads/stack.c tests/workloads/workload.h
tests_workloads_stack_leaf_CFLAGS = $(workload_cflags) -momit-leaf-frame-pointer
tests_workloads_stack_leaf_LDFLAGS = -pthread
tests_workloads_stack_leaf_LDADD =

tests_workloads_stack_nofp_SOURCES = tests/workloads/stack.c tests/workloads/workload.h
tests_workloads_stack_nofp_CFLAGS = $(workload_cflags) -fomit-frame-pointer
tests_workloads_stack_nofp_LDFLAGS = -pthread
tests_workloads_stack_nofp_LDADD =
