# SPDX-License-Identifier: GPL-3.0-or-later
dist_man_MANS += doc/ptop.1

# A program to try ptop on, and the document that does so.  `make screens` makes its screens anew; as root it has all.
check_PROGRAMS += examples/shop
examples_shop_SOURCES = examples/shop.c
examples_shop_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -g -O1 -fno-omit-frame-pointer
examples_shop_LDFLAGS = -pthread
examples_shop_LDADD =
dist_doc_DATA = doc/TUTORIAL.md
exampledir = $(docdir)/examples
example_DATA = examples/shop.c
dist_noinst_SCRIPTS += doc/make-screens
screens: src/ptop examples/shop
	python3 $(srcdir)/doc/make-screens src/ptop . $(srcdir)/doc/TUTORIAL.md
.PHONY: screens

# Made from the table of options; tests/app/test-options checks that it is up to date.
dist_noinst_DATA += doc/ptop.bash-completion
bashcompletiondir = $(datadir)/bash-completion/completions

install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)'
	$(INSTALL_DATA) $(srcdir)/doc/ptop.bash-completion '$(DESTDIR)$(bashcompletiondir)/ptop'

uninstall-local:
	rm -f '$(DESTDIR)$(bashcompletiondir)/ptop'
