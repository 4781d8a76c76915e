# SPDX-License-Identifier: GPL-3.0-or-later
# Cost beside other tools.  Not a test: nothing is asserted, and it takes minutes.
dist_noinst_SCRIPTS += bench/bench bench/grow-recording bench/unwind bench/waits
EXTRA_DIST += bench/inlined.cc
check_PROGRAMS += bench/cpus bench/scale bench/throughput bench/views
bench_cpus_SOURCES = bench/cpus.c $(many_cpus)
bench_scale_SOURCES = bench/scale.c $(large_machine)
bench_throughput_SOURCES = bench/throughput.c $(engine_rig)
bench_views_SOURCES = bench/views.c $(view_large)
bench: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	PTOP='$(abs_builddir)/src/ptop' builddir='$(abs_builddir)' $(srcdir)/bench/bench
.PHONY: bench
