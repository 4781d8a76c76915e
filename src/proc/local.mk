# SPDX-License-Identifier: GPL-3.0-or-later
proc_doors = cgroup.h groups.h host.h process.h procfs.h smaps.h stat.h thread.h
src_libptop_a_SOURCES += \
	src/proc/cgroup.c src/proc/cgroup.h \
	src/proc/container.c src/proc/container.h \
	src/proc/cpu-shares.c src/proc/cpu-shares.h \
	src/proc/cpus.c src/proc/cpus.h \
	src/proc/group-name.c src/proc/group-name.h \
	src/proc/group-stat.c src/proc/group-stat.h \
	src/proc/groups.c src/proc/groups.h \
	src/proc/host.c src/proc/host.h \
	src/proc/kept-files.c \
	src/proc/maps.c \
	src/proc/microstates.c src/proc/microstates.h \
	src/proc/pressure.c src/proc/pressure.h \
	src/proc/process.h \
	src/proc/process-table.c src/proc/process-table.h \
	src/proc/procfs.c src/proc/procfs.h \
	src/proc/refresh.c \
	src/proc/resctrl.c src/proc/resctrl.h \
	src/proc/smaps.c src/proc/smaps.h \
	src/proc/space.c src/proc/space.h \
	src/proc/stat.c src/proc/stat.h \
	src/proc/thread.h \
	src/proc/thread-counts.c \
	src/proc/user.c src/proc/user.h
