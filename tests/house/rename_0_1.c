/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program in the names of grebe 0.1, for docs/rename-0.2.sed: rename.py renames it and compiles the result.
 * It is not run. */
#include <grebe/estimators/parse.h>
#include <grebe/grebe.h>
#include <grebe/kit/kit.h>

/* ---- a distribution, an operation and an estimator of the program's own ---- */

static const gb_param scale = {.name = "scale", .domain = GB_POSITIVE};

static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_relax_options *const options = gb_site_options(site);
    return options->temperature > 0 ? gb_fenced(site, cost) : cost;
}

static const gb_op sum = {.size = sizeof(gb_op), .infer = gb_reduce_infer, .vjp = gb_pass_adjoint};
static const gb_estimator_type mine = {.size = sizeof mine, .name = "mine", .combine = combine};

/* ---- options ---- */

static gb_node products(gb_node a, gb_node b, gb_node l)
{
    const gb_node sums = gb_cumsum_with(gb_matmul_with(a, b, .transpose_a = true), 0, .reverse = true);
    const gb_node solved = gb_triangular_solve_with(l, sums, .transpose = true);
    const gb_node product = gb_matmul_with(gb_exp(solved), b, .transpose_a = true);
    const gb_node vector = gb_triangular_solve_vector_with(l, gb_exp(product), .transpose = true);
    const gb_node again = gb_matmul_of(
        gb_exp(vector), b, (gb_matmul_options){.size = sizeof(gb_matmul_options), .transpose_a = true});
    return gb_triangular_solve_of(l, again, (gb_triangular_options){.size = sizeof(gb_triangular_options)});
}

static gb_estimator estimator(int which)
{
    switch (which) {
    case 0: return gb_score(.baseline = gb_no_baseline);
    case 1: return gb_score(.baseline = gb_moving_average_of(0.9));
    case 2: return gb_score(.baseline = gb_leave_one_out);
    case 3: return gb_relaxed_draws_with((gb_relaxation_options){.size = sizeof(gb_relaxation_options)});
    case 4:
        return gb_quadrature_with(
            (gb_quadrature_options){.size = sizeof(gb_quadrature_options), .nodes = 32});
    case 5: return gb_dropout_draws_with((gb_dropout_options){.size = sizeof(gb_dropout_options)});
    default: return gb_dropout_draws(.mask = gb_chosen(gb_arm()));
    }
}

static gb_family family(int which)
{
    switch (which) {
    case 0: return gb_mean_field_matching(gb_shape(2), .positive = &gb_gamma_type);
    case 1: return gb_mean_field_matching(gb_shape(2), .positive = &gb_lognormal_type);
    case 2: return gb_mean_field_matching(gb_shape(2), .unit = &gb_beta_type);
    default: return gb_mean_field_matching(gb_shape(2), .unit = &gb_kumaraswamy_type);
    }
}

/* ---- a training, and what can be read of it ---- */

static void train(gb_tape *t, const double *data, gb_node x)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 3, .bound = &gb_evidence_bound_type);
    const gb_node w = gb_latent(e, "w", family(0), gb_dist_new(&gb_exponential_type, &x), estimator(0));
    gb_observe(e, "y", gb_normal(w, x), x);
    const gb_node loss = gb_elbo_loss(e);
    gb_program *const p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.1)));
    gb_set_samples(p, 10);
    gb_set_step(p, gb_step(p) + 1);
    gb_plan_facts facts;
    gb_plan_look(p, &facts);
    gb_dump(p, GB_DUMP_TEXT, stdout);
    gb_dump_tape(t, GB_DUMP_TEXT, stdout);
    if (gb_has_variable(t, "w.loc"))
        gb_set(gb_average_of(gb_variable_named(t, "w.loc")), gb_values_from(data, 2));
    double mean[2], sd[2];
    gb_posterior_read(e, "w", mean, sd, 2);
    gb_print(gb_add(gb_posterior_mean(e, "w"), gb_posterior_sd(e, "w")), stdout);
    gb_print(gb_entropy(gb_posterior(e, "w")), stdout);
    gb_learned learned[4];
    gb_node variable[4];
    printf("%zu %zu\n", gb_learned_by(loss, learned, 4), gb_variables_of(loss, variable, 4));
    gb_slot slot;
    gb_slot_for(t, "v", family(1), gb_normal(x, x), &slot);
}

static gb_column_list columns(gb_node x, const double *xs, gb_node y, const double *ys)
{
    static gb_column column[2];
    const gb_column_list list = GB_COLUMNS({x, xs}, {y, ys});
    column[0] = list.column[0];
    column[1] = list.column[1];
    return gb_columns_of(2, column);
}

static void look(gb_tape *t, gb_node x)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node z = gb_draw_along(e, "z", gb_normal(x, x), GB_ROWS, estimator(1));
    const gb_node factor = gb_scheduled("the program", gb_cosine(100), x);
    const gb_op *const op = gb_node_operation(z);
    printf("%s %d %d\n", gb_node_op(z), op->refusal != NULL, gb_samples_are_independent(e));
    printf("%g %d\n", gb_known_range(factor).low, gb_check_node(z, "the program"));
    const double rows[] = {1, 2};
    printf("%zu\n", columns(x, rows, z, rows).count);
    const gb_axis_list axes = gb_axis_list_of(1, (const int[]){0});
    const gb_shape shape = gb_shape_with(gb_node_shape(z), axes.axis[0], 2);
    printf("%d\n", gb_shape_equal(shape, gb_shape(2)));
}

/* ---- lists, comparisons and kits ---- */

static bool go_on(void *user, double done)
{
    return user != NULL && done < 1;
}

static void print(void *user, bool passed, const char *text)
{
    printf("%s %d %s\n", (const char *)user, passed, text);
}

#define GB_COUNT_ONE(...) +1

int main(void)
{
    size_t count;
    gb_tape *const t = gb_tape_new(.seed = 1);
    const gb_estimator_type *const types[] = {&gb_score_type, &gb_rebar_type, &mine};
    const gb_estimator two[] = {gb_pathwise(), estimator(2)};
    gb_matching_options matching = {.size = sizeof matching};
    train(t, (const double[]){1, 2}, gb_num(t, 2));
    look(t, products(gb_eye(t, 2), gb_eye(t, 2), gb_eye(t, 2)));
    gb_distributions(&count);
    printf("%zu %d %s\n", count, 0 GB_DISTRIBUTION_LIST(GB_COUNT_ONE), gb_distribution_find("normal")->name);
    printf("%d %s\n", gb_adam().type == &gb_adam_type, types[0]->name);
    printf("%d\n", gb_cosine(100).type == &gb_cosine_type);

    const gb_problem *const problem = gb_problem_find("gauss-square");
    gb_comparison_free(gb_compare(.problem = problem, .estimators = 2, .estimator = two, .draws = 100,
                                  .progress = go_on, .context = &count));
    gb_comparison_free(gb_compare(.problem = problem, .estimators = 2, .estimator = two, .progress = go_on,
                                  .context = &count));
    gb_report report = {.size = sizeof report, .tell = print, .user = "kit"};
    gb_check_op_settings few = {.size = sizeof few, .cases = 8};
    gb_check_distribution(&gb_normal_type, .report = &report);
    printf("%u %s %s\n", few.cases, scale.name, sum.name);
    return gb_optimiser_reference_of("adam") ? 0 : 1;
}
