/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe predict`: predictions of rows by a fit that was saved. */
#include "prediction/predict.h"
#include "cli/fitting/saved.h"
#include "cli/kinds/list.h"
#include "cli/results/outputs.h"
#include "cli/shell/values.h"

enum { LOAD = GB_CLI_M_TABLE_END, DRAWS, SEED, PLOT, JSON, OUT };

/* A prediction, and the fit that predicts. */
typedef struct predicted {
    const gb_cli *cli;
    const gb_cli_saved *saved;
    const gb_prediction *p;
} predicted;

static void print(const void *of, FILE *file)
{
    const predicted *const it = of;
    const char *const verdict = it->saved->verdict;
    fprintf(file, "%s of %s%s%s\n\n", it->saved->asked.model_text, it->cli->value[LOAD],
            *verdict ? "; the verdict on its fit: " : "", verdict);
    gb_prediction_print(it->p, file);
}

static void write_json(const void *of, FILE *file)
{
    gb_prediction_json(((const predicted *)of)->p, file);
}

static void write_rows(const void *of, FILE *file)
{
    gb_prediction_csv(((const predicted *)of)->p, file);
}

/* Whether the outcomes agree with what was predicted: a picture of the library's own. */
static void draw(const void *of, FILE *file)
{
    const gb_reliability r = gb_prediction_reliability(((const predicted *)of)->p, 0);
    gb_reliability_svg(&r, file);
}

static const gb_cli_results results = {.print = print,
                                       .file = {[PLOT] = draw, [JSON] = write_json, [OUT] = write_rows}};

static gb_cli_code write_all(const predicted *it, const gb_cli_outputs *out)
{
    if (out->file[PLOT] && gb_prediction_reliability(it->p, 0).score.status != GB_OK)
        return gb_cli_say(GB_CLI_DATA, "--plot shows calibration, and there are no outcomes");
    return gb_cli_outputs_write(out, it);
}

static gb_prediction *predict(gb_tape *t, const gb_cli *cli, const gb_cli_saved *saved, gb_table *table,
                              int64_t draws, uint64_t seed)
{
    gb_analysis *const a = gb_analysis_load(
        t, saved->asked.model, cli->value[LOAD], .posterior = saved->asked.posterior,
        .samples = (int64_t)saved->asked.samples, .drop_missing = cli->value[GB_CLI_M_DROP_MISSING] != NULL);
    gb_batches *const rows = gb_analysis_rows(a, table);
    return rows ? gb_predictive(gb_analysis_elbo(a), gb_analysis_outcome(a), .data = rows, .draws = draws,
                                .seed = seed)
                : NULL;
}

static gb_cli_code make(gb_tape *t, const gb_cli *cli, int64_t draws, uint64_t seed,
                        const gb_cli_outputs *out)
{
    gb_cli_saved saved;
    const gb_cli_code read = gb_cli_saved_read(&saved, t, cli->value[LOAD]);
    if (read != GB_CLI_OK)
        return read;
    if (saved.asked.model.type->is_whole)
        return gb_cli_say(GB_CLI_USAGE,
                          "%s is of %s, whose rows depend on each other: it predicts in the fit alone. "
                          "Append rows without outcome to the data, and use grebe fit --out",
                          cli->value[LOAD], saved.asked.model_text);
    gb_table *const table = gb_cli_table_read(t, cli);
    gb_prediction *const p = table ? predict(t, cli, &saved, table, draws, seed) : NULL;
    gb_cli_code code = gb_cli_complain(t);
    if (code == GB_CLI_OK)
        code = p ? write_all(&(predicted){cli, &saved, p}, out) : GB_CLI_IO;
    gb_prediction_free(p);
    gb_table_free(table);
    return code;
}

static gb_cli_code run(const gb_cli *cli)
{
    static const size_t required[] = {LOAD, GB_CLI_M_DATA};
    uint64_t draws = 0, seed = 0;
    gb_cli_outputs out;
    for (size_t i = 0; i < 2; i++)
        if (!cli->value[required[i]])
            return gb_cli_say(GB_CLI_USAGE, "predict: --%s FILE is required",
                              cli->command->options[required[i]].name);
    if (!gb_cli_whole(cli, DRAWS, 2, 10000000, &draws) || !gb_cli_whole(cli, SEED, 0, UINT64_MAX, &seed))
        return GB_CLI_USAGE;
    gb_tape *const t = gb_tape_new();
    if (!t || !gb_cli_outputs_open(&out, cli, &results))
        return gb_tape_free(t), GB_CLI_IO;
    const gb_cli_code code = make(t, cli, (int64_t)draws, seed, &out);
    gb_tape_free(t);
    return code;
}

const gb_cli_command gb_cli_predict_command = {
    .name = "predict",
    .words = "--load FILE --data FILE [OPTIONS]",
    .summary = "predict rows by a fit that was saved, and score them",
    .help = "  grebe fit linear --data kidiq.csv --formula 'kid_score ~ mom_iq' --save kids.grebe\n"
            "  grebe predict --load kids.grebe --data others.csv --out predicted.csv\n"
            "\n"
            "The rows have the columns of the training, and may lack the outcome; where it is there, it is\n"
            "scored. Levels, means and deviations are those of the training. For each row: the mean, the\n"
            "total standard deviation, its parts (epistemic: what the data left open; noise), quantiles.\n"
            "The picture shows calibration, of rows with outcomes.\n"
            "A FILE may be -, for standard output, which then holds nothing else.\n" GB_CLI_FILE_WORDS,
    .loads = true,
    .options = {GB_CLI_TABLE_OPTIONS,
                [LOAD] = {"load", "FILE", "what `grebe fit --save` wrote; required", GB_CLI_READS},
                [DRAWS] = {"draws", "S", "draws of q (1000)"}, [SEED] = {"seed", "N", "of the draws (0)"},
                [PLOT] = {"plot", "FILE.svg", "calibration: what was predicted, and how often it came",
                          GB_CLI_PICTURE},
                [JSON] = {"json", "FILE", "all numbers (schema grebe-prediction-1)", GB_CLI_WRITES},
                [OUT] = {"out", "FILE.csv", "a line for each row", GB_CLI_WRITES}},
    .run = run,
};
