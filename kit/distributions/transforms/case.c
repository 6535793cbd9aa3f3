/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/distributions/transforms/case_impl.h"

#include <math.h>
#include <string.h>

#include "core/gradient.h"
#include "core/op.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- instances ---- */

bool gb_transform_instance(gb_transform_case *c, gb_real real)
{
    c->tape = gb_tape_new(.threads = 1, .real = real, .memory = c->kit->memory);
    c->t = c->make ? c->make(c->tape, c->which, c->user) : (gb_transform){.type = c->type, .tape = c->tape};
    c->program = NULL;
    c->params = 0;
    while (c->params < GB_TRANSFORM_PARAMS && gb_node_ok(c->t.param[c->params]))
        c->params++;
    return gb_transform_ok(c->t) && c->t.type == c->type;
}

/* Returns the map from real numbers onto the domain; inert if there is none. */
static gb_transform reach_of(const gb_transform_case *c)
{
    const gb_domain *const from = gb_transform_from(c->t);
    return from->reach ? from->reach(c->tape) : (gb_transform){0};
}

/* The batch of the parameters comes before the event. */
static bool takes(const gb_transform_case *c, gb_transform reach, gb_shape event, gb_shape *free)
{
    const int rank = gb_transform_from(c->t)->event_rank;
    const gb_shape x = gb_transform_shape(reach, event), y = gb_transform_shape(c->t, x);
    if (event.rank < gb_transform_from(reach)->event_rank || x.rank != rank || y.rank < 0)
        return false;
    const gb_shape whole = gb_transform_inverse_shape(c->t, y);
    if (whole.rank < rank)
        return false;
    *free = gb_shape_join(gb_shape_of(whole.rank - rank, whole.size), event);
    return gb_shape_count(*free) + GB_TRANSFORM_PARAMS <= GB_TRANSFORM_NUMBERS &&
           gb_shape_count(whole) <= GB_TRANSFORM_ELEMENTS && gb_shape_count(y) <= GB_TRANSFORM_ELEMENTS;
}

size_t gb_transform_shapes(gb_transform_case *c, size_t most, gb_shape *free)
{
    const gb_transform reach = reach_of(c);
    const gb_shape events[] = {gb_shape(),     gb_shape(1),    gb_shape(2),      gb_shape(3),
                               gb_shape(4),    gb_shape(5),    gb_shape(6),      gb_shape(7),
                               gb_shape(8),    gb_shape(9),    gb_shape(10),     gb_shape(11),
                               gb_shape(12),   gb_shape(1, 1), gb_shape(2, 2),   gb_shape(3, 3),
                               gb_shape(2, 3), gb_shape(3, 2), gb_shape(1, 2, 2)};
    size_t count = 0;
    for (size_t i = 0; gb_transform_ok(reach) && i < sizeof events / sizeof *events; i++)
        if (count < most && takes(c, reach, events[i], &free[count]))
            count++;
    return count;
}

/* ---- recording ---- */

static gb_node point_input(const gb_transform_case *c, const char *name, gb_shape shape, bool is_u)
{
    if (c->way == GB_IN_ROWS)
        return gb_input_rows(c->tape, name, shape);
    return gb_input(c->tape, name,
                    is_u && c->way == GB_IN_A_BATCH ? gb_shape_join(gb_shape(GB_TRANSFORM_POINTS), shape)
                                                    : shape);
}

static gb_shape batch_of(const gb_transform_case *c)
{
    gb_shape batch = gb_node_shape(c->y);
    batch.rank -= gb_transform_to(c->t)->event_rank;
    return batch;
}

static const char *fault_of_shapes(const gb_transform_case *c)
{
    const gb_shape x = gb_node_shape(c->x), y = gb_node_shape(c->y), batch = batch_of(c);
    gb_shape both;
    if (gb_node_type(c->y) != GB_TYPE_REAL || gb_node_type(c->back) != GB_TYPE_REAL ||
        gb_node_type(c->log_jacobian) != GB_TYPE_REAL)
        return "forward, inverse or log_jacobian does not return reals";
    if (!gb_shape_same(y, gb_transform_shape(c->t, x)))
        return "the shape of y is not that of `shape`";
    if (!gb_shape_same(x, gb_transform_inverse_shape(c->t, y)))
        return "`inverse_shape` of the shape of y is not the shape of x";
    if (!gb_shape_same(gb_node_shape(c->back), x))
        return "inverse(y) lacks the shape of x";
    if (!gb_shape_broadcast(gb_node_shape(c->log_jacobian), batch, &both) || !gb_shape_same(both, batch))
        return "log_jacobian is not a number for each event";
    return NULL;
}

/* Returns a number for each point. */
static gb_node of_point(const gb_transform_case *c, gb_node log_jacobian)
{
    const gb_shape batch = batch_of(c);
    const gb_node each = gb_broadcast(log_jacobian, batch);
    const gb_node sum = gb_sum_event(each, batch.rank - (c->way == GB_IN_A_BATCH));
    return c->way == GB_IN_ROWS ? gb_widen(sum, gb_node_axes(sum) | GB_ROWS) : sum;
}

/* Σ cos(1 + i) x_i */
static gb_node weighted(gb_node x)
{
    double weight[GB_TRANSFORM_ELEMENTS] = {0};
    const gb_shape shape = gb_node_shape(x);
    const size_t count = gb_shape_count(shape);
    for (size_t i = 0; i < count && i < GB_TRANSFORM_ELEMENTS; i++)
        weight[i] = cos(1 + (double)i);
    return gb_sum(gb_mul(x, gb_constant(x.tape, shape, gb_values_of(weight, count))));
}

static void record_slopes(gb_transform_case *c)
{
    const gb_node sums[GB_TRANSFORM_SUMS] = {weighted(c->y), weighted(c->back), c->log_jacobian, c->density};
    for (size_t k = 0; k < GB_TRANSFORM_SUMS; k++)
        gb_grads(sums[k], c->in, 1 + c->params, c->slope[k]);
}

/* Returns how many events of y are outside the domain. */
static gb_node outside(const gb_domain *domain, gb_node y)
{
    const gb_node is_outside = gb_domain_outside(domain, y);
    return gb_node_ok(is_outside) ? gb_sum(gb_to_real(is_outside)) : gb_num(y.tape, 0);
}

static gb_node increases(const gb_transform_case *c)
{
    const gb_node says = gb_transform_increases(c->t), one = gb_num(c->tape, 1);
    return gb_broadcast(gb_node_ok(says) ? gb_to_real(says) : one, gb_node_shape(c->y));
}

static void record_rest(gb_transform_case *c)
{
    c->x_outside = outside(gb_transform_from(c->t), c->x);
    c->y_outside = outside(gb_transform_to(c->t), c->y);
    c->increases = gb_transform_to(c->t)->event_rank == 0 ? increases(c) : gb_num(c->tape, 1);
    record_slopes(c);
}

static void compile(gb_transform_case *c)
{
    gb_node roots[8 + GB_TRANSFORM_SUMS * (1 + GB_TRANSFORM_PARAMS)] = {
        c->x, c->y, c->back, c->log_jacobian, c->density, c->x_outside, c->y_outside, c->increases};
    size_t count = c->way == GB_ONE_BY_ONE ? 8 : 5;
    for (size_t k = 0; c->way == GB_ONE_BY_ONE && k < GB_TRANSFORM_SUMS; k++)
        for (size_t i = 0; i <= c->params; i++)
            roots[count++] = c->slope[k][i];
    c->program = gb_compile(c->tape, (gb_node_list){.count = count, .node = roots}, gb_no_update);
}

bool gb_transform_record(gb_transform_case *c, gb_real real, gb_transform_way way)
{
    static const char *const names[] = {"u", "added to parameter 0", "added to parameter 1"};
    c->way = way;
    c->fault = NULL;
    if (!gb_transform_instance(c, real))
        return false;
    for (size_t i = 0; i <= c->params; i++)
        c->in[i] = point_input(c, names[i], i == 0 ? c->free : gb_shape(), i == 0);
    for (size_t i = 0; i < c->params; i++)
        c->t.param[i] = gb_add(c->t.param[i], c->in[1 + i]);
    c->x = gb_transform_forward(reach_of(c), c->in[0]);
    c->y = gb_transform_forward(c->t, c->x);
    c->back = gb_transform_inverse(c->t, c->y);
    c->log_jacobian = gb_transform_log_jacobian(c->t, c->x, c->y);
    c->density = gb_transform_log_jacobian(c->t, c->back, c->y);
    if (gb_error(c->tape) != GB_OK)
        return false;
    c->fault = way == GB_ONE_BY_ONE ? fault_of_shapes(c) : NULL;
    if (c->fault)
        return false;
    c->log_jacobian = of_point(c, c->log_jacobian);
    c->density = of_point(c, c->density);
    if (way == GB_ONE_BY_ONE)
        record_rest(c);
    compile(c);
    return gb_error(c->tape) == GB_OK;
}

bool gb_transform_differentiate(gb_transform_case *c, bool rejected[GB_TRANSFORM_SUMS])
{
    for (size_t k = 0; k < GB_TRANSFORM_SUMS; k++) {
        gb_node sum = gb_num(c->tape, 0);
        for (size_t i = 0; i <= c->params; i++)
            sum = gb_add(sum, weighted(c->slope[k][i]));
        rejected[k] = gb_grads(sum, c->in, 1 + c->params, c->slope[k]) == GB_EGRADIENT;
        for (size_t i = 0; i <= c->params && rejected[k]; i++)
            c->slope[k][i] = c->in[i];
        if (rejected[k])
            gb_forgive(c->tape);
    }
    gb_program_free(c->program);
    compile(c);
    return gb_error(c->tape) == GB_OK;
}

/* ---- values ---- */

static bool read_into(double *to, size_t room, gb_node node)
{
    const size_t count = gb_value_count(node);
    return count <= room && gb_read(node, to, count) == GB_OK;
}

bool gb_transform_see(gb_transform_case *c, const double *point, gb_transform_look *look)
{
    const size_t numbers = gb_shape_count(c->free);
    *look = (gb_transform_look){0};
    gb_feed(c->in[0], point, 1);
    for (size_t i = 0; i < c->params; i++)
        gb_feed(c->in[1 + i], point + numbers + i, 1);
    bool good = gb_run(c->program) == GB_OK && read_into(look->x, GB_TRANSFORM_ELEMENTS, c->x) &&
                read_into(look->y, GB_TRANSFORM_ELEMENTS, c->y) &&
                read_into(look->back, GB_TRANSFORM_ELEMENTS, c->back) &&
                read_into(&look->log_jacobian, 1, c->log_jacobian) &&
                read_into(&look->density, 1, c->density) && read_into(&look->x_outside, 1, c->x_outside) &&
                read_into(&look->y_outside, 1, c->y_outside) &&
                read_into(look->increases, GB_TRANSFORM_ELEMENTS, c->increases);
    for (size_t k = 0; k < GB_TRANSFORM_SUMS && good; k++)
        for (size_t i = 0; i <= c->params && good; i++)
            good = read_into(look->slope[k] + (i ? numbers + i - 1 : 0), i ? 1 : numbers, c->slope[k][i]);
    return good;
}

/* Differences of fourth order: their error is about 1e-12 for functions that vary over 1. */
bool gb_transform_differences(gb_transform_case *c, const double *point, gb_transform_look *slope)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const double step = 1e-3;
    gb_transform_point moved;
    for (size_t i = 0; i < gb_transform_numbers(c); i++) {
        double *const sum = (double *)&slope[i];
        slope[i] = (gb_transform_look){0};
        for (size_t k = 0; k < 4; k++) {
            gb_transform_look look;
            memcpy(moved, point, sizeof moved);
            moved[i] += at[k] * step;
            if (!gb_transform_see(c, moved, &look))
                return false;
            for (size_t j = 0; j < sizeof look / sizeof(double); j++)
                sum[j] += weight[k] * ((const double *)&look)[j] / (12 * step);
        }
    }
    return true;
}

size_t gb_transform_numbers(const gb_transform_case *c)
{
    return gb_shape_count(c->free) + c->params;
}

static double product(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Removes from a row its projections on `kept` orthonormal rows, and returns the square of the remaining
 * length. */
static double left_of(size_t columns, size_t kept, double (*base)[GB_TRANSFORM_NUMBERS], double *row)
{
    for (size_t k = 0; k < kept; k++) {
        const double along = product(columns, base[k], row);
        for (size_t j = 0; j < columns; j++)
            row[j] -= along * base[k][j];
    }
    return product(columns, row, row);
}

double gb_log_volume(size_t rows, size_t columns, double (*matrix)[GB_TRANSFORM_NUMBERS], size_t *first)
{
    double base[GB_TRANSFORM_NUMBERS][GB_TRANSFORM_NUMBERS], volume = 0;
    double largest = 0;
    size_t kept = 0;
    for (size_t i = 0; i < rows; i++)
        largest = fmax(largest, product(columns, matrix[i], matrix[i]));
    for (size_t i = 0; i < rows && kept < columns; i++) {
        double *const row = base[kept];
        memcpy(row, matrix[i], columns * sizeof *row);
        const double before = product(columns, row, row), after = left_of(columns, kept, base, row);
        if (!(after > 1e-10 * before && before > 1e-20 * largest)) /* else it is rounding */
            continue;
        for (size_t j = 0; j < columns; j++)
            row[j] /= sqrt(after);
        volume += 0.5 * log(after);
        if (kept++ == 0)
            *first = i;
    }
    return kept == columns ? volume : -INFINITY;
}

/* ---- points ---- */

void gb_transform_choose(const gb_transform_case *c, size_t which, double scale, gb_transform_point point)
{
    const size_t numbers = gb_shape_count(c->free), count = gb_transform_numbers(c);
    for (size_t i = 0; i < count; i++) {
        const double wave =
            cos(1 + 1.7 * (double)i + 2.3 * (double)which + 0.37 * (double)(c->kit->seed % 997));
        point[i] = which == 0 ? 0 : wave * (i < numbers ? scale : 0.1);
    }
}

size_t gb_transform_elements(gb_node node)
{
    return gb_shape_count(gb_node_shape(node));
}

void gb_transform_check_image(const gb_transform_case *c, const gb_transform_look *look)
{
    bool is_number = true;
    for (size_t i = 0; i < gb_transform_elements(c->y); i++)
        is_number = is_number && !isnan(look->y[i]);
    gb_kit_verdict(c->kit, GB_ON_IMAGE, look->y_outside == 0 && is_number,
                   "x = %.9g … goes to y = %.9g …, which must be %s", look->x[0], look->y[0],
                   gb_transform_to(c->t)->must_be);
}
