/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The swap test: every posterior family × prior × estimator × likelihood on one small regression either
 * trains (the evaluated ELBO rises by more than its noise) or is rejected with a message. Prints the table of
 * docs/swaps.md; the exit code is 1 if anything does neither. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grebe.h"

enum { ROWS = 12, COLUMNS = 2, STEPS = 400, LOOKS = 200, MOST_REASONS = 26, WIDTH = 240 };

static const double STARTS_AT = -1.5, STARTS_WIDE = 0.3;

/* ---- what is swapped ---- */

static gb_family point(gb_tape *t)
{
    (void)t;
    return gb_point(gb_shape(COLUMNS), .location = STARTS_AT);
}
static gb_family mean_field(gb_tape *t)
{
    (void)t;
    return gb_mean_field(gb_shape(COLUMNS), .location = STARTS_AT, .scale = STARTS_WIDE);
}
static gb_family low_rank(gb_tape *t)
{
    (void)t;
    return gb_low_rank(gb_shape(COLUMNS), .location = STARTS_AT, .scale = STARTS_WIDE);
}
static gb_family full_rank(gb_tape *t)
{
    (void)t;
    return gb_full_rank(gb_shape(COLUMNS), .location = STARTS_AT, .scale = STARTS_WIDE);
}
static gb_family matching(gb_tape *t)
{
    (void)t;
    return gb_mean_field_matching(gb_shape(COLUMNS), .location = STARTS_AT, .scale = STARTS_WIDE);
}
static gb_family dropout(gb_tape *t)
{
    (void)t;
    return gb_dropout_posterior(gb_shape(COLUMNS), .location = STARTS_AT, .keep = 0.8);
}
static gb_family learned_dropout(gb_tape *t)
{
    (void)t;
    return gb_dropout_posterior(gb_shape(COLUMNS), .location = STARTS_AT, .keep = 0.8, .is_learned = true);
}
static gb_family banded(gb_tape *t)
{
    (void)t;
    return gb_banded(gb_shape(COLUMNS), .location = STARTS_AT, .scale = STARTS_WIDE);
}
static gb_family mixture(gb_tape *t)
{
    (void)t;
    return gb_mixture_posterior(gb_shape(COLUMNS), .location = STARTS_AT, .scale = STARTS_WIDE);
}
static gb_family coupling(gb_tape *t)
{
    (void)t;
    return gb_coupling(gb_shape(COLUMNS), .location = STARTS_AT, .scale = STARTS_WIDE, .layers = 2,
                       .hidden = 2);
}
static gb_family spline(gb_tape *t)
{
    (void)t;
    return gb_spline(gb_shape(COLUMNS), .location = STARTS_AT, .scale = STARTS_WIDE, .layers = 2, .hidden = 2,
                     .bins = 2);
}
static gb_family laplace_of_ones_own(gb_tape *t)
{
    const gb_node loc = gb_variable(t, "loc", gb_shape(COLUMNS), gb_fill(STARTS_AT));
    return gb_posterior_of(
        gb_laplace(loc, gb_exp(gb_variable(t, "log scale", gb_shape(COLUMNS), gb_fill(-1)))));
}

/* KL of flows and of mixtures is sampled, whatever the prior: one prior says it. */
static const struct {
    const char *name;
    gb_family (*make)(gb_tape *t);
    bool by_one_prior;
} families[] = {{"point", point, false},
                {"mean field", mean_field, false},
                {"low rank", low_rank, false},
                {"full rank", full_rank, false},
                {"matching", matching, false},
                {"dropout", dropout, false},
                {"dropout, learned", learned_dropout, false},
                {"banded", banded, true},
                {"mixture", mixture, true},
                {"coupling", coupling, true},
                {"spline", spline, true},
                {"your own: a Laplace", laplace_of_ones_own, false}};
enum { FAMILIES = sizeof families / sizeof *families };

static const char *const priors[] = {"normal", "laplace", "student_t", "scale_mixture", "none"};
enum { PRIORS = sizeof priors / sizeof *priors };

static gb_dist prior_of(gb_tape *t, size_t which)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    switch (which) {
    case 0: return gb_normal(zero, one);
    case 1: return gb_laplace(zero, one);
    case 2: return gb_student_t(gb_num(t, 4), zero, one);
    case 3: return gb_scale_mixture(gb_num(t, 0.5), one, gb_num(t, 0.1));
    default: return gb_no_prior;
    }
}

enum { NORMAL, BERNOULLI, POISSON, LIKELIHOODS };

static gb_dist likelihood_of(gb_tape *t, int which, gb_node eta)
{
    return which == NORMAL      ? gb_normal(eta, gb_num(t, 0.5))
           : which == BERNOULLI ? gb_bernoulli_logits(eta)
                                : gb_poisson(gb_exp(eta));
}

/* ---- one of them ---- */

static const double X[ROWS][COLUMNS] = {{1, 0.2},   {0.5, -1},    {-0.3, 0.7}, {0.8, 0.4},
                                        {-1, -0.6}, {0.1, 1},     {0.9, 0},    {-0.7, -1},
                                        {0.3, 0.5}, {-0.2, -0.4}, {0.6, -0.8}, {-0.9, 0.3}};
static const double Y[LIKELIHOODS][ROWS] = {{1, 0.8, -0.5, 0.6, -0.8, -0.2, 1, -0.3, 0.1, 0.2, 0.9, -1},
                                            {1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0},
                                            {3, 2, 0, 2, 0, 1, 3, 1, 1, 1, 2, 0}};

typedef struct looked {
    double elbo, error;
} looked;

static looked look(gb_program *program, const gb_elbo_term *total)
{
    gb_run(program);
    return (looked){gb_value(total->value), gb_value(total->error)};
}

/* Returns whether it trains. If not, `reason` says why it is rejected, or how little the ELBO rose. */
static bool trains(size_t family, size_t prior, const char *estimator, int likelihood, bool *rejected,
                   char *reason)
{
    size_t count = 0;
    gb_estimator by;
    gb_tape *const t = gb_tape_new(.seed = 5, .threads = 1, .samples = 4);
    if (!gb_estimator_parse(estimator, &by, reason, WIDTH))
        exit(1);
    const gb_node x = gb_input_rows(t, "x", gb_shape(COLUMNS)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node w = gb_latent(e, "w", families[family].make(t), prior_of(t, prior), by);
    gb_observe(e, "y", likelihood_of(t, likelihood, gb_dot(x, w)), y);
    const gb_node loss = gb_elbo_loss(e);
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count), *const total =
                                                                    terms ? &terms[count - 1] : NULL;
    gb_program *const train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.05)));
    *rejected = gb_error(t) != GB_OK;
    snprintf(reason, WIDTH, "%s", gb_error_text(t));
    bool good = !*rejected;
    if (good) {
        gb_program *const evaluate = gb_compile(t, gb_roots(total->value, total->error), gb_no_update);
        gb_program_set_samples(evaluate, LOOKS);
        gb_feed(x, &X[0][0], ROWS);
        gb_feed(y, Y[likelihood], ROWS);
        const looked before = look(evaluate, total);
        for (int step = 0; step < STEPS; step++)
            gb_run(train);
        const looked after = look(evaluate, total);
        const double noise = hypot(before.error, after.error), rise = after.elbo - before.elbo;
        good = gb_error(t) == GB_OK && rise > 4 * noise + 1e-9;
        if (!good)
            snprintf(reason, WIDTH, "rises by %g where its noise is %g; %s", rise, noise, gb_error_text(t));
    }
    gb_tape_free(t);
    return good;
}

/* ---- the table ---- */

typedef struct reasons {
    char text[MOST_REASONS][WIDTH];
    size_t count;
} reasons;

/* Keeps what is needed of "ESTIMATOR needs SOMETHING; DISTRIBUTION has none": row and column say the rest. */
static char letter_of(reasons *all, char *text)
{
    char *const needs = strstr(text, "needs "), *const end = needs ? strchr(needs, ';') : NULL;
    char kept[WIDTH];
    if (end)
        *end = '\0';
    const bool has_no_density = strstr(text, "cannot be sampled") != NULL;
    snprintf(kept, sizeof kept, "%s",
             has_no_density ? "its KL cannot be sampled: a probability against a density"
             : end          ? needs
                            : text);
    size_t i = 0;
    while (i < all->count && strcmp(all->text[i], kept) != 0)
        i++;
    if (i == MOST_REASONS) {
        fprintf(stderr, "more than %d reasons\n", MOST_REASONS);
        exit(1);
    }
    if (i == all->count)
        memcpy(all->text[all->count++], kept, WIDTH);
    return (char)('a' + i);
}

/* The cell of three likelihoods: one mark if they agree. */
static bool cell(size_t family, size_t prior, const char *estimator, reasons *all, char mark[LIKELIHOODS + 1])
{
    bool good = true;
    for (int likelihood = 0; likelihood < LIKELIHOODS; likelihood++) {
        bool rejected;
        char reason[WIDTH];
        mark[likelihood] = '+';
        if (trains(family, prior, estimator, likelihood, &rejected, reason))
            continue;
        mark[likelihood] = rejected ? letter_of(all, reason) : '!';
        if (!rejected)
            fprintf(stderr, "%s, prior %s, %s, likelihood %d: %s\n", families[family].name, priors[prior],
                    estimator, likelihood, reason);
        good &= rejected;
    }
    mark[LIKELIHOODS] = '\0';
    if (mark[0] == mark[1] && mark[1] == mark[2])
        mark[1] = '\0';
    return good;
}

static const char *const head =
    "# What can be swapped for what\n\n"
    "One regression with twelve data and two weights, for every posterior family, prior and estimator,\n"
    "with a normal, a Bernoulli and a Poisson likelihood. `+`: it trains, and the evaluated ELBO rises\n"
    "by more than its noise. A letter: it is rejected, with the message below the table. There are three\n"
    "marks if the three likelihoods differ. Flows and mixtures have one prior here: their KL is sampled,\n"
    "whatever the prior is.\n"
    "`cmake --build --preset release --target swaps` makes this page, and a test compares it with the\n"
    "library.\n"
    "\n";

/* Those for bounds of several draws, and for q made from the data, are rejected here. */
static bool is_for_others(const gb_estimator_type *type)
{
    return (type->needs & (GB_NEEDS_BOUND | GB_NEEDS_MODEL)) != 0;
}

/* All estimators of the ELBO, as text; two of them also with options, because the plain form fits little. */
static size_t columns_of(char text[][WIDTH], size_t most)
{
    static const char *const more[] = {"score:baseline=loo", "dropout:mask=arm"};
    size_t count, columns = 0;
    const gb_estimator_type *const *const all = gb_estimators(&count);
    for (size_t i = 0; i < count && columns < most; i++)
        if (!is_for_others(all[i]))
            snprintf(text[columns++], WIDTH, "%s%s", all[i]->name,
                     all[i] == &gb_quadrature_estimator_type ? ":nodes=8" : "");
    for (size_t i = 0; i < sizeof more / sizeof *more && columns < most; i++)
        snprintf(text[columns++], WIDTH, "%s", more[i]);
    return columns;
}

int main(void)
{
    enum { MOST = 32 };
    static reasons all;
    static char column[MOST][WIDTH];
    const size_t columns = columns_of(column, MOST);
    bool good = true;
    printf("%s| posterior | prior |", head);
    for (size_t i = 0; i < columns; i++)
        printf(" `%s` |", column[i]);
    printf("\n|---|---|");
    for (size_t i = 0; i < columns; i++)
        printf("---|");
    printf("\n");
    for (size_t family = 0; family < FAMILIES; family++)
        for (size_t prior = 0; prior < (families[family].by_one_prior ? 1 : PRIORS); prior++) {
            printf("| %s | %s |", families[family].name, priors[prior]);
            for (size_t i = 0; i < columns; i++) {
                char mark[LIKELIHOODS + 1];
                good &= cell(family, prior, column[i], &all, mark);
                printf(" %s |", mark);
            }
            printf("\n");
        }
    printf("\n");
    for (size_t i = 0; i < all.count; i++)
        printf("- %c: %s\n", (char)('a' + i), all.text[i]);
    return good ? 0 : 1;
}
