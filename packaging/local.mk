# SPDX-License-Identifier: GPL-3.0-or-later
dist_noinst_DATA += packaging/ptop-profiler.spec
dist_noinst_SCRIPTS += packaging/check-release

# One program for x86-64 that needs no library and no folder: static/ptop.  Left out are the libraries that are large
# (capstone, libpfm4) or need services of their own (libmicrohttpd's gnutls, libdebuginfod).  Its bytes are the same
# wherever it is built by the same compiler: no path of the build is in it.
static_here = -ffile-prefix-map=$(abs_top_srcdir)=. -ffile-prefix-map=$(abs_top_builddir)/static/build=.
static:
	$(MKDIR_P) static/build
	cd static/build && $(abs_top_srcdir)/configure -q --enable-static --prefix=/usr/local \
		--without-microhttpd --without-libcurl --without-debuginfod --without-capstone --without-libpfm4 \
		CC='$(CC)' CFLAGS='-O2 -g $(static_here)'
	cd static/build && $(MAKE) $(AM_MAKEFLAGS) src/ptop
	strip -o static/ptop static/build/src/ptop
.PHONY: static

# What people download: the tarball, which distcheck has tried, and its checksum.
release: release-checked
	$(MAKE) $(AM_MAKEFLAGS) distcheck
	sha256sum $(DIST_ARCHIVES) >$(distdir).sha256
	cat $(distdir).sha256

# Before the long part.
release-checked:
	$(srcdir)/packaging/check-release $(srcdir) $(PACKAGE_VERSION)
.PHONY: release release-checked

clean-local:
	rm -rf static
