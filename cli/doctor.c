/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe doctor`: what this machine makes of grebe, and what would help. */
#include <stdio.h>
#include <unistd.h>

#include "cli/picture.h"
#include "cli/say.h"
#include "core/version.h"
#include "ops/blas.h"

static void line(const char *what, bool good, const char *value)
{
    printf("%-12s %s%s%s\n", what, good ? "" : gb_cli_styled(stdout, GB_CLI_BAD), value,
           good ? "" : gb_cli_styled(stdout, GB_CLI_PLAIN));
}

static void tell_blas(void)
{
    gb_blas_facts facts;
    const bool there = gb_blas_look(&facts);
    line("OpenBLAS", there, there ? facts.library : "none: matrix products are slow");
    if (there)
        line("  kernels", !facts.fallback, facts.kernels);
    if (*facts.advice)
        printf("  %s\n", facts.advice);
}

static gb_cli_code run(const gb_cli *cli)
{
    char text[64];
    (void)cli;
    line("grebe", true, gb_version());
    line("kernels", true, gb_kernels());
    snprintf(text, sizeof text, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    line("processors", true, text);
    tell_blas();
    const bool draws = gb_cli_has_gnuplot();
    line("gnuplot", draws, draws ? "there" : "none: --plot makes no pictures");
    return GB_CLI_OK;
}

const gb_cli_command gb_cli_doctor_command = {
    .name = "doctor",
    .words = "",
    .summary = "which kernels and helpers are in use here, and what would help",
    .run = run,
};
