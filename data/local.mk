# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += data/ptop-listen.service.in
CLEANFILES += data/ptop-listen.service

data/ptop-listen.service: data/ptop-listen.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) data && $(SED) 's|@bindir[@]|$(bindir)|' $(srcdir)/data/ptop-listen.service.in >$@

if INSTALL_UNITS
systemdsystemunit_DATA = data/ptop-listen.service
endif
