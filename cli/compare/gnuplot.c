/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/gnuplot.h"

#include <string.h>
#include <unistd.h>

bool gb_cli_gnuplot_run(gb_cli_files *files, FILE *script, FILE *picture)
{
    char program[] = "gnuplot", settings[] = "-d"; /* without the user's own settings */
    char *const argument[] = {program, settings, NULL};
    return !ferror(script) && fflush(script) == 0 && lseek(fileno(script), 0, SEEK_SET) == 0 &&
           gb_cli_child_run(files, argument, fileno(script), fileno(picture)) == GB_CLI_CHILD_DONE;
}

bool gb_cli_gnuplot_version(gb_cli_files *files, char *text, size_t bytes)
{
    char program[] = "gnuplot", option[] = "--version";
    char *const argument[] = {program, option, NULL};
    FILE *const said = tmpfile();
    const bool is_there = said && gb_cli_child_run(files, argument, -1, fileno(said)) == GB_CLI_CHILD_DONE;
    if (said)
        rewind(said);
    const bool good = is_there && fgets(text, (int)bytes, said);
    if (said)
        fclose(said);
    if (good)
        text[strcspn(text, "\n")] = '\0';
    return good;
}
