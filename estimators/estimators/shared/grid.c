/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/shared/grid_impl.h"

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"

enum { MOST_VALUES = 1 << 20 };

int64_t gb_grid_size(const gb_site *site, int64_t each, int64_t count)
{
    int64_t all = 1;
    for (int64_t i = 0; i < count && all <= MOST_VALUES && each != 1; i++)
        all *= each;
    if (all <= MOST_VALUES)
        return all;
    gb_fail(site->q.tape, GB_ELIMIT, "draw %s: %s: %lld values to the power of %lld are more than %d",
            site->name, site->estimator.type->name, (long long)each, (long long)count, MOST_VALUES);
    return 0;
}

/* The digits of the index of the combination, in base `each`. */
gb_node gb_grid_places(const gb_site *site, int64_t size, int64_t each, gb_shape shape)
{
    gb_tape *const tape = site->q.tape;
    const int64_t count = (int64_t)gb_shape_count(shape);
    const gb_node number = gb_reshape(gb_arange(tape, size), gb_shape(size, 1));
    const gb_node base = gb_num(tape, (double)each);
    gb_node digit = gb_zeros(tape, gb_shape(size, 0)), rest = number;
    for (int64_t i = 0; i < count; i++) {
        const gb_node next = gb_floor(gb_div(rest, base));
        digit = gb_concat(2, (const gb_node[]){digit, gb_sub(rest, gb_mul(next, base))}, 1);
        rest = next;
    }
    return gb_to_int(gb_reshape(digit, gb_shape_join(gb_shape(size), shape)));
}
