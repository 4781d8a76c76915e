# SPDX-License-Identifier: GPL-3.0-or-later
# In virtual machines, by hand or by .ci/run: minutes, root and an emulator are too much for `make check`.
EXTRA_DIST += tests/lab/run tests/lab/lab.py tests/lab/annotate.py tests/lab/arm64.py tests/lab/riscv64.py
