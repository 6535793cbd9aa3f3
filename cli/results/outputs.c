/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results/outputs.h"

#include <errno.h>
#include <string.h>

#include "cli/results/gnuplot.h"

/* Without gnuplot, all results but the picture are written. It is said before the work. */
static bool draws(const gb_cli *cli, const char *path)
{
    char version[128];
    return gb_cli_gnuplot_version(cli->files, version, sizeof version) ||
           gb_cli_reject("there is no gnuplot here, so %s will not be drawn; all else will be done", path);
}

bool gb_cli_outputs_open(gb_cli_outputs *out, const gb_cli *cli, const gb_cli_results *results)
{
    const bool writes = !cli->team || cli->team->rank == 0;
    *out = (gb_cli_outputs){.cli = cli, .results = results};
    for (size_t i = 0; i < GB_CLI_OPTIONS && writes; i++) {
        const gb_cli_use use = cli->command->options[i].use;
        const char *const path = use == GB_CLI_WRITES || use == GB_CLI_PICTURE ? cli->value[i] : NULL;
        const bool is_drawn = path && (use == GB_CLI_WRITES || results->file[i] || draws(cli, path));
        if (is_drawn && !(out->file[i] = gb_cli_files_open(cli->files, path)))
            return false;
    }
    return true;
}

bool gb_cli_outputs_quiet(const gb_cli_outputs *out)
{
    bool quiet = false;
    for (size_t i = 0; i < GB_CLI_OPTIONS; i++)
        quiet |= out->file[i] == stdout && out->cli->command->options[i].use == GB_CLI_WRITES;
    return quiet;
}

static bool draw(const gb_cli_outputs *out, size_t option, const void *of)
{
    const char *const path = out->cli->value[option];
    FILE *const script = tmpfile();
    if (!script)
        return gb_cli_reject("cannot make a temporary file: %s", strerror(errno));
    out->results->script(of, strcmp(path + strlen(path) - 4, ".png") == 0, script);
    const bool is_drawn = gb_cli_gnuplot_run(out->cli->files, script, out->file[option]);
    fclose(script);
    return is_drawn || gb_cli_reject("gnuplot could not draw %s; no file is written", path);
}

gb_cli_code gb_cli_outputs_write(const gb_cli_outputs *out, const void *of)
{
    const gb_cli_results *const r = out->results;
    gb_cli_page page;
    bool good = true;
    if (!gb_cli_outputs_quiet(out) && gb_cli_page_begin(&page, stdout)) {
        r->print(of, page.file);
        gb_cli_page_end(&page);
    }
    for (size_t i = 0; i < GB_CLI_OPTIONS; i++)
        if (out->file[i] && r->file[i])
            r->file[i](of, out->file[i]);
        else if (out->file[i] && out->cli->command->options[i].use == GB_CLI_PICTURE)
            good = draw(out, i, of) && good;
    if (!good)
        gb_cli_files_discard(out->cli->files);
    return good && gb_cli_files_keep(out->cli->files) ? GB_CLI_OK : GB_CLI_IO;
}
