/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ARSM: its formula draw by draw, and the exact mean of that formula over the uniform distribution of the
 * shares of the exponentials. */
#include "support/close.h"

#include "estimators/categories.h"

/* ---- by hand ---- */

/* The category whose share e_i, divided by its probability, is smallest, with those of c and j swapped. */
static double drawn(const setting *at, int choice, const double *share, int c, int j)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < at->k; i++) {
        const double e = share[i == c ? j : i == j ? c : i] / chance_of_category(at, choice, i);
        if (e < least)
            least = e, best = i;
    }
    return best;
}

static double swapped_cost(const setting *at, double share[][MOST_K], int c, int j)
{
    double z[MOST_CHOICES];
    for (int i = 0; i < at->n; i++)
        z[i] = drawn(at, i, share[i], c, j);
    return cost_of_choices(at, z);
}

/* g_c = Σ_j (f(z_cj) − mean_m f(z_mj)) (1/K − share_j), of each choice; adds them, times `weight`. */
static void add_arsm(const setting *at, double share[][MOST_K], double weight, double *g)
{
    double f[MOST_K][MOST_K], mean[MOST_K] = {0};
    for (int c = 0; c < at->k; c++)
        for (int j = 0; j < at->k; j++)
            mean[j] += (f[c][j] = swapped_cost(at, share, c, j)) / at->k;
    for (int i = 0; i < at->n; i++)
        for (int c = 0; c < at->k; c++)
            for (int j = 0; j < at->k; j++)
                g[i * at->k + c] += weight * (f[c][j] - mean[j]) * (1.0 / at->k - share[i][j]);
}

/* ---- draw by draw ---- */

/* The estimator, which besides hands out the shares. */
static gb_node kept;

static gb_node arsm_and_tell(gb_site *site)
{
    const gb_node values = gb_arsm_estimator_type.draw(site);
    kept = site->kept[0];
    return values;
}

TEST(arsm_is_its_formula_draw_by_draw)
{
    gb_estimator_type type = gb_arsm_estimator_type;
    type.draw = arsm_and_tell;
    (void)t;
    for (int k = 2; k <= 7; k++) {
        const setting at = {.n = 1 + k % 2, .k = k};
        const int evaluations = 1 + k * (k - 1) / 2;
        const choices_trial c = choices_by(gb_estimator_of(&type, NULL), at, false, 1, GB_DOUBLE);
        gb_program *const p = gb_compile(c.t, gb_roots(c.draw, c.loss, c.gradient, kept), gb_no_update);
        for (int run = 0; run < 50; run++) {
            double z[22 * MOST_CHOICES], g[MOST_LOGITS], all[MOST_LOGITS], share[MOST_CHOICES][MOST_K],
                mean = 0, should[MOST_LOGITS] = {0};
            assert_int_equal(gb_run(p), GB_OK);
            gb_read(c.draw, z, (size_t)(evaluations * at.n));
            gb_read(c.gradient, g, (size_t)(at.n * k));
            gb_read(kept, all, (size_t)(at.n * k));
            for (int i = 0; i < at.n * k; i++)
                share[i / k][i % k] = all[i];
            for (int a = 0, e = 0; a < k; a++)
                for (int b = a == 0 ? 0 : a + 1; b < k; b++, e++)
                    for (int i = 0; i < at.n; i++)
                        assert_true(z[e * at.n + i] == drawn(&at, i, share[i], a, b));
            for (int e = 0; e < evaluations; e++)
                mean += cost_of_choices(&at, z + e * at.n) / evaluations;
            assert_true(near(gb_value(c.loss), mean));
            add_arsm(&at, share, 1, should);
            for (int i = 0; i < at.n * k; i++)
                assert_true(near(g[i], should[i]));
        }
    }
}

/* b is 1 where category 1 is drawn, and u the share of category 0: (f(b) − f(b′)) (u − ½). */
TEST(two_categories_are_arm)
{
    gb_estimator_type type = gb_arsm_estimator_type;
    type.draw = arsm_and_tell;
    (void)t;
    const setting at = {.n = 2, .k = 2};
    const choices_trial c = choices_by(gb_estimator_of(&type, NULL), at, false, 1, GB_DOUBLE);
    gb_program *const p = gb_compile(c.t, gb_roots(c.draw, c.gradient, kept), gb_no_update);
    for (int run = 0; run < 100; run++) {
        double b[4], g[4], share[4];
        assert_int_equal(gb_run(p), GB_OK);
        gb_read(c.draw, b, 4);
        gb_read(c.gradient, g, 4);
        gb_read(kept, share, 4);
        const double difference = cost_of_choices(&at, b) - cost_of_choices(&at, b + 2);
        for (int i = 0; i < 2; i++) {
            const double u = share[2 * i], prob = chance_of_category(&at, i, 1);
            assert_true(b[i] == (u > 1 - prob) && b[2 + i] == (u < prob));
            assert_true(near(g[2 * i + 1], difference * (u - 0.5)));
        }
    }
}

/* ---- the mean ---- */

/* Of three categories, the shares are a point of a triangle, which the lines share_x = r share_y divide into
 * cells. Within a cell all draws are the same and the formula is linear, so that its mean there is its value
 * at the centroid. */
enum { K = 3, MOST_CELLS = 400, MOST_CORNERS = 24 };

typedef struct cell {
    int corners;
    double corner[MOST_CORNERS][K];
} cell;

/* What is left of a cell where side · (share_x − r share_y) ≥ 0. */
static cell cut(const cell *from, int x, int y, double r, double side)
{
    cell to = {0};
    for (int i = 0; i < from->corners; i++) {
        const double *const a = from->corner[i], *const b = from->corner[(i + 1) % from->corners];
        const double of_a = side * (a[x] - r * a[y]), of_b = side * (b[x] - r * b[y]);
        if (of_a >= 0)
            memcpy(to.corner[to.corners++], a, sizeof to.corner[0]);
        if ((of_a > 0 && of_b < 0) || (of_a < 0 && of_b > 0)) {
            for (int k = 0; k < K; k++)
                to.corner[to.corners][k] = a[k] + (b[k] - a[k]) * of_a / (of_a - of_b);
            to.corners++;
        }
        assert_true(to.corners < MOST_CORNERS - 1);
    }
    return to;
}

/* The area, of the whole triangle, and the centroid. */
static double area_of(const cell *c, double *centre)
{
    double sum = 0;
    memset(centre, 0, K * sizeof *centre);
    for (int i = 1; i + 1 < c->corners; i++) {
        const double *const a = c->corner[0], *const b = c->corner[i], *const d = c->corner[i + 1];
        const double area = fabs((b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]));
        sum += area;
        for (int k = 0; k < K; k++)
            centre[k] += area * (a[k] + b[k] + d[k]) / 3;
    }
    for (int k = 0; k < K && sum > 0; k++)
        centre[k] /= sum;
    return sum;
}

static int cells_of(const setting *at, int choice, cell *cells)
{
    int count = 1;
    cells[0] = (cell){.corners = K, .corner = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int line = 0; line < K * K * K * K; line++) {
        const int x = line % K, y = line / K % K, a = line / K / K % K, b = line / K / K / K;
        if (x >= y || a == b)
            continue;
        const double r = chance_of_category(at, choice, a) / chance_of_category(at, choice, b);
        const int before = count;
        for (int i = 0; i < before; i++) {
            const cell above = cut(&cells[i], x, y, r, 1), below = cut(&cells[i], x, y, r, -1);
            double centre[K];
            if (area_of(&above, centre) < 1e-13 || area_of(&below, centre) < 1e-13)
                continue;
            cells[i] = above;
            cells[count++] = below;
            assert_true(count < MOST_CELLS);
        }
    }
    return count;
}

static void arsm_mean(const setting *at, double *g, double *value)
{
    static cell cells[MOST_CHOICES][MOST_CELLS];
    int count[MOST_CHOICES] = {1, 1};
    double share[MOST_CHOICES][MOST_K] = {{0}}, all = 0;
    for (int i = 0; i < at->n; i++)
        count[i] = cells_of(at, i, cells[i]);
    for (int i = 0; i < count[0]; i++)
        for (int j = 0; j < count[1]; j++) {
            double area = area_of(&cells[0][i], share[0]);
            if (at->n == 2)
                area *= area_of(&cells[1][j], share[1]);
            all += area;
            *value += area * swapped_cost(at, share, 0, 0);
            add_arsm(at, share, area, g);
        }
    assert_near(all, 1, 1e-12);
}

TEST(the_formula_has_the_mean_of_the_gradient)
{
    (void)t;
    for (int n = 1; n <= 2; n++) {
        const setting at = {.n = n, .k = K};
        double g[MOST_LOGITS] = {0}, value = 0;
        arsm_mean(&at, g, &value);
        assert_exact(&at, value, g, 1e-12);
    }
}

/* ---- what it rejects ---- */

TEST(arsm_needs_a_choice_and_has_a_first_gradient_only, .samples = 2)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node logits = gb_variable(t, "logits", gb_shape(3), gb_fill(0.3));
    assert_false(gb_node_ok(gb_draw(e, "b", gb_bernoulli_logits(logits), gb_arsm())));
    assert_rejected(t, GB_EARGUMENT, "arsm needs a choice of one among several");
    const gb_node z = gb_draw(e, "z", gb_categorical_logits(logits), gb_arsm());
    const gb_node g = gb_grad(gb_expected(e, gb_square(z)), logits);
    assert_fine(t);
    assert_false(gb_node_ok(gb_grad(gb_sum(gb_square(g)), logits)));
    assert_rejected(t, GB_EGRADIENT, "the gradient of arsm for draw z cannot be differentiated");
}
