# SPDX-License-Identifier: GPL-3.0-or-later
units = data/ptop-listen.service data/ptop-when.service
EXTRA_DIST += data/ptop-listen.service.in data/ptop-when.service.in
CLEANFILES += $(units)

# What a menu and a catalogue of software show.
applicationsdir = $(datadir)/applications
dist_applications_DATA = data/ptop.desktop
metainfodir = $(datadir)/metainfo
dist_metainfo_DATA = data/org.ptop_profiler.ptop.metainfo.xml
iconsdir = $(datadir)/icons/hicolor/scalable/apps
dist_icons_DATA = data/ptop.svg

# sysusers.d(5) has a name of its own there.
EXTRA_DIST += data/ptop-sysusers.conf
CLEANFILES += data/ptop.conf
sysusersdir = $(prefix)/lib/sysusers.d
data/ptop.conf: data/ptop-sysusers.conf
	$(AM_V_GEN)$(MKDIR_P) data && cp $(srcdir)/data/ptop-sysusers.conf $@

$(units): Makefile
	$(AM_V_GEN)$(MKDIR_P) data && $(SED) 's|@bindir[@]|$(bindir)|' $(srcdir)/$@.in >$@
data/ptop-listen.service: data/ptop-listen.service.in
data/ptop-when.service: data/ptop-when.service.in

if INSTALL_UNITS
systemdsystemunit_DATA = $(units)
sysusers_DATA = data/ptop.conf
endif
