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

# What --profile and --theme find by name.
profilesdir = $(pkgdatadir)/profiles
dist_profiles_DATA = data/profiles/java data/profiles/io data/profiles/scheduler
themesdir = $(pkgdatadir)/themes
dist_themes_DATA = data/themes/auto data/themes/dark data/themes/light data/themes/contrast data/themes/colorblind \
	data/themes/mono

# They are in the program, too, as C strings: for a ptop that is not installed.
BUILT_SOURCES += src/app/named-texts.h
CLEANFILES += src/app/named-texts.h
src/app/named-file.$(OBJEXT): src/app/named-texts.h
src/app/named-texts.h: $(dist_profiles_DATA) $(dist_themes_DATA)
	$(AM_V_GEN)$(MKDIR_P) src/app && for name in $(dist_profiles_DATA) $(dist_themes_DATA); do \
		folder=$${name%/*}; \
		echo "static const char $${folder##*/}_$${name##*/}[] ="; \
		$(SED) -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' "$(srcdir)/$$name" || exit 1; \
		echo ';'; \
	done >$@.new && mv $@.new $@

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
