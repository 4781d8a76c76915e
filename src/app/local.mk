# SPDX-License-Identifier: GPL-3.0-or-later
app_doors = config.h doctor.h help.h jobs.h options.h priority.h privilege.h run.h secret.h
src_libptop_a_SOURCES += \
	src/app/act.c src/app/act.h \
	src/app/allow.c src/app/allow.h \
	src/app/asks.c src/app/asks.h \
	src/app/audiences.c src/app/audiences.h \
	src/app/base.c src/app/base.h \
	src/app/batch.c \
	src/app/cgroup-find.c src/app/cgroup-find.h \
	src/app/command.c src/app/command.h \
	src/app/completion.c src/app/completion.h \
	src/app/config.c src/app/config.h \
	src/app/confine.c src/app/confine.h \
	src/app/doctor.c src/app/doctor.h \
	src/app/ending.c src/app/ending.h \
	src/app/events.c src/app/events.h \
	src/app/exporter.c src/app/exporter.h \
	src/app/fact-files.c src/app/fact-rows.c src/app/fact-rows.h \
	src/app/facts.c src/app/facts.h \
	src/app/feed.c src/app/feed.h \
	src/app/help.c src/app/help.h \
	src/app/jobs.c src/app/jobs.h \
	src/app/live-options.c src/app/live-options.h \
	src/app/live-session.c \
	src/app/named-file.c src/app/named-file.h \
	src/app/option-table.c \
	src/app/option-values.c src/app/option-values.h \
	src/app/options.c src/app/options.h \
	src/app/own-file.c src/app/own-file.h \
	src/app/priority.c src/app/priority.h src/app/privilege.c src/app/privilege.h \
	src/app/push-format.c src/app/push-format.h \
	src/app/push-job.h \
	src/app/push-spool.c src/app/push-spool.h \
	src/app/push-sender.c src/app/push-sender.h \
	src/app/push.c src/app/push.h \
	src/app/record-option.c src/app/record-option.h \
	src/app/recording.c src/app/recording.h \
	src/app/remote-url.c src/app/remote-url.h \
	src/app/remote-words.c src/app/remote-words.h \
	src/app/remote.c src/app/remote.h \
	src/app/run.c src/app/run.h \
	src/app/runner.c src/app/runner.h \
	src/app/secret.c src/app/secret.h \
	src/app/server.c src/app/server.h \
	src/app/session.c src/app/session.h \
	src/app/signals.c src/app/signals.h \
	src/app/sink.c src/app/sink.h \
	src/app/stream.c src/app/stream.h \
	src/app/target-check.c src/app/target-check.h \
	src/app/then-file.c src/app/then-file.h \
	src/app/then.c src/app/then.h \
	src/app/time-range.c src/app/time-range.h \
	src/app/viewer.c src/app/viewer.h
