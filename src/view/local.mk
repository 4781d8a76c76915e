# SPDX-License-Identifier: GPL-3.0-or-later
view_doors = code-rows.h column.h expression.h grid.h kind.h menu.h page.h text.h view.h
src_libptop_a_SOURCES += \
	src/view/axis.c src/view/axis.h \
	src/view/arrows.c src/view/arrows.h \
	src/view/bar.c src/view/bar.h \
	src/view/calls.c src/view/calls.h src/view/call-tree.c \
	src/view/choice.c src/view/choice.h \
	src/view/code-rows.c src/view/code-rows.h src/view/code-columns.c \
	src/view/column.c src/view/column.h \
	src/view/custom.c src/view/custom.h \
	src/view/draw.c src/view/view-state.h \
	src/view/ended.c src/view/ended.h \
	src/view/expression.c src/view/expression.h \
	src/view/flame.c src/view/flame.h \
	src/view/fold.c \
	src/view/grid.c src/view/grid.h \
	src/view/header.c src/view/header.h \
	src/view/kind.c src/view/kind.h \
	src/view/lists.c src/view/lists.h \
	src/view/mappings.c src/view/mappings.h \
	src/view/menu.c src/view/menu.h \
	src/view/number.c src/view/number.h \
	src/view/page.c src/view/page.h \
	src/view/object-rows.c src/view/object-rows.h \
	src/view/process-columns.c src/view/symbol-columns.c \
	src/view/event-columns.c src/view/object-columns.c src/view/call-columns.c \
	src/view/mapping-columns.c \
	src/view/rows.c src/view/rows.h \
	src/view/share.c src/view/share.h \
	src/view/search.c src/view/search.h \
	src/view/sort.c src/view/sort.h \
	src/view/table.c src/view/table.h \
	src/view/text.c src/view/text.h \
	src/view/tree.c src/view/tree.h \
	src/view/view.c src/view/view.h \
	src/view/way.c
