/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The posteriors of ../shared/data/posteriors, with summaries of reference draws. Where the folder is not
 * there, tests are skipped. Include support/test.h first. */
#ifndef GREBE_TESTS_POSTERIORS_H
#define GREBE_TESTS_POSTERIORS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/domain.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "support/files.h"
#include "support/json.h"

#define POSTERIORS GB_TESTS "/../../shared/data/posteriors/"

/* A number of the model, in the order of reference.csv. */
typedef struct posterior_number {
    double mean, sd, q05, q50, q95, ess;
} posterior_number;

typedef struct posterior {
    gb_tape *t;
    const char *name;
    char *data; /* JSON */
    gb_elbo *e;
    gb_family (*family)(gb_shape shape);
    gb_node told[16]; /* nodes of which the reference has the summaries, row by row */
    size_t nodes, numbers;
    posterior_number number[16];
} posterior;

/* ---- data ---- */

static double *posterior_column(const posterior *p, const char *name, size_t *count)
{
    const char *at = json_find(p->data, name);
    size_t room = 4096;
    double *x = malloc(room * sizeof *x);
    assert_non_null(at);
    assert_non_null(x);
    for (*count = 0; *at && !strchr("}:\"", *at);) { /* nested arrays too, row by row */
        char *end;
        if (strchr("[], \n", *at)) {
            const bool closes = *at++ == ']';
            const char *next = at + strspn(at, " \n");
            if (closes && (*next == '}' || (*next == ',' && strchr("\"", next[1 + strspn(next + 1, " \n")]))))
                break;
            continue;
        }
        assert_true(*count < room);
        x[(*count)++] = strtod(at, &end);
        at = end;
    }
    return x;
}

static gb_node posterior_data(const posterior *p, const char *name, double (*f)(double))
{
    size_t count;
    double *x = posterior_column(p, name, &count);
    for (size_t i = 0; i < count && f; i++)
        x[i] = f(x[i]);
    const gb_node node = gb_constant(p->t, gb_shape((int64_t)count), gb_values_of(x, count));
    free(x);
    return node;
}

/* ---- models ---- */

static gb_node number_of(const posterior *p, double x)
{
    return gb_num(p->t, x);
}

static gb_dist normal_of(const posterior *p, double mean, double sd)
{
    return gb_normal(number_of(p, mean), number_of(p, sd));
}

static gb_node latent_of(const posterior *p, const char *name, int64_t count, gb_dist prior)
{
    return gb_latent(p->e, name, p->family(count ? gb_shape(count) : gb_shape()), prior, gb_pathwise());
}

static void tell(posterior *p, gb_node x)
{
    p->told[p->nodes++] = x;
}

/* One number without prior, or several, over a support: a block of one part. */
static gb_node flat_of(const posterior *p, const char *name, gb_shape shape, const gb_domain *support)
{
    const gb_latent_part part = {.name = "it", .shape = shape, .prior = gb_no_prior, .support = support};
    gb_node w;
    gb_latent_block(p->e, name, p->family(gb_shape()), 1, &part, gb_pathwise(), &w);
    return w;
}

/* y ~ N(Σ columns · beta, sigma). */
static void linear(posterior *p, gb_node y, size_t count, const gb_node *column, gb_dist prior, gb_node sigma)
{
    const int64_t rows = gb_shape_size(gb_node_shape(y), 0);
    gb_node x[8];
    for (size_t i = 0; i < count; i++)
        x[i] = gb_reshape(gb_broadcast(column[i], gb_shape(rows)), gb_shape(rows, 1));
    const gb_node beta = latent_of(p, "beta", (int64_t)count, prior);
    gb_observe(p->e, "y", gb_normal(gb_matmul(gb_concat(count, x, 1), beta), sigma), y);
    tell(p, beta);
    tell(p, sigma);
}

static void schools(posterior *p, bool is_centred)
{
    const gb_node mu = latent_of(p, "mu", 0, normal_of(p, 0, 5));
    const gb_node tau = latent_of(p, "tau", 0, gb_half_cauchy(number_of(p, 5)));
    const gb_node z = latent_of(p, "theta", 8, is_centred ? gb_normal(mu, tau) : normal_of(p, 0, 1));
    const gb_node theta = is_centred ? z : gb_add(mu, gb_mul(tau, z));
    gb_observe(p->e, "y", gb_normal(theta, posterior_data(p, "sigma", NULL)), posterior_data(p, "y", NULL));
    tell(p, theta), tell(p, mu), tell(p, tau);
}

static void schools_centred(posterior *p)
{
    schools(p, true);
}

static void schools_other(posterior *p)
{
    schools(p, false);
}

static void kids(posterior *p)
{
    const gb_node hs = posterior_data(p, "mom_hs", NULL), iq = posterior_data(p, "mom_iq", NULL);
    const gb_node column[] = {number_of(p, 1), hs, iq, gb_mul(hs, iq)};
    linear(p, posterior_data(p, "kid_score", NULL), 4, column, gb_no_prior,
           latent_of(p, "sigma", 0, gb_half_cauchy(number_of(p, 2.5))));
}

static void earnings(posterior *p)
{
    const gb_node column[] = {number_of(p, 1), posterior_data(p, "height", NULL)};
    linear(p, posterior_data(p, "earn", log), 2, column, gb_no_prior,
           flat_of(p, "sigma", gb_shape(), GB_POSITIVE));
}

static void mesquite(posterior *p)
{
    const gb_node column[] = {number_of(p, 1),
                              posterior_data(p, "diam1", log),
                              posterior_data(p, "diam2", log),
                              posterior_data(p, "canopy_height", log),
                              posterior_data(p, "total_height", log),
                              posterior_data(p, "density", log),
                              posterior_data(p, "group", NULL)};
    linear(p, posterior_data(p, "weight", log), 7, column, gb_no_prior,
           flat_of(p, "sigma", gb_shape(), GB_POSITIVE));
}

static void blr(posterior *p)
{
    const gb_node x = gb_reshape(posterior_data(p, "X", NULL), gb_shape(100, 5));
    gb_node column[5];
    for (int64_t i = 0; i < 5; i++)
        column[i] = gb_reshape(gb_slice(x, 1, i, i + 1), gb_shape(100));
    linear(p, posterior_data(p, "y", NULL), 5, column, normal_of(p, 0, 10),
           latent_of(p, "sigma", 0, gb_half_normal(number_of(p, 10))));
}

static void autoregression(posterior *p)
{
    const gb_node y = posterior_data(p, "y", NULL);
    const gb_node alpha = latent_of(p, "alpha", 0, normal_of(p, 0, 10)),
                  beta = latent_of(p, "beta", 5, normal_of(p, 0, 10)),
                  sigma = latent_of(p, "sigma", 0, gb_half_cauchy(number_of(p, 2.5)));
    gb_node mean = alpha;
    for (int64_t k = 1; k <= 5; k++)
        mean = gb_add(mean, gb_mul(gb_slice(beta, 0, k - 1, k), gb_slice(y, 0, 5 - k, 200 - k)));
    gb_observe(p->e, "y", gb_normal(mean, sigma), gb_slice(y, 0, 5, 200));
    tell(p, alpha), tell(p, beta), tell(p, sigma);
}

static void mixture(posterior *p)
{
    const gb_node y = gb_reshape(posterior_data(p, "y", NULL), gb_shape(1000, 1));
    const gb_node mu = flat_of(p, "mu", gb_shape(2), &gb_ordered_domain);
    gb_factor(p->e, "prior of mu", gb_log_prob(normal_of(p, 0, 2), mu));
    const gb_node sigma = latent_of(p, "sigma", 2, gb_half_normal(number_of(p, 2)));
    const gb_node theta = latent_of(p, "theta", 0, gb_beta(number_of(p, 5), number_of(p, 5)));
    const gb_node one = gb_reshape(theta, gb_shape(1)),
                  weights[] = {one, gb_sub(gb_ones(p->t, gb_shape(1)), one)};
    gb_log_likelihood(
        p->e, "y",
        gb_logsumexp_along(gb_add(gb_log(gb_concat(2, weights, 0)), gb_log_prob(gb_normal(mu, sigma), y)),
                           gb_axis(-1)));
    tell(p, mu), tell(p, sigma), tell(p, theta);
}

static const struct posterior_model {
    const char *name;
    void (*record)(posterior *p);
} posterior_models[] = {{"eight_schools-eight_schools_noncentered", schools_other},
                        {"eight_schools-eight_schools_centered", schools_centred},
                        {"kidiq-kidscore_interaction", kids},
                        {"earnings-logearn_height", earnings},
                        {"mesquite-logmesquite", mesquite},
                        {"sblri-blr", blr},
                        {"arK-arK", autoregression},
                        {"low_dim_gauss_mix-low_dim_gauss_mix", mixture}};

/* ---- the whole ---- */

static bool posteriors_are_there(void)
{
    FILE *const file = fopen(POSTERIORS "arK-arK/data.json", "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

static void posterior_begin(posterior *p, gb_tape *t, const struct posterior_model *model,
                            gb_family (*family)(gb_shape shape))
{
    char path[512];
    size_t length;
    *p = (posterior){.t = t, .name = model->name, .family = family};
    snprintf(path, sizeof path, POSTERIORS "%s/data.json", model->name);
    p->data = (char *)file_get(path, &length);
    p->e = gb_elbo_new(t, .data_size = 1);
    model->record(p);
    free(p->data);
    snprintf(path, sizeof path, POSTERIORS "%s/reference.csv", model->name);
    char *const text = (char *)file_get(path, &length);
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        posterior_number *const n = &p->number[p->numbers++];
        assert_int_equal(sscanf(line + 1, "%*[^,],%lf,%lf,%lf,%lf,%lf,%lf", &n->mean, &n->sd, &n->q05,
                                &n->q50, &n->q95, &n->ess),
                         6);
    }
    free(text);
    if (gb_error(t) != GB_OK)
        fail_msg("%s: %s", model->name, gb_error_text(t));
}

#endif
