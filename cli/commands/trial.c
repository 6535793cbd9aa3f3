/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/commands/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/kinds/list.h"

enum { SURVIVED = 83, MOST_SECONDS = 10 };

/* Reads all that `grebe list` prints of what was loaded: its texts and tables may be damaged, too. */
static void read_all(const gb_bundle *bundle)
{
    for (size_t i = 0; i < bundle->count; i++) {
        const gb_cli_kind *const kind = gb_cli_kind_of(bundle->member[i].kind);
        gb_cli_listing listing = {.file = stdout};
        for (size_t row = 0; kind && row < gb_cli_kind_count(kind); row++)
            if (gb_cli_kind_type(kind, row) == bundle->member[i].type)
                kind->list(&listing, row);
    }
    fflush(stdout);
}

/* No core, no output, and no loop without an end. */
static void set_apart(void)
{
    const struct rlimit none = {0, 0}, seconds = {MOST_SECONDS, MOST_SECONDS};
    const int nowhere = open("/dev/null", O_WRONLY);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &seconds);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

/* Returns false if there can be no child: the file is loaded without a trial then. */
static bool run_child(gb_cli_loader *load, const char *path, int *status)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        const gb_bundle *bundle = NULL;
        set_apart();
        if (load(path, &bundle) == GB_CLI_OK)
            read_all(bundle);
        _exit(SURVIVED);
    }
    while (waitpid(child, status, 0) != child)
        if (errno != EINTR)
            return false;
    return true;
}

gb_cli_code gb_cli_try(gb_cli_loader *load, const char *path, const gb_bundle **bundle)
{
    int status;
    if (!run_child(load, path, &status) || (WIFEXITED(status) && WEXITSTATUS(status) == SURVIVED))
        return load(path, bundle);
    if (WIFSIGNALED(status))
        return gb_cli_say(GB_CLI_IO,
                          "%s cannot be loaded: a process that tried it ended by signal %d (%s); the file is "
                          "damaged, or its code fails when it is loaded",
                          path, WTERMSIG(status), strsignal(WTERMSIG(status)));
    return gb_cli_say(
        GB_CLI_IO,
        "%s cannot be loaded: a process that tried it ended with status %d; the file is damaged, "
        "or its code ends the process when it is loaded",
        path, WEXITSTATUS(status));
}
