/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_scan in programs: draws, checks, messages, fingerprints, threads, memory, expectations; what is
 * rejected. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "models/family.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/hold.h"
#include "ops/matmul.h"
#include "ops/recursion.h"
#include "ops/recursion/recursion_impl.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/misuse.h"

/* s ← a s + x, with a parameter or two. */
static void decay(gb_scan_step *s)
{
    const gb_node *const p = s->user;
    s->next[0] = gb_add(gb_mul(p[0], s->state[0]), s->input[0]);
    if (s->outputs > 0)
        s->output[0] = gb_square(s->next[0]);
}

static gb_node ramp(gb_tape *t, int64_t steps)
{
    const gb_node one = gb_constant(t, gb_shape(1), GB_VALUES(0.5));
    return gb_mul(one, gb_ones(t, gb_shape(steps)));
}

/* ---- draws ---- */

typedef struct walk {
    gb_noise noise;
    gb_node scale;
    gb_axes axes;
} walk;

/* A random walk, whose increments are seen too. */
static void random_walk(gb_scan_step *s)
{
    const walk *const w = s->user;
    const gb_node draw = gb_normal_noise(w->noise, gb_shape(2), w->axes);
    s->next[0] = gb_add(s->state[0], gb_mul(w->scale, draw));
    s->output[0] = s->next[0];
    s->output[1] = draw;
}

typedef struct drawing {
    const char *name;
    int64_t recompute;
    gb_axes axes;
} drawing;
static const drawing drawings[] = {
    {"draws", 0, 0}, {"draws for each sample", 0, GB_SAMPLES}, {"draws, recomputing", 8, GB_SAMPLES}};

TEST_EACH(each_step_draws_anew_and_everything_sees_the_same_draws, drawings)
{
    enum { STEPS = 50, SAMPLES = 3 };
    const drawing *const d = row;
    gb_tape *const tape = test_tape(.seed = 5, .samples = SAMPLES);
    const gb_node scale = gb_variable(tape, "scale", gb_shape(), gb_fill(2));
    walk w = {.noise = gb_stream(tape, "walk"), .scale = scale, .axes = d->axes};
    const gb_scan_result r = gb_scan(tape, random_walk, gb_roots(gb_zeros(tape, gb_shape(2))), .steps = STEPS,
                                     .outputs = 2, .recompute = d->recompute, .user = &w);
    const size_t places = d->axes ? SAMPLES : 1, count = places * STEPS * 2;
    gb_node sum = gb_sum(r.last[0]), draws = gb_sum(r.output[1]);
    if (d->axes) {
        sum = gb_sum_over(sum, GB_SAMPLES);
        draws = gb_sum_over(draws, GB_SAMPLES);
    }
    const gb_node slope = gb_grad(sum, scale);
    gb_program *const p = gb_compile(tape, gb_roots(r.output[0], r.output[1], slope, draws), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    double *const path = calloc(2 * count, sizeof *path), *const draw = path + count, squares = 0;
    assert_int_equal(gb_read(r.output[0], path, count), GB_OK);
    assert_int_equal(gb_read(r.output[1], draw, count), GB_OK);
    for (size_t i = 0; i < count; i++) {
        const bool begins = i / 2 % STEPS == 0;
        assert_near(path[i] - (begins ? 0 : path[i - 2]), 2 * draw[i], 1e-12);
        squares += draw[i] * draw[i];
        for (size_t j = 0; j < i; j++)
            assert_true(draw[i] != draw[j]);
    }
    /* The gradient sees the draws of the value: the slope of the sum of the ends is the sum of all draws. */
    assert_near(gb_value(slope), gb_value(draws), 1e-11);
    assert_true(squares / (double)count > 0.5 && squares / (double)count < 1.6);
    free(path);
}

static void state_draw(gb_scan_step *s)
{
    walk *const w = s->user;
    s->next[0] = gb_gamma_noise(w->noise, gb_shape(), 0, s->state[0]);
}

TEST(a_draw_whose_parameters_depend_on_the_state_is_rejected)
{
    walk w = {.noise = gb_stream(t, "walk")};
    const gb_scan_result r = gb_scan(t, state_draw, gb_roots(gb_num(t, 1)), .steps = 3, .user = &w);
    assert_false(gb_node_ok(r.last[0]));
    assert_rejected(t, GB_EARGUMENT, "is a draw whose parameters depend on the state");
}

static void step_with_site(gb_scan_step *s)
{
    const gb_dist q = gb_normal(gb_num(s->tape, 0), gb_num(s->tape, 1));
    s->next[0] = gb_add(s->state[0], gb_draw(s->user, "z", q, gb_pathwise()));
}

TEST(a_site_inside_a_step_is_rejected)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_scan_result r = gb_scan(t, step_with_site, gb_roots(gb_num(t, 1)), .steps = 3, .user = e);
    assert_false(gb_node_ok(r.last[0]));
    assert_rejected(t, GB_EARGUMENT, "draw z is made inside the step; call gb_draw before gb_scan");
}

/* ---- checks and messages ---- */

static void held(gb_scan_step *s)
{
    const gb_hold_words words = {"model", "the variance", "positive", 0};
    const gb_node next = gb_sub(s->state[0], s->input[0]);
    s->next[0] = gb_hold(next, gb_less_equal(next, gb_num(s->tape, 0)), words);
}

static void held_input(gb_scan_step *s)
{
    const gb_hold_words words = {"model", "the input", "positive", 0};
    s->next[0] =
        gb_add(s->state[0], gb_hold(s->input[0], gb_less_equal(s->input[0], gb_num(s->tape, 0)), words));
}

static void assert_run_rejected(gb_tape *t, gb_scan_function *f, gb_status code, const char *words,
                                int64_t recompute)
{
    const gb_node x = gb_variable(t, "x", gb_shape(20), gb_fill(1));
    const gb_node first = gb_variable(t, "first", gb_shape(), gb_fill(100));
    const gb_scan_result r = gb_scan(t, f, gb_roots(first), .inputs = gb_roots(x), .recompute = recompute);
    gb_program *const p = gb_compile(t, gb_roots(r.last[0]), gb_assign(first, r.last[0]));
    assert_fine(t);
    assert_int_equal(gb_run(p), GB_OK);
    double numbers[20];
    for (int i = 0; i < 20; i++)
        numbers[i] = i == 13 ? 1e6 : 1;
    if (f != held)
        numbers[13] = -1;
    gb_set(x, gb_values_of(numbers, 20));
    gb_run(p);
    assert_rejected(t, code, words);
    gb_set(x, gb_fill(1));
    gb_set(first, gb_fill(100));
    assert_int_equal(gb_run(p), GB_OK);
}

TEST(a_held_state_is_checked_in_each_step_and_the_message_names_the_step)
{
    assert_run_rejected(t, held, GB_EARGUMENT,
                        "model: the variance is -999933, and must be positive, in step 13 of scan", 0);
}

TEST(a_held_input_is_checked_for_all_steps_at_once_and_the_message_names_the_step)
{
    assert_run_rejected(t, held_input, GB_EARGUMENT,
                        "model: the input is -1, and must be positive, in step 13 of a scan", 0);
}

TEST(a_held_state_in_a_segment_is_named_with_both_steps)
{
    assert_run_rejected(t, held, GB_EARGUMENT, "in step 2 of scan (node", 5);
    gb_tape *const again = test_tape();
    assert_run_rejected(again, held, GB_EARGUMENT, "in step 3 of scan (node", 5);
}

static void root_of_state(gb_scan_step *s)
{
    s->next[0] = gb_add(gb_sqrt(gb_mul(s->state[0], s->input[0])), gb_num(s->tape, 1));
}

static void log_of_input(gb_scan_step *s)
{
    s->next[0] = gb_add(gb_tanh(s->state[0]), gb_log(s->input[0]));
}

TEST(a_nan_is_traced_to_the_operation_and_the_step)
{
    assert_run_rejected(t, root_of_state, GB_ENONFINITE, "the first NaN value was made by sqrt", 0);
    gb_tape *const again = test_tape();
    assert_run_rejected(again, root_of_state, GB_ENONFINITE, ", in step 13 of scan (node", 0);
    gb_tape *const at_once = test_tape();
    assert_run_rejected(at_once, log_of_input, GB_ENONFINITE, "was made by log (node", 0);
    gb_tape *const named = test_tape();
    assert_run_rejected(named, log_of_input, GB_ENONFINITE, ", in step 13 of a scan", 0);
}

/* s ← a s + b, where a is 0, and in step 13 so large that the state overflows: 0 ∞ is the NaN of step 14. */
static void overflowing_line(gb_scan_step *s)
{
    const gb_node a = gb_scale(gb_sub(gb_num(s->tape, 1), s->input[0]), 0.5e308);
    s->next[0] = gb_add(gb_mul(a, s->state[0]), gb_scale(s->input[0], 100));
}

TEST(a_nan_of_a_line_is_traced_to_its_step)
{
    assert_run_rejected(t, overflowing_line, GB_ENONFINITE, "the first NaN value was made by mul", 0);
    gb_tape *const again = test_tape();
    assert_run_rejected(again, overflowing_line, GB_ENONFINITE, ", in step 14 of scan (node", 0);
}

/* ---- fingerprints ---- */

static void grow(gb_scan_step *s)
{
    const gb_node *const p = s->user;
    s->next[0] = gb_mul(gb_mul(p[0], s->state[0]), s->input[0]);
}

static void swap(gb_scan_step *s)
{
    s->next[0] = s->state[1];
    s->next[1] = s->state[0];
}

static void keep(gb_scan_step *s)
{
    s->next[0] = s->state[0];
    s->next[1] = s->state[1];
}

static uint64_t print_of(gb_scan_function *f, int64_t steps, bool reverse)
{
    gb_tape *const t = test_tape();
    const gb_node a = gb_variable(t, "a", gb_shape(), gb_fill(0.9)),
                  b = gb_variable(t, "b", gb_shape(), gb_fill(1));
    const bool two = f == swap || f == keep;
    const gb_scan_result r =
        gb_scan(t, f, gb_roots_of(two ? 2 : 1, (const gb_node[]){a, b}),
                .inputs = gb_roots_of(two ? 0 : 1, (const gb_node[]){ramp(t, steps)}),
                .steps = two ? steps : 0, .reverse = reverse, .user = (void *)(uintptr_t)&a);
    uint64_t print = 0;
    assert_int_equal(gb_program_fingerprint(gb_compile(t, gb_roots(r.last[0]), gb_no_update), &print), GB_OK);
    return print;
}

TEST(fingerprints_see_the_step)
{
    assert_true(print_of(decay, 5, false) == print_of(decay, 5, false));
    assert_true(print_of(decay, 5, false) != print_of(grow, 5, false));
    assert_true(print_of(decay, 5, false) != print_of(decay, 6, false));
    assert_true(print_of(decay, 5, false) != print_of(decay, 5, true));
    assert_true(print_of(swap, 5, false) != print_of(keep, 5, false));
}

/* ---- how much is recorded and kept ---- */

TEST(recording_and_planning_do_not_depend_on_the_number_of_steps)
{
    size_t length[2], instructions[2];
    for (int i = 0; i < 2; i++) {
        gb_tape *const tape = test_tape();
        const gb_node a = gb_variable(tape, "a", gb_shape(), gb_fill(0.9));
        const gb_scan_result r =
            gb_scan(tape, decay, gb_roots(gb_num(tape, 1)), .inputs = gb_roots(ramp(tape, i ? 200 : 100)),
                    .outputs = 1, .user = (void *)(uintptr_t)&a);
        const gb_node g = gb_grad(gb_sum(r.output[0]), a);
        gb_plan_facts facts;
        gb_program_plan(gb_compile(tape, gb_roots(g), gb_no_update), &facts);
        length[i] = gb_tape_length(tape);
        instructions[i] = facts.instructions;
        assert_fine(tape);
    }
    assert_int_equal(length[0], length[1]);
    assert_int_equal(instructions[0], instructions[1]);
}

/* y ← x, z ← y; and e ← x − y e. */
static void delay(gb_scan_step *s)
{
    s->next[0] = s->input[0];
    s->next[1] = s->state[0];
    if (s->states > 2)
        s->next[2] = gb_sub(s->input[0], gb_mul(s->state[0], s->state[2]));
    s->output[0] = gb_add(s->state[0], s->state[s->states - 1]);
}

/* Returns the states of all scans of a tape. */
static size_t scanned_states(gb_tape *t)
{
    size_t states = 0;
    for (size_t i = 0; i < gb_tape_length(t); i++) {
        const gb_body *const body = gb_node_own_body(gb_tape_node(t, i));
        states += body ? body->carried : 0;
    }
    return states;
}

TEST(states_that_only_delay_an_input_are_left_out_of_the_scan)
{
    for (int more = 0; more < 2; more++) {
        gb_tape *const tape = test_tape();
        const gb_node first[] = {gb_num(tape, 7), gb_num(tape, 8), gb_num(tape, 9)},
                      x = gb_variable(tape, "x", gb_shape(4), GB_VALUES(1, 2, 3, 4));
        const gb_scan_result r =
            gb_scan(tape, delay, gb_roots_of(more ? 3 : 2, first), .inputs = gb_roots(x), .outputs = 1);
        const gb_node sum = gb_sum(r.output[0]), slope = gb_grad(sum, x);
        assert_int_equal(
            gb_run(gb_compile(tape, gb_roots(r.last[0], r.last[1], r.output[0], sum, slope), gb_no_update)),
            GB_OK);
        assert_int_equal(scanned_states(tape), more ? 2 : 0); /* e, and its adjoint */
        assert_values(r.last[0], 4);
        assert_values(r.last[1], 3);
        if (!more) {
            assert_values(r.output[0], 15, 8, 3, 5);
            assert_values(slope, 2, 2, 1, 0);
        }
    }
}

/* A state of 1,000 numbers. */
static void wide(gb_scan_step *s)
{
    const gb_node *const p = s->user;
    s->next[0] = gb_sin(gb_mul(gb_sin(gb_mul(p[0], s->state[0])), gb_exp(gb_sin(s->state[0]))));
}

static size_t bytes_with(int64_t recompute, double *slope)
{
    gb_tape *const t = test_tape();
    const gb_node a = gb_variable(t, "a", gb_shape(), gb_fill(0.9));
    const gb_node first = gb_variable(t, "first", gb_shape(1000), gb_fill(0.3));
    const gb_scan_result r = gb_scan(t, wide, gb_roots(first), .steps = 400, .recompute = recompute,
                                     .user = (void *)(uintptr_t)&a);
    const gb_node g = gb_grad(gb_sum(r.last[0]), a);
    gb_program *const p = gb_compile(t, gb_roots(g), gb_no_update);
    gb_plan_facts facts;
    assert_int_equal(gb_program_plan(p, &facts), GB_OK);
    assert_int_equal(gb_run(p), GB_OK);
    *slope = gb_value(g);
    return facts.bytes;
}

TEST(recomputing_saves_memory)
{
    double kept, recomputed;
    const size_t all = bytes_with(0, &kept), some = bytes_with(20, &recomputed);
    assert_true(some < all / 5);
    assert_near(recomputed / kept, 1, 1e-12);
}

TEST(replays_allocate_nothing)
{
    counted_memory memory = {0};
    gb_tape *const tape = gb_tape_new(.memory = counted(&memory));
    const gb_node a = gb_variable(tape, "a", gb_shape(), gb_fill(0.9));
    const gb_scan_result r =
        gb_scan(tape, decay, gb_roots(gb_num(tape, 1)), .inputs = gb_roots(ramp(tape, 99)), .outputs = 1,
                .recompute = 7, .user = (void *)(uintptr_t)&a);
    gb_program *const p = gb_compile(tape, gb_roots(gb_grad(gb_sum(r.output[0]), a)), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    const size_t before = memory.asked;
    for (int i = 0; i < 3; i++)
        assert_int_equal(gb_run(p), GB_OK);
    assert_int_equal(memory.asked, before);
    gb_tape_free(tape);
    assert_int_equal(memory.outstanding, 0);
}

static void products(gb_scan_step *s)
{
    const gb_node *const p = s->user;
    s->next[0] = gb_tanh(gb_add(gb_matmul(p[0], s->state[0]), s->input[0]));
    s->output[0] = gb_sum(s->next[0]);
}

TEST(the_bits_do_not_depend_on_threads)
{
    enum { WIDE = 200, STEPS = 12 };
    double is[2][STEPS + 1];
    for (int i = 0; i < 2; i++) {
        gb_tape *const tape = test_tape(.threads = i ? 3 : 1);
        const gb_node w = gb_scale(gb_normal_noise(gb_stream(tape, "w"), gb_shape(WIDE, WIDE), 0), 0.05);
        const gb_node x = gb_normal_noise(gb_stream(tape, "x"), gb_shape(STEPS, WIDE, WIDE), 0);
        const gb_node first = gb_variable(tape, "first", gb_shape(WIDE, WIDE), gb_fill(0.1));
        const gb_scan_result r = gb_scan(tape, products, gb_roots(first), .inputs = gb_roots(x), .outputs = 1,
                                         .user = (void *)(uintptr_t)&w);
        const gb_node g = gb_sum(gb_square(gb_grad(gb_sum(r.output[0]), first)));
        gb_program *const p = gb_compile(tape, gb_roots(r.output[0], g), gb_no_update);
        assert_int_equal(gb_run(p), GB_OK);
        assert_int_equal(gb_read(r.output[0], is[i], STEPS), GB_OK);
        is[i][STEPS] = gb_value(g);
    }
    assert_memory_equal(is[0], is[1], sizeof is[0]);
}

static gb_status scan_and_differentiate(gb_tape *t, const void *what)
{
    const gb_node a = gb_variable(t, "a", gb_shape(), gb_fill(0.9));
    const gb_scan_result r =
        gb_scan(t, decay, gb_roots(gb_num(t, 1)), .inputs = gb_roots(ramp(t, 11)), .outputs = 1,
                .recompute = *(const int64_t *)what, .user = (void *)(uintptr_t)&a);
    const gb_node g = gb_grad(gb_add(gb_sum(r.output[0]), r.last[0]), a), g2 = gb_grad(g, a);
    gb_program *const p = gb_compile(t, gb_roots(g, g2), gb_no_update);
    uint64_t print;
    gb_program_fingerprint(p, &print);
    if (gb_run(p) == GB_OK)
        gb_value(g2);
    return gb_error(t);
}

TEST(lack_of_memory_is_an_error_wherever_it_occurs)
{
    const int64_t all = 0, some = 4;
    assert_outlives_lack_of_memory(scan_and_differentiate, &all, "scan", 0, (gb_tape_options){0});
    assert_outlives_lack_of_memory(scan_and_differentiate, &some, "recomputing scan", 0,
                                   (gb_tape_options){0});
}

/* ---- expectations ---- */

static double elbo_slope(gb_estimator estimator, bool by_scan, double *value)
{
    enum { STEPS = 6 };
    gb_tape *const t = test_tape(.seed = 3, .samples = 16);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), estimator);
    gb_node mean = gb_num(t, 1);
    const gb_node x = ramp(t, STEPS);
    if (by_scan)
        mean =
            gb_scan(t, decay, gb_roots(mean), .inputs = gb_roots(x), .user = (void *)(uintptr_t)&w).last[0];
    else
        for (int i = 0; i < STEPS; i++)
            mean = gb_add(gb_mul(w, mean), gb_sum(gb_slice(x, 0, i, i + 1)));
    gb_observe(e, "y", gb_normal(mean, gb_num(t, 1)), gb_num(t, 0.7));
    const gb_node loss = gb_elbo_loss(e), g = gb_grad(loss, gb_variable_named(t, "w.location"));
    gb_program *const p = gb_compile(t, gb_roots(loss, g), gb_no_update);
    if (gb_run(p) != GB_OK)
        fail_msg("%s", gb_error_text(t));
    *value = gb_value(loss);
    return gb_value(g);
}

TEST(an_elbo_over_a_scan_has_the_estimates_of_its_steps_one_by_one)
{
    for (int i = 0; i < 2; i++) {
        double is, should;
        const gb_estimator estimator = i ? gb_score(.baseline = gb_leave_one_out()) : gb_pathwise();
        const double slope = elbo_slope(estimator, true, &is), other = elbo_slope(estimator, false, &should);
        assert_near(is, should, 1e-12 * fabs(should));
        assert_near(slope, other, 1e-11 * fabs(other));
    }
}

static void rounded(gb_scan_step *s)
{
    const gb_node *const p = s->user;
    s->next[0] = gb_add(gb_floor(gb_mul(p[0], s->state[0])), s->input[0]);
}

TEST(a_jump_on_the_way_from_state_to_state_is_seen_by_estimators_that_need_smooth_costs)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_scan_result r = gb_scan(t, rounded, gb_roots(gb_num(t, 1)), .inputs = gb_roots(ramp(t, 3)),
                                     .user = (void *)(uintptr_t)&w);
    gb_observe(e, "y", gb_normal(r.last[0], gb_num(t, 1)), gb_num(t, 0.7));
    assert_false(gb_node_ok(gb_elbo_loss(e)));
    assert_rejected(t, GB_EARGUMENT, "floor jumps");
}

/* ---- what is rejected ---- */

static void nothing(gb_scan_step *s)
{
    (void)s;
}

static gb_node caught;
static void leak(gb_scan_step *s)
{
    s->next[0] = gb_mul(s->state[0], s->input[0]);
    caught = s->next[0];
}

static void vector_state(gb_scan_step *s)
{
    s->next[0] = gb_mul(s->state[0], gb_ones(s->tape, gb_shape(3)));
}

static void boolean_state(gb_scan_step *s)
{
    s->next[0] = gb_less(s->state[0], gb_num(s->tape, 3));
}

static void bad_shapes(gb_scan_step *s)
{
    s->next[0] =
        gb_sum(gb_add(gb_ones(s->tape, gb_shape(2)), gb_mul(s->state[0], gb_ones(s->tape, gb_shape(3)))));
}

static void foreign_state(gb_scan_step *s)
{
    s->next[0] = ((const world *)s->user)->foreign;
}

static void no_output(gb_scan_step *s)
{
    s->next[0] = s->state[0];
}

static void reset(gb_scan_step *s)
{
    gb_tape_reset(s->tape);
}

static void looks(gb_scan_step *s)
{
    gb_value(s->state[0]);
    s->next[0] = s->state[0];
}

static void joins(gb_scan_step *s)
{
    s->next[0] = gb_mean_over(gb_add(s->state[0], ((const world *)s->user)->hidden), GB_SAMPLES);
}

/* The first state does not vary over rows, and later ones do. */
static void joins_later(gb_scan_step *s)
{
    const gb_node mean = gb_mean_over(s->state[0], GB_SAMPLES);
    s->next[0] = gb_add(mean, ((const world *)s->user)->hidden);
}

static gb_node last_of(world *w, gb_scan_function *f, gb_node first)
{
    return gb_scan(w->t, f, gb_roots(first), .inputs = gb_roots(w->vector), .outputs = f == no_output,
                   .user = w)
        .last[0];
}

MISUSE(no_function, GB_EARGUMENT, "scan: the function that records a step is NULL",
       last_of(w, NULL, w->scalar))
MISUSE(no_next_state, GB_ENODE, "scan, the step: the function did not set the next state 0",
       last_of(w, nothing, w->scalar))
MISUSE(no_output_set, GB_ENODE, "scan, the step: the function did not set output 0",
       last_of(w, no_output, w->scalar))
MISUSE(another_shape, GB_ESHAPE, "scan, the step: state 0 has shape (), and (3) after the step",
       last_of(w, vector_state, w->scalar))
MISUSE(another_type, GB_ETYPE, "scan, the step: the next state 0 is not real",
       last_of(w, boolean_state, w->scalar))
MISUSE(an_error_in_the_step, GB_ESHAPE, "scan, the step: add: (2) and (3) do not broadcast",
       last_of(w, bad_shapes, w->scalar))
MISUSE(a_state_of_another_tape, GB_ENODE, "scan, the step: the next state 0 belongs to another tape",
       last_of(w, foreign_state, w->scalar))
MISUSE(an_integer_state, GB_ETYPE, "scan: state 0 is not real", last_of(w, decay, w->ints))
MISUSE(a_first_state_of_another_tape, GB_ENODE, "scan: state 0 belongs to another tape",
       last_of(w, decay, w->foreign))
MISUSE(a_first_state_before_a_reset, GB_ENODE, "recorded before gb_tape_reset", last_of(w, decay, w->old))
MISUSE(a_value_inside_a_step, GB_ENODE, "scan, the step: compile: given (node", last_of(w, looks, w->scalar))
MISUSE(samples_joined_in_a_step, GB_EARGUMENT, "joins samples or rows on the way to the next state",
       last_of(w, joins, w->vector))
MISUSE(samples_joined_from_the_second_step_on, GB_EARGUMENT,
       "does not vary along the samples so far, but may do so from the second step on",
       last_of(w, joins_later, w->vector))
MISUSE(no_states, GB_EARGUMENT, "scan: 0 states",
       gb_scan(w->t, decay, gb_roots_of(0, NULL), .steps = 2).last[0])
MISUSE(a_missing_list, GB_EARGUMENT, "scan: 1 state are given, but the list is NULL",
       gb_scan(w->t, decay, gb_roots_of(1, NULL)).last[0])
MISUSE(an_inert_input, GB_ENODE, "scan: input 0 is no node",
       gb_scan(w->t, decay, gb_roots(w->scalar), .inputs = gb_roots((gb_node){0})).last[0])
MISUSE(negative_steps, GB_EARGUMENT, "scan: -1 steps",
       gb_scan(w->t, no_output, gb_roots(w->scalar), .steps = -1).last[0])
MISUSE(negative_recompute, GB_EARGUMENT, "scan: .recompute is -2",
       gb_scan(w->t, no_output, gb_roots(w->scalar), .recompute = -2).last[0])
MISUSE(inputs_of_other_sizes, GB_ESHAPE, "scan: input 1 has 2 places along axis 0, and there are 3 steps",
       gb_scan(w->t, decay, gb_roots(w->scalar), .inputs = gb_roots(w->vector, w->matrix)).last[0])
MISUSE(a_scalar_input, GB_ESHAPE, "scan",
       gb_scan(w->t, decay, gb_roots(w->scalar), .inputs = gb_roots(w->scalar)).last[0])
MISUSE(options_without_size, GB_EARGUMENT, "scan: the options struct has no size",
       gb_scan_with(w->t, decay, gb_roots(w->scalar), &(gb_scan_options){0}).last[0])

TEST(nodes_of_a_step_are_rejected_outside)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), gb_fill(1));
    gb_scan(t, leak, gb_roots(gb_num(t, 1)), .inputs = gb_roots(x));
    assert_fine(t);
    assert_false(gb_node_ok(gb_exp(caught)));
    assert_rejected(t, GB_ENODE, "exp: an argument (mul, node");
    assert_true(isnan(gb_value(caught)));
    assert_rejected(t, GB_ENODE, "belongs to the step of a scan");
    assert_false(gb_node_ok(gb_grad(caught, x)));
    assert_rejected(t, GB_ENODE, "belongs to the step of a scan");
}

TEST(a_step_that_resets_the_tape_is_an_error)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), gb_fill(1));
    assert_false(gb_node_ok(gb_scan(t, reset, gb_roots(gb_num(t, 1)), .inputs = gb_roots(x)).last[0]));
    assert_rejected(t, GB_ENODE, "scan, the step: the tape was reset meanwhile");
}

TEST(a_null_tape_is_an_earlier_error)
{
    assert_false(gb_node_ok(gb_scan(NULL, decay, gb_roots((gb_node){0})).last[0]));
}

/* ---- values that are known ---- */

static void sum_and_product(gb_scan_step *s)
{
    s->next[0] = gb_add(s->state[0], s->input[0]);
    s->output[0] = s->next[0];
    s->output[1] = gb_mul(s->input[1], s->index);
}

TEST(outputs_lie_along_the_axis_of_the_inputs)
{
    const gb_node m = gb_constant(t, gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
    const gb_scan_result r = gb_scan(t, sum_and_product, gb_roots(gb_zeros(t, gb_shape(2))),
                                     .inputs = gb_roots(m, gb_scale(m, 10)), .axis = -1, .outputs = 2);
    assert_values(r.output[0], 1, 3, 6, 4, 9, 15);
    assert_values(r.output[1], 0, 20, 60, 0, 50, 120);
    assert_values(r.last[0], 6, 15);
    const gb_scan_result back = gb_scan(t, sum_and_product, gb_roots(gb_zeros(t, gb_shape(3))),
                                        .inputs = gb_roots(m, m), .outputs = 2, .reverse = true);
    assert_values(back.output[0], 5, 7, 9, 4, 5, 6);
    assert_values(back.output[1], 0, 0, 0, 4, 5, 6);
    assert_fine(t);
}

TEST(without_steps_the_last_state_is_the_first)
{
    const gb_node none = gb_zeros(t, gb_shape(0, 2));
    const gb_node first = gb_variable(t, "first", gb_shape(2), GB_VALUES(3, 4));
    const gb_scan_result r = gb_scan(t, sum_and_product, gb_roots(first), .inputs = gb_roots(none, none),
                                     .outputs = 2, .recompute = 3);
    assert_values(r.last[0], 3, 4);
    assert_int_equal(gb_value_count(r.output[0]), 0);
    assert_values(gb_grad(gb_sum(gb_square(r.last[0])), first), 6, 8);
    assert_fine(t);
}

/* ---- lines ---- */

extern const gb_op gb_scan_op, gb_scan_back_op;

/* y − (0.1 + (0.5 y + 0.3 s)). */
static void a_line(gb_scan_step *s)
{
    const gb_node y = s->input[0];
    s->next[0] = s->output[0] = gb_sub(
        y, gb_shift(gb_add(gb_scale(y, 0.5), gb_mul(s->state[0], gb_variable_named(s->tape, "theta"))), 0.1));
}

static void a_bend(gb_scan_step *s)
{
    s->next[0] = s->output[0] = gb_add(gb_mul(s->state[0], s->state[0]), s->input[0]);
}

/* Returns how many of the scans on the tape are run as lines, and how many there are. */
static size_t count_lines(gb_tape *t, size_t *scans)
{
    size_t found = *scans = 0;
    for (uint32_t id = 0; id < gb_tape_length(t); id++) {
        const gb_node node = gb_tape_node(t, id);
        if (gb_node_op(node) != &gb_scan_op && gb_node_op(node) != &gb_scan_back_op)
            continue;
        ++*scans;
        found += ((const gb_scan_attributes *)gb_node_attributes(node))->core->line != NULL;
    }
    return found;
}

/* GARCH: 0.1 + 0.2 y² + theta s. */
static void a_garch(gb_scan_step *s)
{
    s->next[0] = s->output[0] = gb_add(gb_shift(gb_scale(gb_square(s->input[0]), 0.2), 0.1),
                                       gb_mul(gb_variable_named(s->tape, "theta"), s->state[0]));
}

TEST(a_line_is_known_as_one_forwards_and_backwards)
{
    gb_scan_function *const step[] = {a_line, a_garch, a_bend};
    for (size_t i = 0; i < 3; i++) {
        gb_tape *const tape = test_tape();
        const gb_node theta = gb_variable(tape, "theta", gb_shape(), gb_fill(0.3)),
                      y = gb_constant(tape, gb_shape(9), gb_fill(0.2));
        const gb_scan_result r = gb_scan(tape, step[i], gb_roots(theta), .inputs = gb_roots(y), .outputs = 1);
        gb_grad(gb_sum(gb_square(r.output[0])), theta);
        assert_fine(tape);
        size_t scans;
        /* The way back through any step of one number is a line. */
        assert_int_equal(count_lines(tape, &scans), i < 2 ? 2 : 1);
        assert_int_equal(scans, 2);
    }
}

static void twice(gb_scan_step *s)
{
    s->next[0] = gb_mul(gb_mul(s->state[0], s->input[0]), s->input[0]);
}

static void over(gb_scan_step *s)
{
    s->next[0] = gb_div(s->state[0], s->input[0]);
}

static void over_twice(gb_scan_step *s)
{
    s->next[0] = gb_div(gb_div(s->state[0], s->input[0]), s->input[0]);
}

static void distance(gb_scan_step *s)
{
    s->next[0] = gb_div(gb_sub(s->state[0], s->input[0]), s->input[0]);
}

static void scaled_distance(gb_scan_step *s)
{
    s->next[0] = gb_mul(gb_sub(s->state[0], s->input[0]), s->input[0]);
}

/* s u v as s (u v), s / u as s (1 / u), (s − u) / u as s / u − 1 … */
static const struct written {
    const char *name;
    gb_scan_function *step;
    double first, input, is;
} written[] = {{"product_of_a_product", twice, 1e-300, 1e160, 1e20},
               {"quotient", over, 1e-309, 1e-309, 1},
               {"quotient_of_a_quotient", over_twice, 1e300, 1e160, 1e-20},
               {"quotient_of_a_sum", distance, 0x1p27 * (1 + 0x1p-40), 0x1p27, 0x1p-40},
               {"product_with_a_sum", scaled_distance, 1 + 0x1p-40, 1, 0x1p-40}};

TEST_EACH(a_step_is_not_written_as_a_line_that_overflows_or_cancels, written)
{
    const struct written *const is = row;
    const gb_node first = gb_variable(t, "first", gb_shape(), gb_fill(is->first)),
                  u = gb_variable(t, "u", gb_shape(1), gb_fill(is->input));
    const gb_scan_result r = gb_scan(t, is->step, gb_roots(first), .inputs = gb_roots(u));
    assert_near(gb_value(r.last[0]) / is->is, 1, 1e-7);
    assert_fine(t);
    size_t scans;
    assert_int_equal(count_lines(t, &scans), 0);
}
