/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other programs, each in a process group of its own. */
#ifndef GREBE_CORE_GROUND_PROCESS_IMPL_H
#define GREBE_CORE_GROUND_PROCESS_IMPL_H

#include <signal.h>

/* Starts argument[0], a path or else found by PATH, with no signal blocked, and the `usual` ones handled as
 * usual. NULL ends the arguments, and the environment. `in`, `out` and `error` are open files; < 0: that of
 * this process. It gets no other file where the system can see to that (glibc 2.34). Returns 0, or the number
 * of the system's error. */
int gb_process_start(char *const argument[], char *const environment[], int in, int out, int error,
                     const sigset_t *usual, pid_t *child);

#endif
