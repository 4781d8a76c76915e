# SPDX-License-Identifier: GPL-3.0-or-later
dist_man_MANS += doc/ptop.1

# Programs to try ptop on, and the documents that do so.  `make screens` makes their screens anew; as root it has all.
check_PROGRAMS += examples/shop examples/ledger
examples_shop_SOURCES = examples/shop.c
examples_shop_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -g -O1 -fno-omit-frame-pointer
examples_shop_LDFLAGS = -pthread
examples_shop_LDADD =
examples_ledger_SOURCES = examples/ledger.c
examples_ledger_CFLAGS = $(examples_shop_CFLAGS)
examples_ledger_LDFLAGS = -pthread
examples_ledger_LDADD =
dist_doc_DATA = doc/TUTORIAL.md
dist_noinst_DATA += doc/SCREENS.md examples/orders.py examples/orders.js examples/Orders.java examples/sorter.cpp
exampledir = $(docdir)/examples
example_DATA = examples/shop.c
dist_noinst_SCRIPTS += doc/make-screens doc/make-python-offsets
screens: src/ptop examples/shop examples/ledger
	python3 $(srcdir)/doc/make-screens src/ptop . $(srcdir)/doc/TUTORIAL.md $(srcdir)/doc/SCREENS.md

# The same screens as the picture that moves, with which README begins.
dist_noinst_DATA += doc/ptop.svg doc/picture.py
picture: src/ptop examples/shop
	python3 $(srcdir)/doc/make-screens --picture $(srcdir)/doc/ptop.svg src/ptop . $(srcdir)/doc/TUTORIAL.md
.PHONY: screens picture

# Completions, each where its shell looks for those of packages.  A part of them is made from the table of options;
# tests/app/test-options checks that it is up to date.
dist_noinst_DATA += doc/ptop.bash-completion doc/ptop.zsh-completion doc/ptop.fish-completion
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d

install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)' '$(DESTDIR)$(zshcompletiondir)' '$(DESTDIR)$(fishcompletiondir)'
	$(INSTALL_DATA) $(srcdir)/doc/ptop.bash-completion '$(DESTDIR)$(bashcompletiondir)/ptop'
	$(INSTALL_DATA) $(srcdir)/doc/ptop.zsh-completion '$(DESTDIR)$(zshcompletiondir)/_ptop'
	$(INSTALL_DATA) $(srcdir)/doc/ptop.fish-completion '$(DESTDIR)$(fishcompletiondir)/ptop.fish'

uninstall-local:
	rm -f '$(DESTDIR)$(bashcompletiondir)/ptop' '$(DESTDIR)$(zshcompletiondir)/_ptop' \
		'$(DESTDIR)$(fishcompletiondir)/ptop.fish'
