/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_SECRET_H
#define PTOP_APP_SECRET_H

/*
 * Takes the value of VARIABLE out of the environment: neither what ptop starts nor /proc/PID/environ has it any more.  The copy is on a
 * page that is zero in processes which are forked later (MADV_WIPEONFORK, Linux 4.14).  NULL if there is none, if the program file
 * lends rights (secure_getenv(3)), or if the page cannot be had.  The page lives as long as the process.
 */
const char *secret_take(const char *variable);

#endif
