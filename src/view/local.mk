# SPDX-License-Identifier: GPL-3.0-or-later
view_doors = condition.h cpu-meter.h header-meters.h explain.h expression.h kind.h machine.h view.h
view_widget_doors = bar.h column.h grid.h menu.h number.h page.h table.h text.h tree.h arrows.h
view_list_doors = branch.h call-list.h code-rows.h column-table.h columns.h cpu-rows.h findings.h flame-list.h group-rows.h list.h lists.h mapping-list.h object-list.h rows.h
src_libptop_a_SOURCES += \
	src/view/axis.c src/view/axis.h \
	src/view/choice.c src/view/choice.h \
	src/view/condition.c src/view/condition.h \
	src/view/machine.c src/view/machine.h \
	src/view/cpu-meter.c src/view/cpu-meter.h \
	src/view/graph.c src/view/graph.h \
	src/view/header-bar.c src/view/header-bar.h \
	src/view/header-meters.c src/view/header-meters.h \
	src/view/custom.c src/view/custom.h \
	src/view/explain.c src/view/explain.h \
	src/view/expression.c src/view/expression.h \
	src/view/header.c src/view/header.h \
	src/view/kind.c src/view/kind.h \
	src/view/view-state.c src/view/view-state.h src/view/view.h \
	src/view/draw.c src/view/fold.c src/view/search.c src/view/tags.c src/view/views.c src/view/way.c \
	src/view/list/calls.c src/view/list/calls.h \
	src/view/list/code-rows.c src/view/list/code-rows.h \
	src/view/list/columns.c src/view/list/columns.h \
	src/view/list/branch.c src/view/list/branch.h \
	src/view/list/group-rows.c src/view/list/group-rows.h \
	src/view/list/cpu-rows.c src/view/list/cpu-rows.h \
	src/view/list/cpu-past.c src/view/list/cpu-past.h \
	src/view/list/ended.c src/view/list/ended.h \
	src/view/list/flame.c src/view/list/flame.h \
	src/view/list/mapping-list.c src/view/list/mapping-list.h \
	src/view/list/object-list.c src/view/list/object-list.h \
	src/view/list/rows.c src/view/list/rows.h \
	src/view/list/share.c src/view/list/share.h \
	src/view/list/sort.c src/view/list/sort.h \
	src/view/list/list.c src/view/list/list.h src/view/list/lists.h src/view/list/column-table.h \
	src/view/list/flame-list.c src/view/list/flame-list.h \
	src/view/list/process-entry.h \
	src/view/list/call-list.c src/view/list/call-list.h \
	src/view/list/call-tree.c \
	src/view/list/code-list.c \
	src/view/list/cpu-list.c \
	src/view/list/group-list.c \
	src/view/list/event-list.c \
	src/view/list/finding-list.c src/view/list/finding-rules.c \
	src/view/list/findings.c src/view/list/findings.h \
	src/view/list/process-list.c \
	src/view/list/symbol-list.c \
	src/view/list/syscall-list.c \
	src/view/list/wait-list.c \
	src/view/widget/arrows.c src/view/widget/arrows.h \
	src/view/widget/bar.c src/view/widget/bar.h \
	src/view/widget/column.c src/view/widget/column.h \
	src/view/widget/grid.c src/view/widget/grid.h \
	src/view/widget/menu.c src/view/widget/menu.h \
	src/view/widget/number.c src/view/widget/number.h \
	src/view/widget/page.c src/view/widget/page.h \
	src/view/widget/table.c src/view/widget/table.h \
	src/view/widget/text.c src/view/widget/text.h \
	src/view/widget/tree.c src/view/widget/tree.h
