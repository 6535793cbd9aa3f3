/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ground/clock_impl.h"

/* ---- data and model ---- */

static bool hold_out(gb_cli_fitted *f)
{
    f->train = f->table;
    if (!f->table || !(f->fit->validate > 0))
        return f->table;
    gb_split *const s = gb_split_new(f->tape, gb_table_rows(f->table), .test = f->fit->validate);
    f->train = s ? gb_table_take(f->table, s->train) : NULL;
    f->held = s ? gb_table_take(f->table, s->test) : NULL;
    gb_split_free(s);
    return f->train && f->held;
}

static bool record(gb_cli_fitted *f)
{
    const gb_cli_asked *const asked = &f->fit->asked;
    f->table = gb_cli_table_read(f->tape, f->cli);
    if (!hold_out(f) || gb_cli_saved_note(f->tape, asked) != GB_OK)
        return false;
    f->analysis = gb_cli_asked_record(asked, f->cli, f->tape, f->train, (int64_t)f->fit->batch);
    f->elbo = gb_analysis_elbo(f->analysis);
    return f->elbo;
}

/* ---- the fit ---- */

static bool sampling_goes_on(void *user, const gb_nuts_progress *progress)
{
    (void)progress;
    return ((const gb_cli_files *)user)->interrupted == 0;
}

static void by_nuts(gb_cli_fitted *f)
{
    f->nuts = gb_sample_nuts(f->elbo, .data = gb_analysis_data(f->analysis), .each = sampling_goes_on,
                             .user = f->cli->files);
    f->words = f->nuts ? f->nuts->words : "";
    f->stopped_by = f->nuts && f->nuts->is_stopped ? "interrupt" : "draws";
}

static const char *const endings[] = {
    [GB_FIT_STEPS] = "steps",      [GB_FIT_PLATEAU] = "plateau",     [GB_FIT_CALLBACK] = "interrupt",
    [GB_FIT_ERROR] = "error",      [GB_FIT_CONVERGED] = "converged", [GB_FIT_UNFINISHED] = "not converged",
    [GB_FIT_PATIENCE] = "patience"};

/* A training saves by itself, so that it can be continued; without --checkpoint-every at its end. */
static void by_gradients(gb_cli_fitted *f)
{
    const gb_cli_fit *const fit = f->fit;
    const bool trains = fit->optimiser.type, saves = trains && fit->file;
    FILE *const progress = isatty(STDERR_FILENO) ? stderr : NULL;
    f->result = gb_fit(f->elbo, .optimiser = fit->optimiser, .data = gb_analysis_data(f->analysis),
                       .method = fit->method, .steps = (int64_t)fit->steps, .epochs = (int64_t)fit->epochs,
                       .plateau = trains && !fit->steps && !fit->epochs, .progress = progress,
                       .checkpoint = saves ? fit->file : NULL,
                       .checkpoint_every = saves ? fit->every ? (int64_t)fit->every : INT64_MAX : 0,
                       .resume = fit->resumes, .stop = &f->cli->files->interrupted);
    f->judgement = f->result.judgement;
    f->words = f->result.words;
    f->stopped_by = endings[f->result.end];
}

/* A training has no verdict of its own. That of 500 numbers takes some seconds; of very many weights it would
 * cost far more than the training, and say that q is no posterior. */
static void judge(gb_cli_fitted *f)
{
    enum { MOST = 1000 };
    if (f->nuts || f->judgement || !f->fit->optimiser.type)
        return;
    gb_density *const d = gb_density_new(f->elbo, .data = gb_analysis_data(f->analysis));
    const size_t count = gb_density_count(d);
    f->own_judgement = count > 0 && count <= MOST ? gb_judge(f->elbo, .density = d) : NULL;
    f->judgement = f->own_judgement;
    if (f->judgement)
        f->words = f->judgement->words;
    else if (gb_error(f->tape) != GB_OK)
        snprintf(f->first_words, sizeof f->first_words, "not judged: %s", gb_error_text(f->tape));
    else
        snprintf(f->first_words, sizeof f->first_words,
                 "not judged: there are %zu numbers, and a training is judged up to %d; see the scores",
                 count, MOST);
    if (!f->judgement)
        f->words = f->first_words;
    gb_forgive(f->tape);
}

/* ---- what came of it ---- */

static size_t elements_of(gb_node_list nodes)
{
    size_t count = 0;
    for (size_t i = 0; i < nodes.count; i++)
        count += (size_t)gb_shape_count(gb_node_shape(nodes.node[i]));
    return count;
}

/* The rows of one node. */
static void add_rows(gb_cli_fitted *f, gb_node node)
{
    gb_prediction *const p = gb_predictive_node(f->elbo, node, .judgement = f->judgement);
    for (size_t i = 0; p && i < p->elements; i++) {
        char *const name = f->row_name[f->by_nodes.rows];
        const double *const q = p->quantile ? p->quantile + i * p->quantiles : NULL;
        snprintf(name, GB_CLI_ROW_NAME, p->elements > 1 ? "%s[%zu]" : "%s", p->name, i);
        f->row[f->by_nodes.rows++] = (gb_summary_row){.name = name,
                                                      .mean = p->mean[i],
                                                      .error = (double)NAN,
                                                      .sd = p->epistemic ? p->epistemic[i] : (double)NAN,
                                                      .q05 = q ? q[0] : (double)NAN,
                                                      .q50 = q ? q[1] : (double)NAN,
                                                      .q95 = q ? q[2] : (double)NAN,
                                                      .ess = (double)p->draws,
                                                      .k = (double)NAN,
                                                      .rhat = (double)NAN,
                                                      .source = p->source,
                                                      .words = ""};
    }
    gb_prediction_free(p);
}

/* A q without a density, or that nothing judges, has no weights: draws of q say what it shows. */
static void summarise_nodes(gb_cli_fitted *f)
{
    const gb_node_list nodes = gb_analysis_nodes(f->analysis);
    const size_t count = elements_of(nodes) + 1;
    f->row = calloc(count, sizeof *f->row);
    f->row_name = calloc(count, sizeof *f->row_name);
    f->by_nodes = (gb_summary_table){.words = "", .row = f->row};
    for (size_t i = 0; f->row && f->row_name && i < nodes.count; i++)
        add_rows(f, nodes.node[i]);
}

static void summarise(gb_cli_fitted *f)
{
    if (f->judgement || f->nuts)
        f->summary = gb_summary(f->elbo, .judgement = f->judgement, .nuts = f->nuts,
                                .nodes = gb_analysis_nodes(f->analysis), .only_nodes = true);
    else
        summarise_nodes(f);
}

const gb_summary_table *gb_cli_fitted_summary(const gb_cli_fitted *f)
{
    return f->summary ? f->summary : &f->by_nodes;
}

/* Evaluates the terms over all rows at once, with as many draws as memory bears. */
static void look(gb_cli_fitted *f)
{
    const double most = 2e5, rows = (double)gb_table_rows(f->train);
    const int64_t samples = (int64_t)fmin(fmax(most / rows, 2), 1000);
    const bool is_rows = gb_analysis_data(f->analysis) != NULL;
    if (f->nuts) /* its q has not been fitted */
        return;
    f->look = gb_compile(f->tape, gb_elbo_roots(f->elbo), gb_no_update);
    if (strncmp(f->fit->asked.posterior_text, "ensemble", 8) != 0)
        gb_program_set_samples(f->look, samples);
    gb_batches *const all = is_rows ? gb_analysis_rows(f->analysis, f->train) : NULL;
    if (all)
        gb_next_batch(all);
    gb_run(f->look);
}

/* Of a team each member would have the rows of its own only. */
static void predict(gb_cli_fitted *f)
{
    const char *const outcome = gb_analysis_outcome(f->analysis);
    const gb_model_type *const type = f->fit->asked.model.type;
    const bool is_rows = !type->is_whole || type->has_new_rows;
    if (f->cli->team)
        return;
    gb_batches *const data = is_rows ? gb_analysis_rows(f->analysis, f->held ? f->held : f->train) : NULL;
    f->prediction = gb_predictive(f->elbo, outcome, .data = data, .judgement = f->judgement, .nuts = f->nuts);
    f->scores = gb_prediction_scores(f->prediction);
}

/* What was interrupted before its end is saved as it is, and says so. */
static gb_cli_code save(gb_cli_fitted *f)
{
    if (!f->fit->file || f->fit->optimiser.type)
        return GB_CLI_OK;
    gb_cli_saved_note_verdict(f->tape, f->judgement ? gb_verdict_text(f->judgement->verdict)
                                                    : "none, it was interrupted before its end");
    gb_analysis_save(f->analysis, f->fit->file);
    return gb_cli_complain(f->tape);
}

static gb_cli_code say_interrupted(const gb_cli_fitted *f, bool is_fitted)
{
    const char *const file = f->fit->file;
    if (!file)
        gb_cli_reject("interrupted; nothing is saved without --save FILE");
    else if (is_fitted)
        gb_cli_reject("interrupted after the fit; %s has it", file);
    else if (f->fit->optimiser.type)
        gb_cli_reject("interrupted after %llu steps; %s has the fit as it is, and --resume goes on",
                      (unsigned long long)(f->result.before + f->result.steps), file);
    else
        gb_cli_reject("interrupted before the end of the fit; %s has q as it was then, and says so", file);
    return GB_CLI_INTERRUPTED;
}

static gb_cli_code fit_and_save(gb_cli_fitted *f)
{
    const volatile int *const interrupted = &f->cli->files->interrupted;
    (f->fit->by_nuts ? by_nuts : by_gradients)(f);
    if (*interrupted && gb_error(f->tape) == GB_ESTOPPED) /* before there was anything */
        return say_interrupted(f, false);
    gb_cli_code code = gb_cli_complain(f->tape);
    if (code == GB_CLI_OK)
        code = save(f);
    return code == GB_CLI_OK && *interrupted ? say_interrupted(f, f->judgement) : code;
}

/* An interrupt ends it after the part that it meets. */
static gb_cli_code show(gb_cli_fitted *f)
{
    static void (*const part[])(gb_cli_fitted *) = {judge, summarise, predict, look};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        part[i](f);
        if (f->cli->files->interrupted)
            return say_interrupted(f, true);
    }
    return gb_cli_complain(f->tape);
}

gb_cli_code gb_cli_fit_run(gb_cli_fitted *f, const gb_cli_fit *fit, const gb_cli *cli)
{
    const double began = gb_seconds();
    *f = (gb_cli_fitted){.cli = cli, .fit = fit, .words = "", .stopped_by = ""};
    gb_cli_code code = fit->resumes ? gb_cli_saved_fits(fit->file, &fit->asked) : GB_CLI_OK;
    if (code != GB_CLI_OK || !(f->tape = gb_cli_asked_tape(&fit->asked, cli)))
        return code != GB_CLI_OK ? code : GB_CLI_IO;
    if (!record(f))
        return gb_error(f->tape) != GB_OK ? gb_cli_complain(f->tape) : GB_CLI_USAGE;
    gb_cli_files_wait(cli->files, true);
    if ((code = fit_and_save(f)) == GB_CLI_OK)
        code = show(f);
    gb_cli_files_wait(cli->files, false);
    f->seconds = gb_seconds() - began;
    return code;
}

void gb_cli_fitted_end(gb_cli_fitted *f)
{
    free(f->row);
    free(f->row_name);
    gb_summary_free(f->summary);
    gb_prediction_free(f->prediction);
    gb_judgement_free(f->own_judgement);
    gb_nuts_free(f->nuts);
    if (f->train != f->table)
        gb_table_free(f->train);
    gb_table_free(f->held);
    gb_table_free(f->table);
    if (f->tape)
        gb_tape_free(f->tape);
}
