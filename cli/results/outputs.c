/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results/outputs.h"

#include <errno.h>
#include <string.h>

#include "cli/results/gnuplot.h"

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0;
}

static bool plot_fits(const char *path)
{
    return !path || ends_with(path, ".svg") || ends_with(path, ".png") ||
           gb_cli_reject("--plot is \"%s\", and must end in .svg or .png", path);
}

/* Each output needs a file of its own; standard output counts as one. None may be the input. */
bool gb_cli_outputs_fit(const gb_cli *cli, const gb_cli_outputs_options *o)
{
    const gb_cli_option *const option = cli->command->options;
    for (size_t i = o->first; i <= o->last; i++) {
        for (size_t k = 0; k < o->inputs; k++) {
            const char *const input = cli->value[o->input[k]];
            if (cli->value[i] && input && gb_cli_files_same(input, cli->value[i]))
                return gb_cli_reject("--%s would replace %s, which --%s reads", option[i].name, cli->value[i],
                                     option[o->input[k]].name);
        }
        for (size_t j = o->first; j < i; j++)
            if (cli->value[i] && cli->value[j] && strcmp(cli->value[i], cli->value[j]) == 0)
                return gb_cli_reject("--%s and --%s both write to %s; each needs a file of its own",
                                     option[j].name, option[i].name, cli->value[i]);
    }
    return plot_fits(cli->value[o->plot]);
}

/* Without gnuplot, all results but the picture are written. It is said before the work. */
static bool draws(const gb_cli *cli, const char *path)
{
    char version[128];
    return gb_cli_gnuplot_version(cli->files, version, sizeof version) ||
           gb_cli_reject("there is no gnuplot here, so %s will not be drawn; all else will be done", path);
}

bool gb_cli_outputs_open(gb_cli_outputs *out, const gb_cli *cli, const gb_cli_outputs_options *o,
                         bool by_gnuplot)
{
    const char *const plot = cli->value[o->plot];
    *out = (gb_cli_outputs){.cli = cli, .plot = o->plot, .png = plot && ends_with(plot, ".png")};
    const bool is_drawn = plot && (!by_gnuplot || draws(cli, plot));
    for (size_t i = o->first; i <= o->last; i++)
        if (cli->value[i] && (i != o->plot || is_drawn) &&
            !(out->file[i] = gb_cli_files_open(cli->files, cli->value[i])))
            return false;
    return true;
}

bool gb_cli_outputs_quiet(const gb_cli_outputs *out)
{
    bool quiet = false;
    for (size_t i = 0; i < GB_CLI_OPTIONS; i++)
        quiet |= i != out->plot && out->file[i] == stdout;
    return quiet;
}

bool gb_cli_outputs_draw(const gb_cli_outputs *out, void (*write)(const void *of, bool png, FILE *script),
                         const void *of)
{
    FILE *const picture = out->file[out->plot], *const script = picture ? tmpfile() : NULL;
    if (!picture)
        return true;
    if (!script)
        return gb_cli_reject("cannot make a temporary file: %s", strerror(errno));
    write(of, out->png, script);
    const bool is_drawn = gb_cli_gnuplot_run(out->cli->files, script, picture);
    fclose(script);
    return is_drawn ||
           gb_cli_reject("gnuplot could not draw %s; no file is written", out->cli->value[out->plot]);
}
