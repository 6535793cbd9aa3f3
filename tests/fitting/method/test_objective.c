/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of a family as numbers, fixed draws, and the ELBO over them. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/method/draws_impl.h"
#include "fitting/method/objective_impl.h"
#include "models/elbo.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_dist standard(gb_tape *t)
{
    return gb_normal(gb_num(t, 0), gb_num(t, 1));
}

/* A point, a mean field of two, full rank of three, and a block: free numbers 0, 1–2, 3–5, 6–8. */
static gb_elbo *mixed(gb_tape *t)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node a = gb_latent(e, "a", gb_point(gb_shape()), standard(t), gb_pathwise()),
                  b = gb_latent(e, "b", gb_mean_field(gb_shape(2), .map = GB_SCALE_EXP), standard(t),
                                gb_pathwise()),
                  c = gb_latent(e, "c", gb_full_rank(gb_shape(3)), standard(t), gb_pathwise());
    const gb_latent_part part[] = {{.name = "x", .shape = gb_shape(2), .prior = standard(t)},
                                   {.name = "y", .shape = gb_shape(), .prior = gb_half_normal(gb_num(t, 1))}};
    gb_node w[2];
    gb_latent_block(e, "d", gb_full_rank(gb_shape()), 2, part, gb_pathwise(), w);
    const gb_node all =
        gb_add(gb_add(gb_mul(a, gb_sum(b)), gb_sum(gb_square(c))), gb_mul(gb_sum(w[0]), w[1]));
    gb_factor(e, "f", gb_neg(gb_softplus(gb_sub(all, gb_num(t, 1)))));
    return e;
}

typedef struct world {
    gb_memory memory;
    gb_arena arena;
    gb_family_of_normals family;
    gb_density *density;
} normals;

static void begin(normals *w, gb_tape *t, gb_elbo *e)
{
    *w = (normals){.memory = gb_tape_memory(t)};
    w->arena.memory = &w->memory;
    gb_elbo_loss(e);
    assert_fine(t);
    const char *const words = gb_normals_of(e, &w->arena, &w->family);
    assert_non_null(words);
    assert_string_equal(words, "");
    w->density = gb_density_new(e, .points_by_height = true);
    assert_fine(t);
}

TEST(the_members_of_a_family_are_found_in_the_order_of_the_density)
{
    normals w;
    begin(&w, t, mixed(t));
    assert_int_equal(w.family.n, gb_density_count(w.density));
    assert_int_equal(w.family.n, 9);
    assert_int_equal(w.family.groups, 4);
    assert_int_equal(w.family.scaled, 8);
    assert_int_equal(w.family.roots, 2 + 9 + 9);
    assert_int_equal(w.family.widest, 3);
    const gb_group_form form[] = {GB_GROUP_POINT, GB_GROUP_DIAGONAL, GB_GROUP_TRIANGLE, GB_GROUP_TRIANGLE};
    const char *const name[] = {"a", "b", "c", "d"};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(w.family.group[k].form, form[k]);
        assert_string_equal(w.family.group[k].name, name[k]);
    }
    gb_arena_free(&w.arena);
}

TEST(a_member_that_is_written_is_read_again)
{
    normals w;
    begin(&w, t, mixed(t));
    const gb_member a = gb_member_new(&w.family, &w.arena), b = gb_member_new(&w.family, &w.arena);
    for (size_t i = 0; i < w.family.n; i++)
        a.mean[i] = sin((double)i);
    for (size_t i = 0; i < w.family.roots; i++)
        a.root[i] = 0.3 + 0.1 * (double)i;
    a.root[0] = 1e-9; /* narrow and wide scales survive */
    a.root[1] = 1e9;
    a.root[2] = 1e-9;
    for (size_t k = 2; k < w.family.groups; k++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = i + 1; j < 3; j++)
                a.root[w.family.group[k].root + 3 * i + j] = 0;
    assert_int_equal(gb_member_write(&w.family, &a), GB_OK);
    assert_int_equal(gb_member_read(&w.family, &b), GB_OK);
    for (size_t i = 0; i < w.family.n; i++)
        assert_close(b.mean[i], a.mean[i], 1);
    for (size_t i = 0; i < w.family.roots; i++)
        assert_near(b.root[i], a.root[i], 1e-7 * fabs(a.root[i]));
    assert_true(gb_member_sd(&w.family, &b, 0) == 0);
    assert_near(gb_member_sd(&w.family, &b, 4), hypot(b.root[5], b.root[6]), 1e-15);
    gb_arena_free(&w.arena);
}

/* Of points, means move in widths; of vectors, the scales by L₀⁻¹ L. */
TEST(a_move_is_in_the_units_of_the_members)
{
    normals w;
    begin(&w, t, mixed(t));
    const gb_member a = gb_member_new(&w.family, &w.arena), b = gb_member_new(&w.family, &w.arena);
    const double width[9] = {4, 1, 1, 1, 1, 1, 1, 1, 1};
    double room[9];
    for (size_t i = 0; i < 2; i++)
        a.root[i] = 2;
    for (size_t k = 2; k < 4; k++)
        for (size_t i = 0; i < 3; i++)
            a.root[w.family.group[k].root + 4 * i] = 0.5;
    gb_member_copy(&w.family, &a, &b);
    gb_move move = gb_member_move(&w.family, &a, &b, width, room);
    assert_true(move.mean == 0 && move.scale == 0);
    b.mean[0] = 1; /* a fourth of its width */
    move = gb_member_move(&w.family, &a, &b, width, room);
    assert_near(move.mean, 0.25, 1e-15);
    b.mean[1] = -1; /* half a standard deviation */
    b.root[1] = 1.8;
    move = gb_member_move(&w.family, &a, &b, width, room);
    assert_near(move.mean, 0.5, 1e-15);
    assert_near(move.scale, 0.1, 1e-15);
    b.root[w.family.group[3].root + 6] = 0.2; /* row 2, column 0 of L */
    move = gb_member_move(&w.family, &a, &b, width, room);
    assert_near(move.scale, 0.4, 1e-15);
    b.root[0] = NAN;
    assert_true(isnan(gb_member_move(&w.family, &a, &b, width, room).scale));
    gb_arena_free(&w.arena);
}

/* gb_density_draw draws from q as the ELBO has it; members place their draws alike. */
TEST(a_member_has_the_moments_of_q)
{
    enum { DRAWS = 40000, N = 9 };
    normals w;
    begin(&w, t, mixed(t));
    const gb_member a = gb_member_new(&w.family, &w.arena);
    set_variable(t, "c.lower", (const double[]){0, 0, 0, 2, 0, 0, -1, 3, 0}, 9);
    assert_int_equal(gb_member_read(&w.family, &a), GB_OK);
    double *const z = malloc(DRAWS * N * sizeof *z);
    assert_int_equal(gb_density_draw(w.density, 1, DRAWS, z, NULL), GB_OK);
    for (size_t i = 0; i < N; i++) {
        double square = 0;
        for (size_t s = 0; s < DRAWS; s++)
            square += (z[s * N + i] - a.mean[i]) * (z[s * N + i] - a.mean[i]) / DRAWS;
        const double sd = gb_member_sd(&w.family, &a, i);
        assert_near(sqrt(square), sd, 5 * sd / sqrt(2.0 * DRAWS)); /* once in 10⁶ */
    }
    free(z);
    gb_arena_free(&w.arena);
}

TEST(fixed_draws_have_mean_0_and_the_unit_covariance)
{
    enum { COUNT = 64, N = 9 };
    normals w;
    double draws[COUNT * N], other[COUNT * N];
    begin(&w, t, mixed(t));
    assert_int_equal(gb_draws_fixed(&w.family, t, 3, COUNT, draws), GB_OK);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++) {
            double mean = 0, product = 0;
            for (size_t s = 0; s < COUNT; s++) {
                mean += draws[s * N + i] / COUNT;
                product += draws[s * N + i] * draws[s * N + j] / COUNT;
            }
            assert_near(mean, 0, 1e-15);
            assert_near(product, i == j && i > 0, 1e-14); /* number 0 is a point */
        }
    assert_int_equal(gb_draws_fixed(&w.family, t, 3, COUNT, other), GB_OK);
    assert_memory_equal(draws, other, sizeof draws);
    assert_int_equal(gb_draws_fixed(&w.family, t, 4, COUNT, other), GB_OK);
    assert_true(memcmp(draws, other, sizeof draws) != 0);
    assert_int_equal(gb_draws_fixed(&w.family, t, 3, 16, draws), GB_OK); /* too few for the covariance */
    for (size_t i = 1; i < N; i++) {
        double square = 0;
        for (size_t s = 0; s < 16; s++)
            square += draws[s * N + i] * draws[s * N + i] / 16;
        assert_near(square, 1, 1e-14);
    }
    gb_arena_free(&w.arena);
}

TEST(the_gradient_of_the_elbo_over_fixed_draws_is_that_of_differences)
{
    enum { COUNT = 64, N = 9 };
    for (int dense = 0; dense < 2; dense++) {
        normals w;
        gb_objective o;
        gb_tape *const tape = test_tape();
        begin(&w, tape, mixed(tape));
        double *const draws = gb_tape_keep(tape, COUNT * N * sizeof *draws);
        assert_true(gb_objective_new(&o, w.density, &w.family, dense, &w.arena));
        assert_int_equal(o.unknowns, N + 2 + 6 + 6);
        assert_int_equal(gb_draws_fixed(&w.family, tape, 3, COUNT, draws), GB_OK);
        o.draws = draws;
        o.count = COUNT;
        gb_member_read(&w.family, &o.centre);
        for (size_t i = 0; i < (dense ? N * N : N); i++)
            o.turn[i] = 0.2 + cos((double)i);
        for (size_t i = 0; i < 9; i++)
            o.centre.root[2 + i] = i % 4 == 0 ? 0.7 : i == 3 || i > 5 ? 0.2 : 0;
        double u[23], gradient[23], room[23], up, down;
        for (size_t i = 0; i < o.unknowns; i++)
            u[i] = 0.1 * sin(3.0 * (double)i);
        assert_int_equal(gb_objective_evaluate(&o, u, &up, gradient), GB_OK);
        for (size_t i = 0; i < o.unknowns; i++) {
            const double h = 1e-5, was = u[i];
            u[i] = was + h;
            gb_objective_evaluate(&o, u, &up, room);
            u[i] = was - h;
            gb_objective_evaluate(&o, u, &down, room);
            u[i] = was;
            assert_near((up - down) / (2 * h), gradient[i], 1e-7);
        }
        assert_int_equal(o.gradients, COUNT * (2 * o.unknowns + 1));
        gb_arena_free(&w.arena);
    }
}

/* ½ for each number: the blocks of Λ⁻¹, and 1/Λᵢᵢ. */
TEST(a_precision_is_brought_into_the_family)
{
    enum { N = 9 };
    normals w;
    double precision[N * N], room[2 * N * N];
    begin(&w, t, mixed(t));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            precision[i * N + j] = i == j ? 4 : 1;
    const gb_member a = gb_member_new(&w.family, &w.arena);
    assert_true(gb_member_project(&w.family, precision, room, &a));
    assert_near(a.root[0], 0.5, 1e-15);
    /* (3 I + 1 1')⁻¹ = (I − 1 1' / 6) / 3 */
    assert_near(gb_member_sd(&w.family, &a, 4), sqrt(5.0 / 18), 1e-14);
    precision[10] = -1;
    assert_false(gb_member_project(&w.family, precision, room, &a));
    gb_arena_free(&w.arena);
}

/* ---- families that are not normals of this form ---- */

static void is_no_such_family(gb_tape *t, gb_elbo *e, const char *why)
{
    gb_memory memory = gb_tape_memory(t);
    gb_arena arena = {.memory = &memory};
    gb_family_of_normals family;
    gb_elbo_loss(e);
    const char *const words = gb_normals_of(e, &arena, &family);
    assert_non_null(words);
    if (!strstr(words, why))
        fail_msg("\"%s\" is without \"%s\"", words, why);
    gb_arena_free(&arena);
}

static gb_node one_less(const void *options, gb_node log_weights)
{
    (void)options;
    return gb_shift(gb_mean_along(log_weights, gb_axis(0)), -1);
}

static const gb_bound_type lower = {
    .size = sizeof lower, .name = "lower", .formula = "E log weight - 1", .value = one_less};

TEST(what_is_no_family_of_normals_is_said)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_low_rank(gb_shape(3)), standard(t), gb_pathwise());
    is_no_such_family(t, e, "q is no normal by gb_mean_field, gb_full_rank or gb_point");
    gb_tape *other = test_tape();
    e = gb_elbo_new(other, .data_size = 1, .kl_weight = gb_num(other, 0.5));
    gb_latent(e, "w", gb_mean_field(gb_shape(3)), standard(other), gb_pathwise());
    is_no_such_family(other, e, "KL has a weight");
    other = test_tape();
    e = gb_elbo_new(other, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), standard(other), gb_pathwise());
    gb_factor(e, "f", gb_mul(w, gb_variable(other, "learned", gb_shape(), gb_fill(1))));
    is_no_such_family(other, e, "the model learns variables besides q");
    other = test_tape();
    e = gb_elbo_new(other, .data_size = 1, .bound = gb_bound_of(&lower, NULL));
    gb_latent(e, "w", gb_mean_field(gb_shape()), standard(other), gb_pathwise());
    is_no_such_family(other, e, "the bound is another one than the ELBO");
}
