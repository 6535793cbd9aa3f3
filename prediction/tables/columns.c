/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prediction/tables/columns_impl.h"

#include <math.h>
#include <stdio.h>

/* A group of columns: an array, of a row's elements or of its data, with `each` numbers. */
typedef struct group {
    const char *name;
    const double *array;
    bool of_data;
    size_t each;
    const double *level; /* of quantiles: follows the name */
} group;

enum { GROUPS = 16 };

static size_t groups_of(const gb_prediction *p, group all[GROUPS])
{
    const group known[GROUPS] = {{"mean", p->mean, false, 1, NULL},
                                 {"sd", p->sd, false, 1, NULL},
                                 {"epistemic", p->epistemic, false, 1, NULL},
                                 {"noise", p->noise, false, 1, NULL},
                                 {"q", p->quantile, false, p->quantiles, p->level},
                                 {"outcome", p->outcome, false, 1, NULL},
                                 {"log_density", p->log_density, true, 1, NULL},
                                 {"log_density_error", p->log_density_error, true, 1, NULL},
                                 {"below", p->below, false, 1, NULL},
                                 {"up_to", p->up_to, false, 1, NULL},
                                 {"crps", p->crps, false, 1, NULL},
                                 {"p", p->probability, true, p->classes, NULL},
                                 {"entropy", p->entropy, true, 1, NULL},
                                 {"expected_entropy", p->expected_entropy, true, 1, NULL},
                                 {"information", p->information, true, 1, NULL}};
    size_t count = 0;
    for (size_t i = 0; i < GROUPS; i++)
        if (known[i].array)
            all[count++] = known[i];
    return count;
}

size_t gb_prediction_columns(const gb_prediction *p)
{
    group all[GROUPS];
    size_t count = 0;
    for (size_t i = groups_of(p, all); i-- > 0;)
        count += all[i].each;
    return count;
}

/* Finds the group of a column, and its place in it. */
static group find(const gb_prediction *p, size_t *column)
{
    group all[GROUPS];
    size_t i = 0;
    groups_of(p, all);
    while (*column >= all[i].each)
        *column -= all[i++].each;
    return all[i];
}

void gb_prediction_column(const gb_prediction *p, size_t column, char name[GB_COLUMN_TEXT])
{
    const group g = find(p, &column);
    if (g.level)
        snprintf(name, GB_COLUMN_TEXT, "%s%g", g.name, 100 * g.level[column]);
    else if (g.array == p->probability)
        snprintf(name, GB_COLUMN_TEXT, "%s%zu", g.name, column);
    else
        snprintf(name, GB_COLUMN_TEXT, "%s", g.name);
}

double gb_prediction_number(const gb_prediction *p, size_t row, size_t element, size_t column)
{
    const group g = find(p, &column);
    const size_t event = p->data > 0 ? p->elements / p->data : 1;
    if (!g.of_data)
        return g.array[(row * p->elements + element) * g.each + column];
    return element % event == 0 ? g.array[(row * p->data + element / event) * g.each + column] : (double)NAN;
}
