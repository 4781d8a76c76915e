# SPDX-License-Identifier: GPL-3.0-or-later
dist_noinst_DATA += packaging/ptop-profiler.spec
dist_noinst_SCRIPTS += packaging/check-release packaging/static packaging/sysroot

# One program that needs nothing but the kernel; see the script.
static:
	+CC='$(CC)' MAKE='$(MAKE)' $(srcdir)/packaging/static static
static-aarch64:
	+MAKE='$(MAKE)' $(srcdir)/packaging/static static/aarch64 aarch64-linux-gnu arm64
.PHONY: static static-aarch64

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
