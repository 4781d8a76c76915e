# SPDX-License-Identifier: GPL-3.0-or-later
base_doors = python-walk.h account.h alloc.h buf.h build-id.h bytes.h clock.h cpu.h cursor.h decimal.h error.h event-id.h group-facts.h \
	hash.h heap.h i18n.h index.h io.h metric.h microstate.h named-by.h nearest.h number-list.h owner.h pressure-facts.h scanner.h settings.h spare-time.h strtab.h sync.h text-pool.h time-share.h
src_libptop_a_SOURCES += \
	src/base/account.c src/base/account.h \
	src/base/alloc.c src/base/alloc.h \
	src/base/buf.c src/base/buf.h \
	src/base/build-id.c src/base/build-id.h \
	src/base/bytes.h \
	src/base/cpu.c src/base/cpu.h \
	src/base/cursor.h \
	src/base/clock.c src/base/clock.h \
	src/base/decimal.c src/base/decimal.h \
	src/base/error.c src/base/error.h \
	src/base/event-id.h \
	src/base/group-facts.c src/base/group-facts.h \
	src/base/hash.c src/base/hash.h \
	src/base/i18n.h \
	src/base/index.c src/base/index.h \
	src/base/heap.c src/base/heap.h \
	src/base/io.c src/base/io.h \
	src/base/metric.h \
	src/base/microstate.h \
	src/base/number-list.c src/base/number-list.h \
	src/base/owner.h \
	src/base/named-by.c src/base/named-by.h \
	src/base/nearest.c src/base/nearest.h \
	src/base/pressure-facts.c src/base/pressure-facts.h \
	src/base/python-walk.h \
	src/base/scanner.h \
	src/base/settings.c src/base/settings.h \
	src/base/spare-time.c src/base/spare-time.h \
	src/base/strtab.c src/base/strtab.h \
	src/base/sync.c src/base/sync.h \
	src/base/text-pool.c src/base/text-pool.h \
	src/base/time-share.h
