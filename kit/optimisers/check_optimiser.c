/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/check_optimiser.h"

#include <math.h>
#include <string.h>

#include "core/gradient.h"
#include "kit/shell/verdicts_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define STATEMENTS(do_)                                                                                      \
    do_(FORM,       "its struct is complete")                                                                \
    do_(RECORDED,   "it is recorded and run without an error")                                               \
    do_(DESCENT,    "it lowers the losses of test functions")                                                \
    do_(STEPS,      "its steps are those of its formula")                                                    \
    do_(FLOAT,      "on a float tape they are the same, rounded")                                            \
    do_(VARIABLES,  "two variables are updated as one that holds both, and a matrix as a vector")            \
    do_(RATE,       "a rate that is a node has the effect of a number")                                      \
    do_(SCHEDULE,   "a schedule multiplies the rate, in all of its step")                                    \
    do_(CLIP,       "it goes by the gradients that gb_minimise has clipped")                                 \
    do_(REPEATS,    "a program that is recorded again gives the same bits")                                  \
    do_(RESUMES,    "its state is in variables: after a reset it goes on with the same bits")                \
    do_(NONFINITE,  "data that are not finite change nothing")                                               \
    do_(REJECTED,    "an invalid rate is rejected by the optimiser's name")
/* clang-format on */
GB_STATEMENT_CODES(STATEMENTS);

static const char *const statements[] = GB_STATEMENT_TEXTS(STATEMENTS);

typedef struct checking {
    gb_kit kit;
    gb_optimiser optimiser;
    gb_optimiser_reference *reference;
} checking;

static const char *fault_of(const gb_optimiser_type *type)
{
    if (GB_KIT_FAULT(type, gb_optimiser_type))
        return GB_KIT_FAULT(type, gb_optimiser_type);
    if (!type->update)
        return "it has no update";
    return type->options ? gb_kit_table_fault(type) : "it has no table of options";
}

/* Returns the optimiser with another learning rate, or a node in its place, and a schedule. */
static gb_optimiser changed(gb_optimiser optimiser, double lr, gb_node rate, gb_schedule schedule)
{
    gb_option_block block;
    gb_options_unpack(optimiser.type, &optimiser.options, &block);
    gb_optimiser_head *const head = (void *)&block;
    head->lr = lr;
    head->rate = rate;
    head->schedule = schedule;
    return gb_optimiser_of(optimiser.type, &block);
}

static double lr_of(const gb_optimiser *optimiser)
{
    gb_option_block block;
    return ((const gb_optimiser_head *)gb_options_unpack(optimiser->type, &optimiser->options, &block))->lr;
}

/* ---- descent ---- */

typedef struct valley {
    const char *name;
    double target; /* share of the loss at the start */
    gb_node (*loss)(gb_node x, gb_node y);
} valley;

static gb_node bowl(gb_node x, gb_node y)
{
    return gb_add(gb_square(gb_shift(x, -0.5)), gb_square(gb_shift(y, 0.3)));
}

static gb_node ditch(gb_node x, gb_node y)
{
    return gb_add(gb_square(gb_add(x, y)), gb_scale(gb_square(gb_shift(gb_sub(x, y), -0.4)), 100));
}

static gb_node banana(gb_node x, gb_node y)
{
    return gb_add(gb_scale(gb_square(gb_sub(y, gb_square(x))), 100), gb_square(gb_shift(x, -1)));
}

static const valley valleys[] = {
    {"a quadratic", 1e-4, bowl},
    {"a quadratic of condition 100", 1e-4, ditch},
    {"Rosenbrock's valley", 1e-2, banana},
};

/* Returns the lowest loss that it reaches, relative to the loss at the start; ∞ if it fails. */
static double share_left(const checking *c, const valley *in, double rate)
{
    enum { RUNS = 2000 };
    const gb_optimiser optimiser = changed(c->optimiser, rate, (gb_node){0}, gb_cosine(RUNS));
    gb_tape *const t = gb_tape_new(.threads = 1);
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(-1.2)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(1));
    const gb_node loss = in->loss(x, y);
    gb_program *const p = gb_compile(t, gb_roots(loss), gb_minimise(loss, optimiser));
    double start = 0, left = INFINITY;
    for (int run = 0; run < RUNS && gb_run(p) == GB_OK && !(left <= in->target); run++) {
        const double value = gb_value(loss);
        start = run == 0 ? value : start;
        left = value / start;
    }
    if (gb_error(t) != GB_OK)
        left = INFINITY;
    gb_tape_free(t);
    return left;
}

static void check_descent(checking *c)
{
    static const double rates[] = {1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4};
    for (size_t i = 0; i < sizeof valleys / sizeof *valleys; i++) {
        double best = INFINITY;
        for (size_t r = 0; r < sizeof rates / sizeof *rates && !(best <= valleys[i].target); r++)
            best = fmin(best, share_left(c, &valleys[i], rates[r]));
        gb_kit_verdict(&c->kit, GB_ON_DESCENT, best <= valleys[i].target,
                       "%s: it gets to %g of its start, not to %g", valleys[i].name, best, valleys[i].target);
    }
}

/* ---- published formulas in plain C, as printed: the reference for optimisers of these names ---- */

static void sgd(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_sgd_options *const o = options;
    double v = 0;
    for (size_t i = 0; i < steps; i++) {
        v = o->momentum * v + g[i];
        x -= o->lr * (o->nesterov ? g[i] + o->momentum * v : v);
        out[i] = x;
    }
}

static void adagrad(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_adagrad_options *const o = options;
    double sum = 0;
    for (size_t i = 0; i < steps; i++) {
        sum += g[i] * g[i];
        x -= o->lr * g[i] / (sqrt(sum) + o->epsilon);
        out[i] = x;
    }
}

static void rmsprop(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_rmsprop_options *const o = options;
    double square = 0, mean = 0, b = 0;
    for (size_t i = 0; i < steps; i++) {
        square = o->decay * square + (1 - o->decay) * g[i] * g[i];
        mean = o->decay * mean + (1 - o->decay) * g[i];
        const double v = o->centred ? square - mean * mean : square;
        b = o->momentum * b + g[i] / (sqrt(v) + o->epsilon);
        x -= o->lr * b;
        out[i] = x;
    }
}

static void adam_with_decay(const gb_adam_options *o, double decay, double x, size_t steps, const double *g,
                            double *out)
{
    double m = 0, v = 0;
    for (size_t i = 0; i < steps; i++) {
        m = o->beta1 * m + (1 - o->beta1) * g[i];
        v = o->beta2 * v + (1 - o->beta2) * g[i] * g[i];
        const double t = (double)(i + 1), m_hat = m / (1 - pow(o->beta1, t)),
                     v_hat = v / (1 - pow(o->beta2, t));
        x -= o->lr * (m_hat / (sqrt(v_hat) + o->epsilon) + decay * x);
        out[i] = x;
    }
}

static void adam(const void *options, double x, size_t steps, const double *g, double *out)
{
    adam_with_decay(options, 0, x, steps, g, out);
}

static void adamw(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_adamw_options *const o = options;
    const gb_adam_options same = {.lr = o->lr, .beta1 = o->beta1, .beta2 = o->beta2, .epsilon = o->epsilon};
    adam_with_decay(&same, o->decay, x, steps, g, out);
}

static void natural(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_natural_options *const o = options;
    for (size_t i = 0; i < steps; i++)
        out[i] = x -= o->lr * o->others * g[i];
}

gb_optimiser_reference *gb_optimiser_reference_find(const char *name)
{
    static const struct {
        const char *name;
        gb_optimiser_reference *reference;
    } all[] = {{"sgd", sgd},   {"adagrad", adagrad}, {"rmsprop", rmsprop},
               {"adam", adam}, {"adamw", adamw},     {"natural", natural}};
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].reference;
    return NULL;
}

/* ---- steps ---- */

enum { STEPS_COUNT = 6, NUMBERS = 6 };

static double gradient_at(size_t step, size_t i)
{
    static const double size[NUMBERS] = {1, 1e-3, 1e-6, 1e3, 1, 1e-3};
    static const double wave[STEPS_COUNT] = {1, -0.5, 0.8, 0.1, 2, -1.5};
    return size[i] * wave[step] * (i == 3 ? -1 : 1);
}

/* The loss is a plane, so its gradients are given. */
static void check_steps(checking *c, gb_optimiser optimiser)
{
    static const double start[NUMBERS] = {0, 0.5, -1, 2, 3e4, -5e6};
    gb_optimiser_reference *const reference =
        c->reference ? c->reference : gb_optimiser_reference_find(c->kit.subject);
    if (!reference) {
        gb_kit_unchecked(&c->kit, GB_ON_STEPS, "its formula is unknown; give it by .reference");
        return;
    }
    gb_option_block block;
    const void *const options = gb_options_unpack(optimiser.type, &optimiser.options, &block);
    double should[NUMBERS][STEPS_COUNT], gradient[NUMBERS][STEPS_COUNT];
    for (size_t i = 0; i < NUMBERS; i++) {
        for (size_t step = 0; step < STEPS_COUNT; step++)
            gradient[i][step] = gradient_at(step, i);
        reference(options, start[i], STEPS_COUNT, gradient[i], should[i]);
    }
    gb_tape *const t = gb_tape_new(.threads = 1);
    const gb_node x = gb_variable(t, "x", gb_shape(NUMBERS), gb_values_of(start, NUMBERS));
    const gb_node slope = gb_input(t, "slope", gb_shape(NUMBERS)), loss = gb_sum(gb_mul(slope, x));
    gb_program *const p = gb_compile(t, gb_roots(loss), gb_minimise(loss, optimiser));
    bool right = true;
    for (size_t step = 0; right && step < STEPS_COUNT; step++) {
        double feed[NUMBERS], is[NUMBERS] = {0};
        for (size_t i = 0; i < NUMBERS; i++)
            feed[i] = gradient[i][step];
        gb_feed(slope, feed, 1);
        gb_run(p);
        right =
            gb_kit_verdict(&c->kit, GB_ON_RECORDED, gb_read(x, is, NUMBERS) == GB_OK, "%s", gb_error_text(t));
        for (size_t i = 0; right && i < NUMBERS; i++) {
            const double room = 1e-12 * (fabs(should[i][step]) + fabs(should[i][step] - start[i]));
            right = gb_kit_verdict(
                &c->kit, GB_ON_STEPS, fabs(is[i] - should[i][step]) <= room,
                "after %zu steps from %g, with the last gradient %g, it is at %.17g, not at %.17g", step + 1,
                start[i], feed[i], is[i], should[i][step]);
        }
    }
    gb_tape_free(t);
}

/* ---- the same trajectory in other ways ---- */

enum { RUNS = 12, HALF = 3 };

/* How a trajectory is made; by default one variable, a vector of 2 · HALF numbers, on a double tape. */
typedef struct way {
    gb_real real;
    bool split, matrix, rate_node, reset, not_finite;
    enum { STEADY, SCHEDULED, FED } rate; /* fed: the same factors by hand, beside another number */
    /* The loss is the plane of its gradient, which is clipped or not; or gb_minimise clips. */
    enum { AS_IT_IS, PLANE, CLIPPED_PLANE, CLIPPED } gradient;
} way;

typedef struct world {
    gb_tape *t;
    gb_node x[2], centre, rate, loss;
    size_t variables;
    /* `blind` lacks the loss as a root: a NaN there would be enough for the run to fail. */
    gb_program *program, *blind;
} world;

/* Σ a (x − centre)², a from 0.5 to 2. */
static gb_node objective(world *w, size_t count, const gb_node *part)
{
    static const double steepness[2 * HALF] = {0.5, 1, 2, 1.5, 0.7, 0.9};
    gb_node sum = gb_num(w->t, 0);
    const int64_t each = 2 * HALF / (int64_t)count;
    for (size_t i = 0; i < count; i++) {
        const gb_node a =
            gb_constant(w->t, gb_shape(each), gb_values_of(steepness + i * (size_t)each, (size_t)each));
        const int64_t begin = (int64_t)i * each;
        const gb_node x = gb_reshape(part[i], gb_shape(each));
        const gb_node off = gb_sub(x, gb_slice(w->centre, 0, begin, begin + each));
        sum = gb_add(sum, gb_sum(gb_mul(a, gb_square(off))));
    }
    return sum;
}

enum { EVERY = 4 }; /* runs until the factor is halved */
static const double MOST = 0.8;

static gb_optimiser with_rate(world *w, gb_optimiser optimiser, way how)
{
    const double lr = lr_of(&optimiser);
    if (how.rate_node)
        return changed(optimiser, lr, gb_variable(w->t, "rate", gb_shape(), gb_fill(lr)), gb_steady());
    if (how.rate == SCHEDULED)
        return changed(optimiser, lr, (gb_node){0}, gb_step_decay(EVERY, 0.5));
    if (how.rate == STEADY)
        return optimiser;
    w->rate = gb_input(w->t, "rate", gb_shape());
    return changed(optimiser, 7 * lr, w->rate, gb_steady());
}

/* Returns what is minimised: the loss, or Σ g x with its gradient g, which an optimiser cannot tell from it
 * if it goes by gradients alone. */
static gb_node plane(const world *w, way how)
{
    if (how.gradient == AS_IT_IS || how.gradient == CLIPPED)
        return w->loss;
    const gb_node g = gb_stop(gb_grad(w->loss, w->x[0]));
    return gb_sum(gb_mul(how.gradient == CLIPPED_PLANE ? gb_clip(g, -MOST, MOST) : g, w->x[0]));
}

static void record(world *w, gb_optimiser optimiser, way how)
{
    static const double start[2 * HALF] = {0.2, -0.4, 1.5, -2, 0.1, 3};
    w->variables = how.split ? 2 : 1;
    w->centre = gb_input(w->t, "centre", gb_shape(2 * HALF));
    for (size_t i = 0; i < w->variables; i++) {
        const size_t each = 2 * HALF / w->variables;
        const gb_shape shape = how.matrix ? gb_shape(2, (int64_t)each / 2) : gb_shape((int64_t)each);
        w->x[i] = gb_variable(w->t, i ? "y" : "x", shape, gb_values_of(start + i * each, each));
    }
    w->loss = objective(w, w->variables, w->x);
    const gb_updates updates =
        gb_minimise(plane(w, how), with_rate(w, optimiser, how), .clip = how.gradient == CLIPPED ? MOST : 0);
    w->program = gb_compile(w->t, gb_roots(w->loss), updates);
    w->blind = gb_compile(w->t, (gb_node_list){0}, updates);
}

/* Sets one of the data to `middle`, which is 0.5 in a plain run. */
static void feed(const world *w, double middle)
{
    const double centre[2 * HALF] = {1, 2, -1, middle, -0.5, 0.3};
    gb_feed(w->centre, centre, 1);
}

/* Returns false if the run is accepted. Infinities are not tried: a step may depend on their sign alone. */
static bool rejects_nan(const world *w, gb_program *program)
{
    feed(w, NAN);
    const bool rejected = gb_run(program) == GB_ENONFINITE;
    gb_forgive(w->t);
    feed(w, 0.5);
    return rejected;
}

static bool trajectory(checking *c, way how, double x[RUNS][2 * HALF])
{
    world w = {.t = gb_tape_new(.threads = 1, .real = how.real)};
    bool good = true;
    record(&w, c->optimiser, how);
    feed(&w, 0.5);
    for (size_t run = 0; good && run < RUNS; run++) {
        if (how.reset && run == RUNS / 2) {
            gb_tape_reset(w.t);
            record(&w, c->optimiser, how);
            feed(&w, 0.5);
        }
        if (how.not_finite && (run == 0 || run == RUNS / 2))
            good = gb_kit_verdict(&c->kit, GB_ON_NONFINITE, rejects_nan(&w, run ? w.program : w.blind),
                                  "a run with NaN among its data was accepted");
        const size_t halvings = run / EVERY;
        const double rate = lr_of(&c->optimiser) * pow(0.5, (double)halvings);
        if (w.rate.tape)
            gb_feed(w.rate, &rate, 1);
        gb_run(w.program);
        for (size_t i = 0; i < w.variables; i++)
            gb_read(w.x[i], x[run] + i * HALF, 2 * HALF / w.variables);
        good =
            gb_kit_verdict(&c->kit, GB_ON_RECORDED, gb_error(w.t) == GB_OK, "%s", gb_error_text(w.t)) && good;
    }
    gb_tape_free(w.t);
    return good;
}

static void compare(checking *c, gb_statement which, way how, double allowed, double should[RUNS][2 * HALF])
{
    double is[RUNS][2 * HALF] = {{0}};
    bool same = trajectory(c, how, is);
    for (size_t run = 0; same && run < RUNS; run++)
        for (size_t i = 0; same && i < 2 * HALF; i++)
            same = gb_kit_verdict(
                &c->kit, which, fabs(is[run][i] - should[run][i]) <= allowed * (1 + fabs(should[run][i])),
                "number %zu after %zu runs is %.17g, not %.17g", i, run + 1, is[run][i], should[run][i]);
}

/* Returns whether two trajectories are the same up to run `until`. */
static bool are_same(size_t until, double a[RUNS][2 * HALF], double b[RUNS][2 * HALF])
{
    return memcmp(a, b, until * sizeof *a) == 0;
}

/* The rate must come from the node: the number beside it is another one. */
static void check_schedule(checking *c, double plain[RUNS][2 * HALF])
{
    double is[RUNS][2 * HALF] = {{0}};
    if (!trajectory(c, (way){.rate = SCHEDULED}, is))
        return;
    compare(c, GB_ON_SCHEDULE, (way){.rate = FED}, 0, is);
    gb_kit_verdict(&c->kit, GB_ON_SCHEDULE, are_same(EVERY, is, plain),
                   "before the factor changes it goes elsewhere than without a schedule");
    gb_kit_verdict(&c->kit, GB_ON_SCHEDULE, !are_same(RUNS, is, plain),
                   "half of the rate from run %d on makes no difference", EVERY + 1);
}

/* Optimisers that go by the loss as well, as L-BFGS does, cannot be given a gradient of another. */
static void check_clip(checking *c, double plain[RUNS][2 * HALF])
{
    double is[RUNS][2 * HALF] = {{0}};
    if (!trajectory(c, (way){.gradient = PLANE}, is))
        return;
    if (!are_same(RUNS, is, plain))
        gb_kit_skip(&c->kit, GB_ON_CLIP, "it goes by more than the gradients");
    else if (trajectory(c, (way){.gradient = CLIPPED_PLANE}, is))
        compare(c, GB_ON_CLIP, (way){.gradient = CLIPPED}, 0, is);
}

static void check_ways(checking *c)
{
    double plain[RUNS][2 * HALF] = {{0}};
    if (!trajectory(c, (way){0}, plain))
        return;
    compare(c, GB_ON_FLOAT, (way){.real = GB_FLOAT}, 1e-3, plain);
    compare(c, GB_ON_VARIABLES, (way){.split = true}, 1e-9, plain);
    compare(c, GB_ON_VARIABLES, (way){.matrix = true}, 1e-9, plain);
    compare(c, GB_ON_RATE, (way){.rate_node = true}, 0, plain);
    for (int i = 0; i < 2; i++) /* also of what it does every other time */
        compare(c, GB_ON_REPEATS, (way){0}, 0, plain);
    compare(c, GB_ON_RESUMES, (way){.reset = true}, 0, plain);
    compare(c, GB_ON_NONFINITE, (way){.not_finite = true}, 0, plain);
    check_schedule(c, plain);
    check_clip(c, plain);
}

static bool number_is_rejected(void *context, const gb_packed *options, const char *name, double value)
{
    checking *const c = context;
    world w = {.t = gb_tape_new(.threads = 1)};
    record(&w, (gb_optimiser){.type = c->optimiser.type, .options = *options}, (way){0});
    const bool rejected =
        gb_kit_verdict(&c->kit, GB_ON_REJECTED,
                       gb_error(w.t) == GB_EARGUMENT && strstr(gb_error_text(w.t), c->kit.subject) &&
                           strstr(gb_error_text(w.t), name),
                       "%s = %g: the error is \"%s\"", name, value, gb_error_text(w.t));
    gb_tape_free(w.t);
    return rejected;
}

static void check_rejections(checking *c)
{
    gb_kit_wrong_numbers(c->optimiser.type, &c->optimiser.options, number_is_rejected, c);
}

/* ---- all of it ---- */

bool gb_check_optimiser_with(gb_optimiser optimiser, const gb_check_optimiser_options *options)
{
    gb_check_optimiser_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const gb_optimiser_type *const type = optimiser.type;
    const char *const fault = fault_of(type);
    checking c = {.kit = {.subject = type && type->name && *type->name ? type->name : "(no name)",
                          .report = own.report,
                          .statements = statements},
                  .optimiser = optimiser,
                  .reference = own.reference};
    if (!gb_kit_verdict(&c.kit, GB_ON_FORM, !fault, "%s", fault ? fault : ""))
        return gb_kit_conclude(&c.kit);
    c.optimiser = changed(optimiser, lr_of(&optimiser), (gb_node){0}, (gb_schedule){0});
    check_steps(&c, c.optimiser);
    check_steps(&c, changed(optimiser, 1000 * lr_of(&optimiser), (gb_node){0}, (gb_schedule){0}));
    check_ways(&c);
    check_descent(&c);
    check_rejections(&c);
    return gb_kit_conclude(&c.kit);
}
