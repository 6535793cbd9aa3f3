/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/model.h"

#include <math.h>

#include "distributions/list.h"
#include "ops/elementwise.h"

size_t gb_model_sigma(gb_model_site *s, double scale)
{
    return gb_model_part_of(s, "", "sigma", gb_shape(), gb_half_normal(gb_num(s->tape, scale)));
}

gb_node gb_model_sigma_value(const gb_model_site *s, size_t part, bool raw)
{
    const gb_node sigma = gb_model_value(s, part);
    return raw ? sigma : gb_mul(gb_num(s->tape, s->outcome_sd), sigma);
}

double gb_model_log_mean(const gb_model_site *s)
{
    return log(s->outcome_mean > 0 ? s->outcome_mean : 0.5 / s->counted_rows);
}

/* ---- whether weights leave a posterior of it ---- */

static bool differ(double a, double b)
{
    return a < b || a > b;
}

static bool are_at_one_place(const gb_model_site *s, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < s->columns; k++)
        if (differ(gb_numbers_at(s->values, (size_t)(i * s->columns + k)),
                   gb_numbers_at(s->values, (size_t)(j * s->columns + k))))
            return false;
    return true;
}

/* Outcomes that count show the noise where they differ at one place. */
static bool show_noise(const gb_model_site *s)
{
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t j = 0; j < i; j++)
            if (s->weights[i] > 0 && s->weights[j] > 0 && differ(s->outcomes[i], s->outcomes[j]) &&
                are_at_one_place(s, i, j))
                return true;
    return false;
}

bool gb_model_has_noise(const gb_model_site *s, int64_t values, bool has_columns)
{
    const double by_rounding = 1e-6;
    int64_t rows = 0;
    double sum = 0;
    for (int64_t i = 0; s->weights && i < s->rows; i++) {
        rows += s->weights[i] > 0;
        sum += s->weights[i];
    }
    if (sum - (double)rows < 1 - by_rounding || values < rows || (has_columns && show_noise(s)))
        return true;
    return gb_fail(s->tape, GB_EARGUMENT,
                   "model: the weights of the %lld rows that count have the sum %g, so that they have no "
                   "posterior: its density is infinite without noise, as each row has a value of its own; "
                   "divide the weights by their mean%s",
                   (long long)rows, sum,
                   has_columns
                       ? ", or take gb_sparse_gaussian_process_model with fewer .inducing places than "
                         "rows"
                       : "") == GB_OK;
}
