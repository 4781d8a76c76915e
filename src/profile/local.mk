# SPDX-License-Identifier: GPL-3.0-or-later
profile_doors = addresses.h callgraph.h calltree.h cell.h code.h counters.h distribution.h frame.h \
	histogram.h history.h invariant.h loss.h rebase.h snapshot.h
src_libptop_a_SOURCES += \
	src/profile/addresses.c src/profile/addresses.h \
	src/profile/callgraph.c src/profile/callgraph.h \
	src/profile/calltree.c src/profile/calltree.h \
	src/profile/cell.c src/profile/cell.h \
	src/profile/code.c src/profile/code.h \
	src/profile/counters.c src/profile/counters.h \
	src/profile/distribution.c src/profile/distribution.h \
	src/profile/frame.c src/profile/frame.h \
	src/profile/history.c src/profile/history.h \
	src/profile/histogram.c src/profile/histogram.h \
	src/profile/invariant.c src/profile/invariant.h \
	src/profile/loss.c src/profile/loss.h \
	src/profile/node-waits.c src/profile/node-waits.h \
	src/profile/rebase.c src/profile/rebase.h \
	src/profile/snapshot.c src/profile/snapshot.h
