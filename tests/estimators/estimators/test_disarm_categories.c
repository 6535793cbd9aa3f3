/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DisARM-IW, -SB and -Tree: their formulas draw by draw, the law of their pairs, and exact means. */
#include "support/close.h"

#include "estimators/categories.h"
#include "estimators/moments.h"

typedef enum form { IW, SB, TREE, FORMS } form;

static gb_estimator estimator_of(form f)
{
    return f == IW ? gb_disarm_iw() : f == SB ? gb_disarm_sb() : gb_disarm_tree();
}

/* ---- by hand ---- */

/* A part of the categories of one choice, in the order of the form (of IW rising, of SB falling), by their
 * chances. */
typedef struct part {
    form form;
    int low, high;
    double p[MOST_K];
    int rank[MOST_K]; /* the place of each category in that order */
} part;

static part whole(const setting *at, int choice, form f)
{
    part w = {.form = f, .high = at->k};
    for (int k = 0; k < at->k; k++)
        for (int other = 0; other < at->k; other++) {
            const double more = logit_of(choice, k) - logit_of(choice, other);
            w.rank[k] += f == IW ? more > 0 : f == SB ? more < 0 : other < k;
        }
    for (int k = 0; k < at->k; k++) {
        w.p[w.rank[k]] = chance_of_category(at, choice, k);
    }
    return w;
}

static double mass(const part *w, int low, int high)
{
    double sum = 0;
    for (int i = low; i < high; i++)
        sum += w->p[i];
    return sum;
}

/* Sticks take the first category to the right, halves the second half. */
static void divide(const part *w, part *left, part *right)
{
    const int middle = w->form == TREE ? (w->low + w->high) / 2 : w->low + 1;
    part first = *w, second = *w;
    first.high = second.low = middle;
    *left = w->form == TREE ? first : second;
    *right = w->form == TREE ? second : first;
}

static bool has(const part *w, int rank)
{
    return rank >= w->low && rank < w->high;
}

static double chance_within(const part *w, int rank)
{
    return w->p[rank] / mass(w, w->low, w->high);
}

/* The chance that u and 1 − u give these two draws. */
static double chance_of_pair(const part *w, int x, int y)
{
    if (w->high - w->low == 1)
        return 1;
    part left, right;
    divide(w, &left, &right);
    const double a = mass(&right, right.low, right.high) / mass(w, w->low, w->high);
    if (has(&right, x) != has(&right, y))
        return fmin(a, 1 - a) * chance_within(has(&right, x) ? &right : &left, x) *
               chance_within(has(&right, y) ? &right : &left, y);
    const bool goes_right = has(&right, x);
    const double both = fmax(0, goes_right ? 2 * a - 1 : 1 - 2 * a);
    return both == 0 ? 0 : both * chance_of_pair(goes_right ? &right : &left, x, y);
}

/* Adds `slope` times the derivatives of the logit of a node. */
static void add_logit(const part *left, const part *right, double slope, double *in_rank)
{
    for (int i = left->low; i < left->high; i++)
        in_rank[i] -= slope * chance_within(left, i);
    for (int i = right->low; i < right->high; i++)
        in_rank[i] += slope * chance_within(right, i);
}

/* Adds the slopes in the nodes that draw x alone passes. */
static void add_alone(const part *w, int x, double half, double *in_rank)
{
    if (w->high - w->low == 1)
        return;
    part left, right;
    divide(w, &left, &right);
    const bool goes_right = has(&right, x);
    const double a = mass(&right, right.low, right.high) / mass(w, w->low, w->high);
    add_logit(&left, &right, half * (goes_right - a), in_rank);
    add_alone(goes_right ? &right : &left, x, half, in_rank);
}

static void add_both(const part *w, int x, int y, double half, double *in_rank)
{
    if (w->high - w->low == 1)
        return;
    part left, right;
    divide(w, &left, &right);
    const double a = mass(&right, right.low, right.high) / mass(w, w->low, w->high);
    const bool x_right = has(&right, x), y_right = has(&right, y);
    if (x_right == y_right) {
        add_both(x_right ? &right : &left, x, y, half, in_rank);
        return;
    }
    add_logit(&left, &right, half * (x_right - y_right) * fmax(a, 1 - a), in_rank);
    add_alone(x_right ? &right : &left, x, half, in_rank);
    add_alone(y_right ? &right : &left, y, -half, in_rank);
}

/* Of one choice, in the order of the form. */
static void slopes_of(const part *w, int x, int y, double half, double *in_rank)
{
    if (w->form != IW)
        add_both(w, x, y, half, in_rank);
    else if (x != y) {
        const double weight = w->p[x] * w->p[y] / chance_of_pair(w, x, y);
        in_rank[x] += half * weight;
        in_rank[y] -= half * weight;
    }
}

static void gradient_of(const setting *at, form f, const double *value, double *g)
{
    const double *const z = value, *const twin = value + at->n;
    const double half = (cost_of_choices(at, z) - cost_of_choices(at, twin)) / 2;
    for (int i = 0; i < at->n; i++) {
        const part w = whole(at, i, f);
        double in_rank[MOST_K] = {0};
        slopes_of(&w, w.rank[(int)z[i]], w.rank[(int)twin[i]], half, in_rank);
        for (int k = 0; k < at->k; k++)
            g[i * at->k + k] = in_rank[w.rank[k]];
    }
}

/* ---- draw by draw ---- */

TEST(they_are_their_formulas_draw_by_draw)
{
    for (form f = IW; f < FORMS; f++)
        for (int k = 2; k <= 9; k++) {
            const setting at = {.n = 1 + k % 2, .k = k};
            const choices_trial c = choices_by(estimator_of(f), at, false, 1, GB_DOUBLE);
            for (int run = 0; run < 100; run++) {
                double z[2 * MOST_CHOICES], g[MOST_LOGITS], should[MOST_LOGITS];
                const double loss = run_choices(&c, 2, z, g);
                assert_true(near(loss, (cost_of_choices(&at, z) + cost_of_choices(&at, z + at.n)) / 2));
                gradient_of(&at, f, z, should);
                for (int i = 0; i < at.n * at.k; i++)
                    if (!near(g[i], should[i]))
                        fail_msg("form %d, %d of %d, %d: %.17g, not %.17g", f, at.n, at.k, i, g[i],
                                 should[i]);
            }
        }
}

/* The gradient in logits is that in one-hot draws, whatever the shape of the draw. */
TEST(vectors_are_the_same_as_numbers)
{
    const setting at = {.n = 2, .k = 5};
    for (form f = IW; f < FORMS; f++) {
        const choices_trial numbers = choices_by(estimator_of(f), at, false, 3, GB_DOUBLE),
                            vectors = choices_by(estimator_of(f), at, true, 3, GB_DOUBLE);
        for (int run = 0; run < 20; run++) {
            double g[2][MOST_LOGITS];
            assert_int_equal(gb_run(numbers.program), GB_OK);
            assert_int_equal(gb_run(vectors.program), GB_OK);
            gb_read(numbers.gradient, g[0], 10);
            gb_read(vectors.gradient, g[1], 10);
            for (int i = 0; i < 10; i++)
                assert_true(near(g[0][i], g[1][i]));
        }
    }
}

/* With a draw b, 1 where category 1 is drawn: (f(b) − f(b′)) (b − b′) max(p, 1 − p) / 2. */
TEST(two_categories_are_disarm)
{
    const setting at = {.n = 2, .k = 2};
    for (form f = IW; f < FORMS; f++) {
        const choices_trial c = choices_by(estimator_of(f), at, false, 1, GB_DOUBLE);
        for (int run = 0; run < 200; run++) {
            double b[4], g[4];
            run_choices(&c, 2, b, g);
            const double difference = cost_of_choices(&at, b) - cost_of_choices(&at, b + 2);
            for (int i = 0; i < 2; i++) {
                const double p = chance_of_category(&at, i, 1),
                             should = difference * (b[i] - b[2 + i]) * fmax(p, 1 - p) / 2;
                assert_true(near(g[2 * i + 1], should) && near(g[2 * i], -should));
            }
        }
    }
}

/* ---- means ---- */

static form form_now;

static double chance_now(const setting *at, const double *value, int evaluations)
{
    double chance = 1;
    (void)evaluations;
    for (int i = 0; i < at->n; i++) {
        const part w = whole(at, i, form_now);
        chance *= chance_of_pair(&w, w.rank[(int)value[i]], w.rank[(int)value[at->n + i]]);
    }
    return chance;
}

TEST(sums_over_all_pairs_are_exact)
{
    static const setting settings[] = {{1, 3, 0}, {1, 4, 0}, {1, 6, 0}, {2, 3, 0}, {1, 5, 0.8}};
    for (form_now = IW; form_now < FORMS; form_now++)
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
            const setting *const at = &settings[k];
            const choices_trial c = choices_by(estimator_of(form_now), *at, false, 1, GB_DOUBLE);
            const summed_outcomes s = over_all_outcomes(&c, 2, false, chance_now);
            assert_exact(at, s.value, s.mean, 1e-11);
            assert_true(s.outcomes > at->k);
        }
}

/* Only pairs of equal draws may have no chance, or else the importance weights miss some. */
TEST(all_pairs_of_unlike_draws_can_come_by_sorted_sticks)
{
    for (int k = 2; k <= MOST_K; k++) {
        const setting at = {.n = 1, .k = k};
        const part w = whole(&at, 0, IW);
        for (int x = 0; x < k; x++)
            for (int y = 0; y < k; y++)
                assert_true(x == y || chance_of_pair(&w, x, y) > 0);
    }
}

/* Together they fail once in a million times. */
TEST(pairs_come_as_often_as_they_should)
{
    enum { RUNS = 30000, K = 4 };
    const setting at = {.n = 1, .k = K};
    for (form f = IW; f < FORMS; f++) {
        const choices_trial c = choices_by(estimator_of(f), at, false, 1, GB_DOUBLE);
        const part w = whole(&at, 0, f);
        int seen[K][K] = {{0}};
        for (int run = 0; run < RUNS; run++) {
            double z[2], g[K];
            run_choices(&c, 2, z, g);
            seen[(int)z[0]][(int)z[1]]++;
        }
        for (int x = 0; x < K; x++)
            for (int y = 0; y < K; y++) {
                const double q = chance_of_pair(&w, w.rank[x], w.rank[y]), error = sqrt(q * (1 - q) / RUNS);
                if (!(fabs((double)seen[x][y] / RUNS - q) <= z_bound(1e-6, FORMS * K * K) * error))
                    fail_msg("form %d: %d and %d came %d times, not %g", f, x, y, seen[x][y], q * RUNS);
            }
    }
}

/* ---- ends ---- */

/* A category with a logit of −∞ is not there. */
TEST(impossible_categories_change_nothing)
{
    static const double logit[] = {0.3, -INFINITY, -0.4, 0.8, -INFINITY};
    static const gb_estimator_type *const types[] = {&gb_disarm_iw_estimator_type,
                                                     &gb_disarm_sb_estimator_type,
                                                     &gb_disarm_tree_estimator_type, &gb_arsm_estimator_type};
    (void)t;
    for (size_t f = 0; f < sizeof types / sizeof *types; f++) {
        gb_tape *const tape = test_tape(.seed = 3, .samples = 200);
        gb_expect *const e = gb_expect_new(tape);
        const gb_node logits = gb_variable(tape, "by", gb_shape(5), gb_fill(0));
        const gb_node at = gb_add(logits, gb_constant(tape, gb_shape(5), gb_values_of(logit, 5)));
        const gb_node z = gb_draw(e, "z", gb_categorical_logits(at), gb_estimator_of(types[f], NULL));
        const gb_node g = gb_grad(gb_expected(e, gb_square(gb_shift(z, -0.5))), logits);
        gb_program *const program = gb_compile(tape, gb_roots(z, g), gb_no_update);
        assert_fine(tape);
        assert_int_equal(gb_run(program), GB_OK);
        static double all[200 * 16];
        double slope[5];
        const size_t count = gb_value_count(z);
        gb_read(z, all, count);
        gb_read(g, slope, 5);
        for (size_t i = 0; i < count; i++)
            assert_true(all[i] == 0 || all[i] == 2 || all[i] == 3);
        for (int k = 0; k < 5; k++)
            assert_true(isfinite(slope[k]) &&
                        (types[f] == &gb_arsm_estimator_type || isfinite(logit[k]) || slope[k] == 0));
    }
}

TEST(they_need_a_choice_and_have_a_first_gradient_only)
{
    static const char *const words[] = {"the gradient of disarm_iw for draw z cannot be differentiated",
                                        "the gradient of disarm_sb for draw z cannot be differentiated",
                                        "the gradient of disarm_tree for draw z cannot be differentiated"};
    for (form f = IW; f < FORMS; f++) {
        gb_tape *const tape = test_tape(.seed = 3, .samples = 2);
        gb_expect *const e = gb_expect_new(tape);
        const gb_node logits = gb_variable(tape, "logits", gb_shape(3), gb_fill(0.3));
        const gb_node one = gb_constant(tape, gb_shape(1), GB_VALUES(0));
        assert_false(gb_node_ok(gb_draw(e, "b", gb_bernoulli_logits(logits), estimator_of(f))));
        assert_rejected(tape, GB_EARGUMENT, "needs a choice of one among several");
        assert_false(gb_node_ok(gb_draw(e, "o", gb_categorical_logits(one), estimator_of(f))));
        assert_rejected(tape, GB_EARGUMENT, "needs a second category; categorical has none");
        const gb_node z = gb_draw(e, "z", gb_categorical_logits(logits), estimator_of(f));
        const gb_node g = gb_grad(gb_expected(e, gb_square(z)), logits);
        assert_fine(tape);
        assert_false(gb_node_ok(gb_grad(gb_sum(gb_square(g)), logits)));
        assert_rejected(tape, GB_EGRADIENT, words[f]);
    }
}
