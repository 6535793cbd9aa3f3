/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__linux__)
#define _GNU_SOURCE /* posix_spawn_file_actions_addclosefrom_np */
#endif
#include "core/ground/process_impl.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <unistd.h>

/* Files of the program around grebe may lack FD_CLOEXEC: a lock or a port would stay taken as long as the
 * child is there. */
static bool close_others(posix_spawn_file_actions_t *files)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    return posix_spawn_file_actions_addclosefrom_np(files, 3) == 0;
#else
    (void)files;
    return true;
#endif
}

static bool prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, const int file[3],
                    const sigset_t *usual)
{
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none;
    sigemptyset(&none);
    for (int i = 0; i < 3; i++)
        if (file[i] >= 0 && posix_spawn_file_actions_adddup2(files, file[i], i) != 0)
            return false;
    return close_others(files) && posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, usual) == 0 &&
           posix_spawnattr_setflags(attributes, flags) == 0;
}

int gb_process_start(char *const argument[], char *const environment[], int in, int out, int error,
                     const sigset_t *usual, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int fault = posix_spawn_file_actions_init(&files);
    if (fault)
        return fault;
    fault = posix_spawnattr_init(&attributes);
    if (!fault) {
        fault = prepare(&files, &attributes, (const int[]){in, out, error}, usual)
                    ? posix_spawnp(child, argument[0], &files, &attributes, argument, environment)
                    : ENOMEM;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return fault;
}
