/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results/gnuplot.h"

#include <string.h>
#include <unistd.h>

/* A picture ends with its last tag, or its last chunk. Where it does not, the disk was full: gnuplot ends
 * without an error then. */
static bool is_whole(const char *end, size_t bytes)
{
    static const char *const last[] = {"</svg>", "IEND"};
    for (size_t i = 0; i < bytes; i++)
        for (size_t k = 0; k < sizeof last / sizeof *last; k++)
            if (bytes - i >= strlen(last[k]) && memcmp(end + i, last[k], strlen(last[k])) == 0)
                return true;
    return false;
}

/* Errors of `to` are found when it is closed. */
static bool copy(FILE *from, FILE *to)
{
    enum { END = 16 };
    char block[END + 4096];
    size_t kept = 0, read;
    rewind(from);
    while ((read = fread(block + kept, 1, sizeof block - kept, from)) > 0) {
        fwrite(block + kept, 1, read, to);
        const size_t all = kept + read;
        kept = all < END ? all : END;
        memmove(block, block + all - kept, kept);
    }
    return !ferror(from) && is_whole(block, kept);
}

bool gb_cli_gnuplot_run(gb_cli_files *files, FILE *script, FILE *picture)
{
    char program[] = "gnuplot", settings[] = "-d"; /* without the user's own settings */
    char *const argument[] = {program, settings, NULL};
    FILE *const drawn = tmpfile();
    const bool good = drawn && !ferror(script) && fflush(script) == 0 &&
                      lseek(fileno(script), 0, SEEK_SET) == 0 &&
                      gb_cli_child_run(files, argument, fileno(script), fileno(drawn)) == GB_CLI_CHILD_DONE &&
                      copy(drawn, picture);
    if (drawn)
        fclose(drawn);
    return good;
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
