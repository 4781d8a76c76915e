# SPDX-License-Identifier: GPL-3.0-or-later
worker_doors = channel.h helper.h sandbox.h sealed.h zygote.h
src_libptop_a_SOURCES += \
	src/worker/channel.c src/worker/channel.h \
	src/worker/helper.c src/worker/helper.h \
	src/worker/nursery.c src/worker/nursery.h \
	src/worker/sandbox.c src/worker/sandbox.h \
	src/worker/sealed.c src/worker/sealed.h \
	src/worker/worker.h \
	src/worker/zygote.c src/worker/zygote.h
