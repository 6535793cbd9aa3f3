/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The likelihood of each regression is its formula in the coefficients that it shows: what a weight of 2 adds
 * to log p is the log density of that row, by hand. */
#include "support/close.h"

#include <string.h>

#include "ready/table.h"

typedef struct shown {
    gb_analysis *a;
    double value[MOST_NUMBERS];
    size_t count;
} shown;

static double named(const shown *s, const char *name)
{
    const gb_node_list nodes = gb_analysis_nodes(s->a);
    size_t at = 0;
    for (size_t i = 0; i < nodes.count; at += gb_shape_count(gb_node_shape(nodes.node[i])), i++)
        if (strcmp(gb_node_name(nodes.node[i]), name) == 0)
            return s->value[at];
    fail_msg("nothing is shown as %s", name);
    return 0;
}

/* ---- row CHANGED of the table, by hand ---- */

static double x_a(void)
{
    return 5 + unit(CHANGED, 5);
}

static double x_b(void)
{
    return unit(CHANGED, 6) - 0.3;
}

static double predictor(const shown *s)
{
    return named(s, "(Intercept)") + named(s, "a") * x_a() + named(s, "b") * x_b();
}

static double log_normal_density(double y, double mean, double sd)
{
    return -0.5 * log(2 * 3.14159265358979323846) - log(sd) - 0.5 * (y - mean) * (y - mean) / (sd * sd);
}

static double of_linear(const shown *s)
{
    return log_normal_density(a_number(CHANGED), predictor(s), named(s, "sigma"));
}

static double of_groups(const shown *s)
{
    const double error = 0.5 + unit(CHANGED, 7);
    return log_normal_density(a_number(CHANGED), predictor(s) + named(s, "group[30]"), error);
}

static double of_robust(const shown *s)
{
    const double nu = named(s, "nu"), z = (a_number(CHANGED) - predictor(s)) / named(s, "sigma");
    return lgamma((nu + 1) / 2) - lgamma(nu / 2) - 0.5 * log(nu * 3.14159265358979323846) -
           log(named(s, "sigma")) - (nu + 1) / 2 * log1p(z * z / nu);
}

static double of_logistic(const shown *s)
{
    const double eta = predictor(s);
    return a_bit(CHANGED) * eta - log1p(exp(eta));
}

static double of_trials(const shown *s)
{
    const double eta = predictor(s), n = 6 + CHANGED % 2, y = a_count(CHANGED);
    return lgamma(n + 1) - lgamma(y + 1) - lgamma(n - y + 1) + y * eta - n * log1p(exp(eta));
}

static double of_multinomial(const shown *s)
{
    double eta[3] = {0}, sum = 0;
    for (int k = 1; k < 3; k++) {
        char name[3][32];
        snprintf(name[0], sizeof name[0], "(Intercept): %d", k);
        snprintf(name[1], sizeof name[1], "a: %d", k);
        snprintf(name[2], sizeof name[2], "b: %d", k);
        eta[k] = named(s, name[0]) + named(s, name[1]) * x_a() + named(s, name[2]) * x_b();
    }
    for (int k = 0; k < 3; k++)
        sum += exp(eta[k]);
    return eta[(int)a_class(CHANGED)] - log(sum);
}

static double of_ordinal(const shown *s)
{
    const double eta = named(s, "a") * x_a() + named(s, "b") * x_b();
    const gb_node_list nodes = gb_analysis_nodes(s->a);
    double low = -INFINITY, high = INFINITY;
    size_t at = 0;
    for (size_t i = 0; i < nodes.count; at += gb_shape_count(gb_node_shape(nodes.node[i])), i++)
        if (strcmp(gb_node_name(nodes.node[i]), "threshold") == 0) {
            const int k = (int)a_class(CHANGED);
            low = k > 0 ? s->value[at + (size_t)k - 1] : low;
            high = k < 2 ? s->value[at + (size_t)k] : high;
        }
    return log(1 / (1 + exp(eta - high)) - 1 / (1 + exp(eta - low)));
}

static double of_poisson(const shown *s)
{
    const double eta = predictor(s), y = a_count(CHANGED);
    return y * eta - exp(eta) - lgamma(y + 1);
}

static double of_negative_binomial(const shown *s)
{
    const double mean = exp(predictor(s)), phi = named(s, "phi"), y = a_count(CHANGED);
    return lgamma(y + phi) - lgamma(phi) - lgamma(y + 1) + phi * log(phi / (phi + mean)) +
           y * log(mean / (phi + mean));
}

typedef struct likelihood_case {
    const char *name;
    model_case of;
    double (*log_p)(const shown *s);
} likelihood_case;

static const likelihood_case cases[] = {
    {"linear", {"linear", "y | weights(w) ~ a + b", a_number, NULL, NULL}, of_linear},
    {"linear_raw", {"linear:raw", "y | weights(w) ~ a + b", a_number, NULL, NULL}, of_linear},
    {"hierarchical", {"linear:prior=ridge", "y | weights(w) ~ a + b", a_number, "g", "e"}, of_groups},
    {"robust", {"robust", "y | weights(w) ~ a + b", a_number, NULL, NULL}, of_robust},
    {"logistic", {"logistic", "y | weights(w) ~ a + b", a_bit, NULL, NULL}, of_logistic},
    {"trials", {"logistic", "y | trials(n) + weights(w) ~ a + b", a_count, NULL, NULL}, of_trials},
    {"multinomial", {"multinomial", "y | weights(w) ~ a + b", a_class, NULL, NULL}, of_multinomial},
    {"ordinal", {"ordinal", "y | weights(w) ~ a + b", a_class, NULL, NULL}, of_ordinal},
    {"poisson", {"poisson:prior=horseshoe", "y | weights(w) ~ a + b", a_count, NULL, NULL}, of_poisson},
    {"negative_binomial",
     {"negative_binomial", "y | weights(w) ~ a + b", a_count, NULL, NULL},
     of_negative_binomial},
};

TEST_EACH(the_likelihood_is_the_formula_in_what_is_shown, cases)
{
    const likelihood_case *const c = row;
    for (int number = 1; number <= 3; number++) {
        gb_table *const d = table_of(t, &c->of, (twist){.weight = 1});
        gb_tape *const own = test_tape();
        shown s = {.a = analysis_of(own, &c->of, d)};
        gb_table_free(d);
        double z[MOST_NUMBERS];
        gb_density *const p = gb_density_new(gb_analysis_elbo(s.a), .data = gb_analysis_data(s.a));
        assert_fine(own);
        point(gb_density_count(p), number, z);
        const gb_node_list nodes = gb_analysis_nodes(s.a);
        gb_program *const program = gb_density_program(p, nodes);
        assert_int_equal(gb_density_run(p, program, 1, z), GB_OK);
        for (size_t i = 0; i < nodes.count; s.count += gb_program_root_count(program, i), i++)
            gb_read_root(program, i, s.value + s.count);
        assert_near(added_by_row(s.a, number), c->log_p(&s), 1e-7);
    }
}
