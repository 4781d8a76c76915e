# SPDX-License-Identifier: GPL-3.0-or-later
share_doors = ask.h audience.h block.h segment.h wire.h
src_libptop_a_SOURCES += \
	src/share/ask.c src/share/ask.h \
	src/share/audience.c src/share/audience.h \
	src/share/block-read.c \
	src/share/block-write.c src/share/block.h \
	src/share/field.c src/share/field.h \
	src/share/layout.c src/share/layout.h \
	src/share/segment.c src/share/segment.h \
	src/share/wire.c src/share/wire.h
