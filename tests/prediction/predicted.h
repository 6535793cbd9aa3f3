/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small models whose predictive distributions are known. Include support/close.h first. */
#ifndef GREBE_TESTS_PREDICTED_H
#define GREBE_TESTS_PREDICTED_H

#include "distributions/list.h"
#include "estimators/list.h"
#include "models/batches.h"
#include "models/elbo.h"
#include "ops/elementwise.h"
#include "prediction/predict.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const double PI = 3.14159265358979323846;

static inline gb_prediction *predicted_at(gb_prediction *p, gb_tape *t, int line)
{
    if (!p)
        fail_msg("line %d: %s", line, gb_error_text(t));
    return p;
}
#define predicted(p, t) predicted_at((p), (t), __LINE__)

static inline double log_normal(double x, double mean, double variance)
{
    return -0.5 * log(2 * PI * variance) - (x - mean) * (x - mean) / (2 * variance);
}

/* y = a + b x + noise, with q(a) = N(0.4, 0.3²), q(b) = N(−0.7, 0.2²), independent. */
typedef struct line {
    gb_elbo *e;
    gb_node x, y, f;
    gb_batches *data;
} line;

enum { LINE_ROWS = 5 };
static const double line_x[LINE_ROWS] = {-2, -0.5, 0, 1, 2.5};
static const double line_y[LINE_ROWS] = {1.2, 0.9, 0.3, -1, 0.5};
static const double LINE_A = 0.4, LINE_B = -0.7, LINE_SD_A = 0.3, LINE_SD_B = 0.2, LINE_NOISE = 0.8;

static inline gb_batches *line_batches(const line *m, int64_t batch, bool has_outcome, const char *name)
{
    const gb_column columns[] = {{m->x, gb_doubles(line_x)}, {m->y, gb_doubles(line_y)}};
    return gb_batches_new(m->x.tape, .rows = LINE_ROWS, .batch = batch, .name = name,
                          .columns = gb_columns_of(has_outcome ? 2 : 1, columns));
}

static inline line line_model(gb_tape *t, gb_estimator estimator)
{
    line m = {.x = gb_input_rows(t, "x", gb_shape()), .y = gb_input_rows(t, "y", gb_shape())};
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    m.e = gb_elbo_new(t, .data_size = LINE_ROWS);
    const gb_node a = gb_latent(m.e, "a", gb_mean_field(gb_shape(), .location = LINE_A, .scale = LINE_SD_A),
                                gb_normal(zero, one), estimator);
    const gb_node b = gb_latent(m.e, "b", gb_mean_field(gb_shape(), .location = LINE_B, .scale = LINE_SD_B),
                                gb_normal(zero, one), estimator);
    m.f = gb_add(a, gb_mul(b, m.x));
    gb_observe(m.e, "y", gb_normal(m.f, gb_num(t, LINE_NOISE)), m.y);
    m.data = line_batches(&m, 0, true, "line");
    return m;
}

static inline double line_mean(int i)
{
    return LINE_A + LINE_B * line_x[i];
}

static inline double line_epistemic(int i)
{
    return LINE_SD_A * LINE_SD_A + LINE_SD_B * LINE_SD_B * line_x[i] * line_x[i];
}

static inline double line_log_density(int i)
{
    return log_normal(line_y[i], line_mean(i), line_epistemic(i) + LINE_NOISE * LINE_NOISE);
}

#endif
