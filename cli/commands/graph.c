/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe graph`: the ELBO of a model as a graph, with the values of its terms. */
#include <stdlib.h>

#include "cli/fitting/saved.h"
#include "cli/graph/fold.h"
#include "cli/kinds/list.h"
#include "cli/shell/values.h"
#include "models/checkpoint.h"

enum { FORMAT = GB_CLI_M_END, LOAD, OUT };

/* Values of the variables are those of a saved fit, or of the start. */
static bool load(gb_tape *t, const char *path)
{
    const gb_checkpoint file = {.size = sizeof file, .tape = t, .path = path, .subset = true};
    return !path || gb_checkpoint_load(&file) == GB_OK;
}

static bool evaluate(gb_tape *t, gb_analysis *a, const gb_table *table)
{
    gb_elbo *const e = gb_analysis_elbo(a);
    gb_program *const look = e ? gb_compile(t, gb_elbo_roots(e), gb_no_update) : NULL;
    gb_batches *const data = gb_analysis_data(a) ? gb_analysis_rows(a, table) : NULL;
    if (data)
        gb_next_batch(data);
    return look && gb_run(look) == GB_OK;
}

static gb_cli_code make(const gb_cli *cli, const gb_cli_asked *asked, size_t format, gb_tape *t, FILE *file)
{
    static void (*const write[])(const gb_cli_graph *, FILE *) = {gb_cli_graph_text, gb_cli_graph_dot,
                                                                  gb_cli_graph_svg};
    gb_table *const table = gb_cli_table_read(t, cli);
    gb_analysis *const a = gb_cli_asked_record(asked, cli, t, table, 0);
    const bool good = a && (!cli->value[LOAD] || gb_cli_saved_note(t, asked) == GB_OK) &&
                      load(t, cli->value[LOAD]) && evaluate(t, a, table);
    const size_t operations = 3;
    if (good && format == operations)
        gb_tape_dump(t, GB_DUMP_GRAPHVIZ, file);
    gb_cli_graph *const g = good && format < operations ? gb_cli_graph_fold(gb_analysis_elbo(a)) : NULL;
    if (g)
        write[format](g, file);
    free(g);
    gb_table_free(table);
    return good ? GB_CLI_OK : gb_error(t) != GB_OK ? gb_cli_complain(t) : GB_CLI_USAGE;
}

static gb_cli_code run(const gb_cli *cli)
{
    static const char *const formats[] = {"text", "graphviz", "svg", "operations"};
    gb_cli_asked asked;
    gb_cli_page page;
    size_t format = 0;
    if (!gb_cli_asked_read(&asked, cli, cli->word[0]) || !gb_cli_choice(cli, FORMAT, 4, formats, &format))
        return GB_CLI_USAGE;
    const gb_cli_code fits = cli->value[LOAD] ? gb_cli_saved_fits(cli->value[LOAD], &asked) : GB_CLI_OK;
    if (fits != GB_CLI_OK)
        return fits;
    FILE *const out = cli->value[OUT] ? gb_cli_files_open(cli->files, cli->value[OUT]) : stdout;
    gb_tape *const t = gb_cli_asked_tape(&asked, cli);
    if (!out || !t || !gb_cli_page_begin(&page, out))
        return gb_tape_free(t), GB_CLI_IO;
    gb_cli_code code = make(cli, &asked, format, t, page.file);
    gb_cli_page_end(&page);
    gb_tape_free(t);
    if (code == GB_CLI_OK && !gb_cli_files_keep(cli->files))
        code = GB_CLI_IO;
    return code;
}

const gb_cli_command gb_cli_graph_command = {
    .name = "graph",
    .words = "MODEL|./FILE.so... --data FILE (--target COLUMN | --formula 'y ~ a*b') [OPTIONS]",
    .summary = "print the ELBO of a model as a graph, with its values",
    .help =
        "  grebe graph linear --data kidiq.csv --formula 'kid_score ~ mom_iq'\n"
        "  grebe graph network --data curve --target y --hidden 50,50 --format svg --out net.svg\n"
        "  grebe graph linear --data kidiq.csv --target kid_score --load kids.grebe\n"
        "  grebe graph linear --data curve --target y --format operations | dot -Tsvg > all.svg\n"
        "\n"
        "What has a name is shown: inputs, latents, layers with their weights, the terms of the bound with\n"
        "their values. `operations` has every single one, for Graphviz.\n" GB_CLI_FILE_WORDS,
    .least = 1,
    .most = 1,
    .loads = true,
    .options = {GB_CLI_MODEL_OPTIONS,
                [FORMAT] = {"format", "text|graphviz|svg|operations", "how it is written (text)"},
                [LOAD] = {"load", "FILE", "values of this fit (else those before a fit)", GB_CLI_READS},
                [OUT] = {"out", "FILE", "where (standard output)", GB_CLI_WRITES}},
    .run = run,
};
