# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += data/ptop-listen.service.in
CLEANFILES += data/ptop-listen.service

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

data/ptop-listen.service: data/ptop-listen.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) data && $(SED) 's|@bindir[@]|$(bindir)|' $(srcdir)/data/ptop-listen.service.in >$@

if INSTALL_UNITS
systemdsystemunit_DATA = data/ptop-listen.service
sysusers_DATA = data/ptop.conf
endif
