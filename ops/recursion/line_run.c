/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that are lines, without the interpreter: for each place of the hidden axes, numbers are read and
 * written where they are. The bits are those of a product, then a sum. */
#include "ops/recursion/recursion_impl.h"

/* So many places are computed side by side: a step waits for the one before, and others fill the time. */
enum { LANES = 8 };

/* Of each lane: factors, terms, states; and their distances from step to step. states[…][0] is the first. */
typedef struct lanes {
    const void *a[LANES], *b[LANES];
    void *state[LANES];
    ptrdiff_t a_by, b_by, state_by;
} lanes;

#define RUN(name, real, count, product)                                                                      \
    static void name(const lanes *l, size_t steps)                                                           \
    {                                                                                                        \
        const ptrdiff_t a_by = l->a_by, b_by = l->b_by, by = l->state_by;                                    \
        const real *a[count], *b[count];                                                                     \
        real *to[count], s[count];                                                                           \
        for (size_t i = 0; i < (count); i++) {                                                               \
            a[i] = l->a[i];                                                                                  \
            b[i] = l->b[i];                                                                                  \
            to[i] = l->state[i];                                                                             \
            s[i] = *to[i];                                                                                   \
        }                                                                                                    \
        for (ptrdiff_t t = 0; t < (ptrdiff_t)steps; t++)                                                     \
            for (size_t i = 0; i < (count); i++) {                                                           \
                const real x = s[i], y = a[i][t * a_by];                                                     \
                s[i] = (product) + b[i][t * b_by];                                                           \
                to[i][(t + 1) * by] = s[i];                                                                  \
            }                                                                                                \
    }
RUN(run_one_double, double, 1, x *y)
RUN(run_one_float, float, 1, x *y)
RUN(run_double, double, LANES, x *y)
RUN(run_float, float, LANES, x *y)
RUN(chain_one_double, double, 1, x == 0 ? 0 : x * y)
RUN(chain_one_float, float, 1, x == 0 ? 0 : x * y)
RUN(chain_double, double, LANES, x == 0 ? 0 : x * y)
RUN(chain_float, float, LANES, x == 0 ? 0 : x * y)

/* [chain][float][several lanes] */
static void (*const functions[2][2][2])(const lanes *, size_t) = {
    {{run_one_double, run_double}, {run_one_float, run_float}},
    {{chain_one_double, chain_double}, {chain_one_float, chain_float}}};

/* A factor or a term: an argument of the scan, or a number. */
typedef struct operand {
    const gb_layout *layout; /* NULL: a number */
    const char *at;
    ptrdiff_t by;
    double wide;
    float narrow;
} operand;

static void find_operand(const gb_kernel_call *call, const gb_core_operand *from, operand *to)
{
    const gb_scan_attributes *const how = call->attributes;
    const bool is_float = call->real == GB_FLOAT;
    *to = (operand){.wide = from->number, .narrow = (float)from->number};
    if (from->is_number) {
        to->at = is_float ? (const char *)&to->narrow : (const char *)&to->wide;
        return;
    }
    const size_t width = is_float ? sizeof(float) : sizeof(double);
    to->layout = &call->arg[from->argument];
    to->by = (ptrdiff_t)gb_layout_stride(to->layout, how->time);
    to->at = call->in[from->argument];
    if (how->back && to->by != 0) { /* the last step is the first */
        to->at += (ptrdiff_t)(how->steps - 1) * to->by * (ptrdiff_t)width;
        to->by = -to->by;
    }
}

static const void *place_of(const gb_kernel_call *call, const operand *of, const int64_t *at)
{
    const size_t width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    if (!of->layout)
        return of->at;
    return of->at + (size_t)gb_event_offset(of->layout, call->out_layout.axes, at) * width;
}

static void start_at(const gb_kernel_call *call, size_t which, const int64_t *at, void *to)
{
    const int64_t from = gb_event_offset(&call->arg[which], call->out_layout.axes, at);
    if (call->real == GB_FLOAT)
        *(float *)to = ((const float *)call->in[which])[from];
    else
        *(double *)to = ((const double *)call->in[which])[from];
}

void gb_scan_run_line(const gb_kernel_call *call, size_t which, size_t from)
{
    const gb_scan_attributes *const how = call->attributes;
    const gb_core_line *const line = &how->core->line[which];
    const size_t width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double),
                 length = gb_shape_count(call->out_layout.shape), steps = (size_t)how->steps;
    const bool all = how->core->all[which], is_float = call->real == GB_FLOAT;
    operand a, b;
    int64_t at[GB_MAX_HIDDEN] = {0};
    find_operand(call, &line->a, &a);
    find_operand(call, &line->b, &b);
    lanes l = {.a_by = a.by, .b_by = b.by, .state_by = !all ? 0 : how->back ? -1 : 1};
    size_t count = 0, place = from + (all && how->back ? steps : 0);
    for (bool more = true; more; place += length) {
        l.a[count] = place_of(call, &a, at);
        l.b[count] = place_of(call, &b, at);
        l.state[count] = (char *)call->out + place * width;
        start_at(call, which, at, l.state[count++]);
        more = gb_next_event(&call->out_layout, at);
        if (count == LANES) {
            functions[line->is_chain][is_float][1](&l, steps);
            count = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        l.a[0] = l.a[i], l.b[0] = l.b[i], l.state[0] = l.state[i];
        functions[line->is_chain][is_float][0](&l, steps);
    }
}
