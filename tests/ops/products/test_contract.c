/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contractions with random axes and strides, against plain loops, on every
 * instruction set that the processor has. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/isa_impl.h"
#include "core/kernels/workers_impl.h"
#include "ops/products/contract_plan_impl.h"

enum { MOST_AXES = 7, ARRAYS = 3 };

static uint64_t random_state = 88172645463325252u;

static int64_t from_to(int64_t low, int64_t high)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return low + (int64_t)(random_state % (uint64_t)(high - low + 1));
}

typedef struct contraction_case {
    gb_real real;
    int count;
    gb_contract_axis axis[MOST_AXES];
    int64_t extent[ARRAYS]; /* elements from the first to the last, gaps included */
    void *data[ARRAYS];
    bool empty_result, empty_sum;
} contraction_case;

static int64_t *stride_in(gb_contract_axis *axis, int array)
{
    return array == 0 ? &axis->a : array == 1 ? &axis->b : &axis->c;
}

static double element(const contraction_case *c, int array, int64_t at)
{
    return c->real == GB_FLOAT ? (double)((const float *)c->data[array])[at]
                               : ((const double *)c->data[array])[at];
}

static void set_element(const contraction_case *c, int array, int64_t at, double value)
{
    if (c->real == GB_FLOAT)
        ((float *)c->data[array])[at] = (float)value;
    else
        ((double *)c->data[array])[at] = value;
}

/* Sizes, and 1 for a stride where an array has the axis. */
static void choose_axes(contraction_case *c, int64_t largest, int64_t most)
{
    static const gb_contract_axis kinds[] = {
        {.a = 1, .c = 1}, {.b = 1, .c = 1}, {.a = 1, .b = 1}, {0, 1, 1, 1}};
    int64_t total = 1;
    for (int i = 0; i < c->count; i++) {
        c->axis[i] = kinds[from_to(0, 3)];
        int64_t size = from_to(0, 30) == 0 ? 0 : from_to(1, from_to(0, 11) ? largest : 1500);
        while (size > 1 && total * size > most)
            size /= 2;
        c->axis[i].size = size;
        total *= size ? size : 1;
        c->empty_result |= size == 0 && c->axis[i].c;
        c->empty_sum |= size == 0 && !c->axis[i].c;
    }
}

/* Puts an array's axes into memory in any order, some with gaps. Ends exactly
 * where its last element does. */
static void place_array(contraction_case *c, int array)
{
    int order[MOST_AXES];
    bool empty = false;
    int64_t stride = from_to(0, 7) ? 1 : from_to(1, 3), last = 0;
    for (int i = 0; i < c->count; i++)
        order[i] = i;
    for (int i = c->count - 1, any = (int)from_to(0, 1); any && i > 0; i--) {
        const int64_t j = from_to(0, i);
        const int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (int i = c->count - 1; i >= 0; i--) {
        gb_contract_axis *axis = &c->axis[order[i]];
        if (!*stride_in(axis, array))
            continue;
        *stride_in(axis, array) = stride;
        last += stride * (axis->size - 1);
        empty |= axis->size == 0;
        stride = stride * axis->size + (from_to(0, 7) ? 0 : from_to(0, 5));
    }
    c->extent[array] = empty ? 0 : last + 1;
    /* to the last byte, so that reading too far is seen */
    c->data[array] =
        malloc((size_t)c->extent[array] * (c->real == GB_FLOAT ? sizeof(float) : sizeof(double)) + 1);
    assert_non_null(c->data[array]);
    for (int64_t i = 0; i < c->extent[array]; i++)
        set_element(c, array, i, array == 2 ? NAN : (double)from_to(-1000, 1000) / 500);
}

/* What C must hold, and the sum of the magnitudes that went into it. NaN: no
 * element, must not be written. */
static void reference(contraction_case *c, double *sum, double *magnitude)
{
    int64_t at[MOST_AXES] = {0};
    for (int64_t i = 0; i < c->extent[2]; i++)
        sum[i] = NAN;
    for (int i = 0; i >= 0 && !c->empty_result;) {
        int64_t place[ARRAYS] = {0};
        for (int d = 0; d < c->count; d++)
            for (int array = 0; array < ARRAYS; array++)
                place[array] += at[d] * *stride_in(&c->axis[d], array);
        if (isnan(sum[place[2]]))
            sum[place[2]] = magnitude[place[2]] = 0;
        if (!c->empty_sum) {
            const double product = element(c, 0, place[0]) * element(c, 1, place[1]);
            sum[place[2]] += product;
            magnitude[place[2]] += fabs(product);
        }
        for (i = c->count - 1; i >= 0; i--) {
            if (++at[i] < c->axis[i].size)
                break;
            at[i] = 0;
        }
    }
}

static void check_result(contraction_case *c, const double *sum, const double *magnitude)
{
    const double error = c->real == GB_FLOAT ? 3e-6 : 1e-14;
    for (int64_t i = 0; i < c->extent[2]; i++) {
        const double found = element(c, 2, i);
        if (isnan(sum[i]))
            assert_true(isnan(found));
        else
            assert_true(fabs(found - sum[i]) <= error * magnitude[i]);
    }
}

/* The same bits whether one thread takes all tiles or several do. */
static void check_threads(contraction_case *c, const gb_contract *contract, gb_workers *workers)
{
    const size_t bytes = (size_t)c->extent[2] * (c->real == GB_FLOAT ? sizeof(float) : sizeof(double));
    void *before = malloc(bytes + 1);
    assert_non_null(before);
    memcpy(before, c->data[2], bytes);
    gb_contract_run(contract, workers, c->data[0], c->data[1], c->data[2]);
    assert_memory_equal(before, c->data[2], bytes);
    free(before);
}

static void one_case(gb_isa isa, gb_workers *workers, int axes, int64_t largest, int64_t most)
{
    contraction_case c = {.real = from_to(0, 1) ? GB_FLOAT : GB_DOUBLE, .count = (int)from_to(0, axes)};
    gb_contract contract;
    choose_axes(&c, largest, most);
    for (int array = 0; array < ARRAYS; array++)
        place_array(&c, array);
    double *sum = calloc((size_t)c.extent[2] + 1, sizeof *sum),
           *magnitude = calloc((size_t)c.extent[2] + 1, sizeof *sum);
    assert_true(sum && magnitude);
    reference(&c, sum, magnitude);
    assert_true(gb_contract_prepare(&contract, c.real, isa, c.count, c.axis));
    gb_contract_run(&contract, NULL, c.data[0], c.data[1], c.data[2]);
    check_result(&c, sum, magnitude);
    check_threads(&c, &contract, workers);
    free(sum);
    free(magnitude);
    for (int array = 0; array < ARRAYS; array++)
        free(c.data[array]);
}

static void many_cases(int cases, int axes, int64_t largest, int64_t most)
{
    gb_workers *workers = gb_workers_new(&(gb_memory){0}, 2, false);
    assert_non_null(workers);
    for (int isa = 0; isa <= (int)gb_best_isa(); isa++)
        for (int i = 0; i < cases; i++)
            one_case((gb_isa)isa, workers, axes, largest, most);
    gb_workers_free(workers);
}

TEST(small_contractions_agree_with_loops)
{
    many_cases(2000, MOST_AXES, 9, 100000);
}

TEST(large_contractions_agree_with_loops)
{
    many_cases(10, 4, 400, 20000000);
}
