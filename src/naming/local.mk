# SPDX-License-Identifier: GPL-3.0-or-later
naming_doors = callers.h chains.h data.h function-sources.h inlines.h late.h name.h object-facts.h \
	python-names.h resolve.h syscall-names.h unwinding.h
src_libptop_a_SOURCES += \
	src/naming/callers.c src/naming/callers.h \
	src/naming/chains.c src/naming/chains.h \
	src/naming/data.c src/naming/data.h \
	src/naming/inlines.c src/naming/inlines.h \
	src/naming/object-facts.c src/naming/object-facts.h \
	src/naming/java-names.c src/naming/java-names.h \
	src/naming/late.c src/naming/late.h \
	src/naming/name.h \
	src/naming/syscall-names.c src/naming/syscall-names.h \
	src/naming/python-names.c src/naming/python-names.h \
	src/naming/places.c src/naming/places.h \
	src/naming/resolve.c src/naming/resolve.h \
	src/naming/function-sources.c src/naming/function-sources.h \
	src/naming/unwinding.c src/naming/unwinding.h
