# SPDX-License-Identifier: GPL-3.0-or-later
dist_man_MANS += doc/ptop.1

# Made from the table of options; tests/app/test-options checks that it is up to date.
dist_noinst_DATA += doc/ptop.bash-completion
bashcompletiondir = $(datadir)/bash-completion/completions

install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)'
	$(INSTALL_DATA) $(srcdir)/doc/ptop.bash-completion '$(DESTDIR)$(bashcompletiondir)/ptop'

uninstall-local:
	rm -f '$(DESTDIR)$(bashcompletiondir)/ptop'
