# SPDX-License-Identifier: GPL-3.0-or-later
ui_doors = actions.h keymap.h themes.h ui.h
src_libptop_a_SOURCES += \
	src/ui/actions.h \
	src/ui/acts.c \
	src/ui/facts-page.c \
	src/ui/help-page.c \
	src/ui/key.c src/ui/key.h src/ui/key-code.h \
	src/ui/keymap.c src/ui/keymap.h \
	src/ui/menus.c \
	src/ui/palette.c \
	src/ui/plain-curses.h \
	src/ui/painter.c src/ui/painter.h \
	src/ui/prompt.c src/ui/prompt.h \
	src/ui/questions.c \
	src/ui/setup.c \
	src/ui/started.c \
	src/ui/ui-state.h \
	src/ui/terminal.c src/ui/terminal.h \
	src/ui/theme.c src/ui/theme.h \
	src/ui/themes.c src/ui/themes.h \
	src/ui/ui.c src/ui/ui.h
