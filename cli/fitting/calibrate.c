/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fitting/prior.h"
#include "cli/shell/progress.h"
#include "fitting/calibration.h"
#include "fitting/fit.h"
#include "prediction/predict.h"

/* The simulations: draws of the latents from the prior, and outcomes by each of them. */
typedef struct simulated {
    const gb_cli *cli;
    const gb_cli_asked *asked;
    size_t count, parameters, rows;
    double *latents, *outcomes; /* [count][parameters], [count][rows] */
    gb_table *table;            /* of --data, on a tape that outlives the simulations */
    const char *const *levels;  /* of an outcome of texts; NULL: numbers */
    char outcome[256];
    gb_cli_progress progress;
} simulated;

enum { CHAINS = 4, THIN = 10 };

/* Takes every THIN-th draw: neighbours in a chain are not independent. */
static void keep_latents(simulated *s, const gb_nuts *n, const gb_prediction *p)
{
    for (size_t i = 0; i < s->count; i++) {
        const size_t draw = (i % CHAINS) * n->draws + (i / CHAINS) * THIN;
        memcpy(s->latents + i * s->parameters, n->value + draw * n->values,
               s->parameters * sizeof *s->latents);
        memcpy(s->outcomes + i * s->rows, p->draw + draw * s->rows, s->rows * sizeof *s->outcomes);
    }
}

static bool take_draws(simulated *s, const gb_cli_prior *prior)
{
    const gb_nuts *const n = prior->nuts;
    gb_analysis *const a = prior->analysis;
    gb_prediction *const p =
        gb_predictive(gb_analysis_elbo(a), gb_analysis_outcome(a), .data = gb_analysis_rows(a, prior->blank),
                      .nuts = n, .draws = (int64_t)(n->chains * n->draws), .keep_draws = true);
    s->parameters = n->values;
    s->rows = p ? p->rows : 0;
    s->latents = calloc(s->count, (s->parameters + 1) * sizeof *s->latents);
    s->outcomes = calloc(s->count, (s->rows + 1) * sizeof *s->outcomes);
    const bool good =
        p && s->latents && s->outcomes && p->elements == 1 && s->rows == (size_t)gb_table_rows(s->table);
    if (good)
        keep_latents(s, n, p);
    gb_prediction_free(p);
    return good;
}

static bool add_outcome(gb_table *to, const simulated *s, const double *y)
{
    const char **const text = s->levels ? calloc(s->rows, sizeof *text) : NULL;
    for (size_t i = 0; text && i < s->rows; i++)
        text[i] = s->levels[(size_t)y[i]];
    const bool good =
        s->levels ? text && gb_table_add_texts(to, s->outcome, text) == GB_OK
                  : gb_table_add(to, s->outcome, gb_numbers_of(GB_NUMBER_DOUBLE, y, s->rows)) == GB_OK;
    free(text);
    return good;
}

/* The model is recorded for the real rows, so that its priors are theirs, and fitted to simulated ones. */
static gb_elbo *make(void *user, gb_tape *tape, size_t number, double *truth)
{
    simulated *const s = user;
    gb_table *const real = gb_cli_table_read(tape, s->cli),
                    *const counted = real ? gb_cli_weighted(real, 1, NULL) : NULL,
                    *const other = real ? gb_cli_weighted(real, 1, s->outcome) : NULL;
    gb_analysis *const a = counted ? gb_cli_asked_record_weighted(s->asked, s->cli, tape, counted) : NULL;
    gb_elbo *e = NULL;
    if (a && other && add_outcome(other, s, s->outcomes + number * s->rows)) {
        gb_fit(gb_analysis_elbo(a), .data = gb_analysis_rows(a, other), .unjudged = true,
               .method = gb_cli_asked_method(s->asked));
        memcpy(truth, s->latents + number * s->parameters, s->parameters * sizeof *truth);
        e = gb_error(tape) == GB_OK ? gb_analysis_elbo(a) : NULL;
    }
    gb_table_free(other);
    gb_table_free(counted);
    gb_table_free(real);
    gb_cli_progress_show(&s->progress, (double)(number + 1) / (double)s->count);
    return e;
}

static bool names_outcome(simulated *s, const gb_analysis *a)
{
    size_t levels = 0;
    snprintf(s->outcome, sizeof s->outcome, "%s", gb_analysis_outcome(a));
    const gb_table_column *const c = gb_table_find(s->table, s->outcome);
    s->levels = c && !c->number ? gb_design_outcome_levels(gb_analysis_design(a), &levels) : NULL;
    return (c && gb_analysis_data(a)) ||
           gb_cli_reject(
               "check model: simulated outcomes take the place of a column, of a model of rows; this "
               "is %s of %s",
               s->outcome, s->asked->model_text);
}

static gb_cli_code prepare(simulated *s, gb_tape *t, gb_cli_prior *prior)
{
    const int64_t each = (int64_t)((s->count + CHAINS - 1) / CHAINS * THIN);
    s->table = gb_cli_table_read(t, s->cli);
    const bool drawn = s->table && gb_cli_prior_draw(prior, s->asked, s->cli, s->table, each);
    if (!prior->analysis || gb_error(t) != GB_OK)
        return gb_error(t) != GB_OK ? gb_cli_complain(t) : GB_CLI_USAGE;
    if (!names_outcome(s, prior->analysis))
        return GB_CLI_USAGE;
    if (!drawn || !take_draws(s, prior))
        return gb_error(t) != GB_OK
                   ? gb_cli_complain(t)
                   : gb_cli_say(GB_CLI_USAGE, "check model: rows with missing cells are not simulated");
    return GB_CLI_OK;
}

/* Reasons to doubt, at 1 % for all numbers together. */
static size_t print_faults(const gb_calibration *c)
{
    size_t faults = 0;
    for (size_t i = 0; i < c->parameters; i++) {
        const gb_calibrated *const p = &c->parameter[i];
        const double level = 0.01 / (double)c->parameters;
        if (p->p >= level && p->asymmetry_p >= level)
            continue;
        faults++;
        gb_cli_print(stdout, "%s: q is %s\n", p->name,
                     p->asymmetry_p < level ? p->mean > 0.5 ? "too low" : "too high"
                     : p->dispersion > 1    ? "too narrow"
                                            : "too wide");
    }
    printf("%s%s%s\n", gb_cli_styled(stdout, faults ? GB_CLI_BAD : GB_CLI_GOOD),
           faults ? "FAILS: ranks are not uniform"
                  : "holds: ranks are uniform, as far as these simulations show",
           gb_cli_styled(stdout, GB_CLI_PLAIN));
    return faults;
}

static gb_cli_code simulate(simulated *s)
{
    gb_cli_page page;
    gb_cli_progress_begin(&s->progress);
    gb_calibration *const c = gb_calibrate(.make = make, .user = s, .parameters = s->parameters,
                                           .simulations = s->count, .seed = s->asked->seed);
    gb_cli_progress_end(&s->progress);
    if (!c)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    gb_cli_code code = gb_cli_code_of(c->status);
    if (code != GB_CLI_OK)
        gb_cli_reject("%s", c->words);
    else if (gb_cli_page_begin(&page, stdout)) {
        gb_calibration_print(c, page.file);
        gb_cli_page_end(&page);
        code = print_faults(c) ? GB_CLI_FAILED : GB_CLI_OK;
    }
    gb_calibration_free(c);
    return code;
}

gb_cli_code gb_cli_calibrate(const gb_cli *cli, const char *model, uint64_t simulations)
{
    gb_cli_asked asked;
    if (!gb_cli_asked_read(&asked, cli, model))
        return GB_CLI_USAGE;
    simulated s = {.cli = cli, .asked = &asked, .count = simulations};
    gb_tape *const t = gb_cli_asked_tape(&asked, cli);
    gb_cli_prior prior = {0};
    gb_cli_code code = t ? prepare(&s, t, &prior) : GB_CLI_IO;
    if (code == GB_CLI_OK)
        code = simulate(&s);
    gb_cli_prior_end(&prior);
    free(s.latents);
    free(s.outcomes);
    gb_table_free(s.table);
    gb_tape_free(t);
    return code;
}
