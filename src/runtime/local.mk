# SPDX-License-Identifier: GPL-3.0-or-later
runtime_doors = attacher.h launch.h python.h
src_libptop_a_SOURCES += \
	src/runtime/attacher.c src/runtime/attacher.h \
	src/runtime/java.c src/runtime/java.h \
	src/runtime/launch.c src/runtime/launch.h \
	src/runtime/python.c src/runtime/python-evaluator.c src/runtime/python-image.c \
	src/runtime/python-image.h src/runtime/python-memory.h \
	src/runtime/python-offsets.c src/runtime/python-walk.c src/runtime/python.h
