/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of a posterior, and draws in files. */
#include "support/close.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fitting/judge/planted.h"
#include "fitting/summary.h"
#include "ops/draws.h"
#include "support/counted_memory.h"
#include "support/files.h"
#include "support/json.h"

static gb_summary_table *made(gb_summary_table *s, const gb_tape *t)
{
    if (!s)
        fail_msg("%s", gb_error_text(t));
    return s;
}

/* mu ~ N(0, 1) twice, y ~ N(mu, 1) once: the posterior of each is N(y/2, 1/2). q is a little too wide. */
static gb_elbo *conjugate(gb_tape *t, gb_node *mu)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    *mu = gb_latent(e, "mu", gb_mean_field(gb_shape(2), .location = 0.6, .scale = 0.75),
                    gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(*mu, gb_num(t, 1)),
               gb_constant(t, gb_shape(2), gb_values_of((double[]){1.2, 1.2}, 2)));
    return e;
}

/* ---- numbers ---- */

TEST(numbers_are_corrected_where_the_weights_are_reliable)
{
    gb_node mu;
    gb_elbo *e = conjugate(t, &mu);
    gb_judgement *j = judged(gb_judge(e), t);
    gb_summary_table *s = made(gb_summary(e, .judgement = j), t);
    const gb_summary_row *const r = gb_summary_find(s, "mu[1]");
    assert_int_equal(s->rows, 2);
    assert_int_equal(s->verdict, GB_VERDICT_GOOD_HERE);
    assert_non_null(r);
    assert_int_equal(r->source, GB_SUMMARY_PSIS);
    assert_string_equal(r->words, "");
    assert_near(r->mean, 0.6, 5 * r->error);
    assert_near(r->sd, sqrt(0.5), 0.03);
    assert_near(r->q05, 0.6 - 1.6449 * sqrt(0.5), 0.08);
    assert_near(r->q50, 0.6, 0.06);
    assert_near(r->q95, 0.6 + 1.6449 * sqrt(0.5), 0.08);
    assert_close(r->mean, j->judged[1].corrected_mean.value, 0);
    assert_close(r->k, j->judged[1].corrected_mean.k, 0);
    assert_true(r->error > 0.005 && r->error < 0.05 && isnan(r->rhat));
    assert_null(gb_summary_find(s, "mu[2]"));
    gb_summary_free(s);
    gb_judgement_free(j);
}

TEST(q_s_own_numbers_are_there_on_request)
{
    gb_node mu;
    gb_elbo *e = conjugate(t, &mu);
    gb_judgement *j = judged(gb_judge(e), t);
    gb_summary_table *s = made(gb_summary(e, .judgement = j, .of_q = true), t);
    assert_int_equal(s->row[0].source, GB_SUMMARY_Q);
    assert_string_equal(s->row[0].words, "");
    assert_close(s->row[0].mean, j->judged[0].mean, 16);
    assert_close(s->row[0].sd, j->judged[0].sd, 16);
    assert_near(s->row[0].error, s->row[0].sd / sqrt((double)j->draws), 1e-12);
    gb_summary_free(s);
    gb_judgement_free(j);
}

/* q's own k is above 1: its draws never reach where its tail is too light. Wider draws do, and correct all
 * rows. */
TEST(numbers_are_corrected_by_wider_draws_where_the_judgement_goes_by_these)
{
    gb_tape *const u = test_tape(.seed = 3);
    gb_elbo *e = gb_elbo_new(u, .data_size = 1);
    const gb_node rate =
        gb_latent(e, "rate", gb_mean_field(gb_shape(), .location = log(60) - 0.5 / 60, .scale = 1 / sqrt(60)),
                  gb_gamma(gb_num(u, 60), gb_num(u, 1)), gb_pathwise());
    const gb_node half = gb_named(gb_div(rate, gb_num(u, 2)), "half");
    gb_judgement *j = judged(gb_judge(e), u);
    assert_true(j->corrects_by_wide);
    gb_summary_table *s = made(gb_summary(e, .judgement = j, .nodes = gb_roots(half)), u);
    assert_int_equal(s->draws, j->wide_draws);
    for (size_t i = 0; i < 2; i++) {
        const gb_summary_row *const r = &s->row[i];
        assert_int_equal(r->source, GB_SUMMARY_WIDE);
        assert_near(r->mean, i ? 30 : 60, 4 * r->error);
        assert_near(r->sd, sqrt(60) / (i ? 2 : 1), 0.03 * sqrt(60));
        assert_true(r->error < 0.02 * r->sd);
    }
    gb_summary_table *own = made(gb_summary(e, .judgement = j, .of_q = true), u);
    assert_int_equal(own->row[0].source, GB_SUMMARY_Q);
    assert_int_equal(own->draws, j->draws);
    gb_summary_free(own);
    gb_summary_free(s);
    gb_judgement_free(j);
}

TEST(a_posterior_that_is_not_to_be_trusted_is_read_and_marked)
{
    gb_judgement *j = judged(gb_judge(planted_modes(t, PLANTED_GIVEN, 1, 5)), t);
    gb_summary_table *s = made(gb_summary(NULL, .judgement = j), t);
    assert_int_equal(s->verdict, GB_VERDICT_NOT_TRUSTED);
    assert_int_equal(s->row[0].source, GB_SUMMARY_Q);
    assert_string_equal(s->row[0].words, "not to be trusted");
    assert_near(s->row[0].mean, 2.5, 0.1);
    assert_non_null(strstr(s->words, "not to be trusted"));
    gb_summary_free(s);
    gb_judgement_free(j);
}

TEST(a_fit_that_has_not_converged_is_marked)
{
    gb_summary_table *s = made(gb_summary(planted_normal(t, PLANTED_FAMILY, 1, 0.5, 1)), t);
    assert_string_equal(s->row[0].words, "not converged");
    gb_summary_free(s);
}

TEST(nodes_are_rows_with_their_names_and_noise_of_their_own)
{
    gb_node mu;
    gb_elbo *e = conjugate(t, &mu);
    const gb_node twice = gb_named(gb_scale(mu, 2), "twice"), sum = gb_sum(mu),
                  y = gb_sample(gb_normal(sum, gb_num(t, 1)), gb_stream(t, "replicated"), GB_SAMPLES);
    gb_summary_table *s = made(gb_summary(e, .nodes = gb_roots(twice, sum, y)), t);
    assert_int_equal(s->parameters, 2);
    assert_int_equal(s->rows, 6);
    assert_string_equal(s->row[3].name, "twice[1]");
    assert_string_equal(s->row[4].name, "node 1");
    assert_close(s->row[3].mean, 2 * s->row[1].mean, 64);
    assert_close(s->row[3].sd, 2 * s->row[1].sd, 64);
    assert_near(s->row[4].sd, 1, 0.05);
    assert_near(s->row[5].sd, sqrt(2), 0.07);
    gb_summary_free(s);
}

TEST(nodes_of_rows_have_a_number_for_each_row)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 3);
    const gb_node x = gb_input_rows(t, "x", gb_shape());
    const gb_node mu = gb_latent(e, "mu", gb_mean_field(gb_shape(), .scale = 1),
                                 gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_node f = gb_named(gb_mul(mu, x), "f");
    gb_feed(x, (double[]){1, 2, 3}, 3);
    gb_summary_table *s = made(gb_summary(e, .nodes = gb_roots(f)), t);
    assert_int_equal(s->rows, 4);
    assert_string_equal(s->row[3].name, "f[2]");
    assert_close(s->row[3].sd, 3 * s->row[0].sd, 64);
    gb_summary_free(s);
}

TEST(points_have_no_spread)
{
    gb_elbo *e = planted_normal(t, PLANTED_FAMILY, 1, 0, 1);
    gb_latent(e, "p", gb_point(gb_shape(), .location = 3), gb_normal(gb_num(t, 0), gb_num(t, 1)),
              gb_pathwise());
    gb_summary_table *s = made(gb_summary(e), t);
    const gb_summary_row *const r = gb_summary_find(s, "p");
    assert_int_equal(r->source, GB_SUMMARY_POINT);
    assert_true(r->mean == 3 && r->sd == 0 && r->q05 == 3 && isnan(r->k));
    gb_summary_free(s);
}

TEST(nuts_has_the_same_table, .seed = 2)
{
    gb_node mu;
    gb_elbo *e = conjugate(t, &mu);
    gb_nuts *r = gb_sample_nuts(e);
    gb_summary_table *s = made(gb_summary(e, .nuts = r, .nodes = gb_roots(gb_sum(mu))), t);
    assert_int_equal(s->verdict, GB_VERDICT_NONE);
    assert_int_equal(s->row[0].source, GB_SUMMARY_NUTS);
    assert_close(s->row[0].mean, r->convergence[0].mean, 0);
    assert_close(s->row[0].rhat, r->convergence[0].rhat, 0);
    assert_near(s->row[2].mean, 1.2, 5 * s->row[2].error);
    assert_true(isnan(s->row[0].k));
    gb_summary_free(s);
    gb_nuts_free(r);
}

/* ---- forms ---- */

static char *written(gb_status (*write)(const gb_summary_table *, FILE *), const gb_summary_table *s)
{
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    assert_int_equal(write(s, file), GB_OK);
    fclose(file);
    return text;
}

TEST(the_table_is_printed_and_written_as_json_and_csv)
{
    gb_node mu;
    gb_elbo *e = conjugate(t, &mu);
    gb_summary_table *s = made(gb_summary(e, .nodes = gb_roots(gb_named(gb_sum(mu), "a \"sum\", named"))), t);
    char *text = written(gb_summary_print, s), *json = written(gb_summary_json, s),
         *csv = written(gb_summary_csv, s), number[40];
    assert_non_null(strstr(text, "good, if no mode was missed\n"));
    assert_non_null(strstr(text, "mu[0]"));
    assert_non_null(strstr(text, "psis"));
    assert_non_null(strstr(json, "{\"schema\": \"grebe-summary-1\", "
                                 "\"verdict\": \"good, if no mode was missed\", \"words\": \"good"));
    assert_non_null(strstr(json, "{\"name\": \"a \\\"sum\\\", named\", \"mean\": "));
    assert_non_null(strstr(json, "\"rhat\": null, \"source\": \"psis\", \"words\": \"\"}"));
    snprintf(number, sizeof number, "\"mean\": %.17g", s->row[0].mean);
    assert_true(strncmp(csv, "name,mean,error,sd,q05,q50,q95,ess,k,rhat,source,words\n\"mu[0]\",", 63) == 0);
    assert_non_null(strstr(csv, "\n\"a \"\"sum\"\", named\","));
    free(text), free(json), free(csv);
    gb_summary_free(s);
}

static const char *path_of(const char *name, char path[256])
{
    snprintf(path, 256, "/tmp/grebe-%ld-%s", (long)getpid(), name);
    return path;
}

static char *file_bytes(const char *path, size_t *length)
{
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    char *const bytes = calloc(1 << 20, 1);
    *length = fread(bytes, 1, (1 << 20) - 1, file);
    fclose(file);
    unlink(path);
    return bytes;
}

TEST(draws_are_saved_as_csv_with_their_log_weights)
{
    char path[256];
    size_t length;
    gb_node mu;
    gb_elbo *e = conjugate(t, &mu);
    gb_judgement *j = judged(gb_judge(e, .draws = 200, .most_draws = 200), t);
    gb_summary_table *s = made(gb_summary(e, .judgement = j), t);
    assert_int_equal(gb_draws_save(s, path_of("draws.csv", path)), GB_OK);
    char *const bytes = file_bytes(path, &length), *at = bytes;
    assert_true(strncmp(at, "mu[0],mu[1],log_weight\n", 23) == 0);
    at += 23;
    for (size_t i = 0; i < 200; i++) {
        assert_true(strtod(at, &at) == j->value[2 * i]);
        assert_true(strtod(at + 1, &at) == j->value[2 * i + 1]);
        assert_true(strtod(at + 1, &at) == j->weights.log_weights[i]);
        assert_true(*at++ == '\n');
    }
    assert_true(*at == '\0');
    free(bytes);
    gb_summary_free(s);
    gb_judgement_free(j);
}

TEST(resampled_draws_are_saved_as_npy_and_are_draws_of_the_posterior)
{
    char path[256];
    size_t length;
    gb_node mu;
    gb_elbo *e = conjugate(t, &mu);
    gb_summary_table *s = made(gb_summary(e), t);
    assert_int_equal(gb_draws_save(s, path_of("draws.npy", path), .resample = 4000), GB_OK);
    char *const bytes = file_bytes(path, &length);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_non_null(strstr(bytes + 10, "'fortran_order': False, 'shape': (4000, 2), }"));
    const size_t head = 10 + (unsigned char)bytes[8] + 256 * (size_t)(unsigned char)bytes[9];
    assert_int_equal(head % 64, 0);
    assert_int_equal(length, head + 8000 * sizeof(double));
    assert_true(bytes[head - 1] == '\n');
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 8000; i++) {
        double x;
        memcpy(&x, bytes + head + i * sizeof x, sizeof x);
        sum += x / 8000;
        squares += x * x / 8000;
    }
    assert_near(sum, 0.6, 0.06);
    assert_near(sqrt(squares - sum * sum), sqrt(0.5), 0.04); /* q's is 0.75 */
    free(bytes);
    gb_summary_free(s);
}

TEST(draws_of_nuts_have_their_chain_and_number, .seed = 2)
{
    char path[256];
    size_t length;
    gb_node mu;
    gb_elbo *e = conjugate(t, &mu);
    gb_nuts *r = gb_sample_nuts(e, .warmup = 200, .draws = 50, .chains = 2);
    gb_summary_table *s = made(gb_summary(e, .nuts = r), t);
    assert_int_equal(gb_draws_save(s, path_of("nuts.csv", path)), GB_OK);
    char *const bytes = file_bytes(path, &length);
    assert_true(strncmp(bytes, "chain,draw,mu[0],mu[1]\n0,0,", 27) == 0);
    assert_non_null(strstr(bytes, "\n1,49,"));
    free(bytes);
    assert_int_equal(gb_draws_save(s, "x.csv", .resample = 10), GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT,
                    "draws_save: .resample is for draws of q; those of NUTS have no weights");
    gb_summary_free(s);
    gb_nuts_free(r);
}

/* ---- what is rejected ---- */

TEST(impossible_files_are_rejected_and_nothing_is_written)
{
    gb_summary_table *s = made(gb_summary(planted_normal(t, PLANTED_FAMILY, 1, 0, 1)), t);
    gb_draws_save(s, "/tmp/draws.txt");
    assert_rejected(t, GB_EARGUMENT,
                    "draws_save: the path is /tmp/draws.txt, and must end with .csv or .npy");
    gb_draws_save(s, NULL);
    assert_rejected(t, GB_EARGUMENT, "draws_save: the path is NULL, and must end");
    gb_draws_save(s, "/nowhere/there/draws.csv");
    assert_rejected(t, GB_ESYSTEM, "its folder does not exist; create it first");
    assert_int_equal(gb_draws_save(NULL, "x.csv"), GB_EARGUMENT);
    gb_summary_free(s);
}

TEST(draws_that_are_no_numbers_are_a_table_without_numbers)
{
    gb_elbo *e = planted_normal(t, PLANTED_FAMILY, 1, 0, 1);
    set_variable(t, "w.location", (double[]){INFINITY}, 1);
    gb_summary_table *s = made(gb_summary(e), t);
    assert_string_equal(s->row[0].words, "q has no draws that are numbers");
    assert_true(isnan(s->row[0].mean));
    gb_draws_save(s, "/tmp/draws.csv");
    assert_rejected(t, GB_EARGUMENT, "draws_save: there are no draws: not converged");
    gb_summary_free(s);
}

/* Names that other programs would obey, or that columns beside the rows have. */
TEST(names_do_no_harm_in_files_and_on_terminals)
{
    static const char *const names[] = {"a\rb", "c\xff\x1b[31m", "d,e", "log_weight", "chain", "draw"};
    char path[256], text[8192];
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        gb_latent(e, names[i], gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)),
                  gb_pathwise());
    gb_judgement *const j = gb_judge(e);
    gb_nuts *const n = gb_sample_nuts(e, .draws = 20, .warmup = 50, .chains = 1);
    for (int of_nuts = 0; of_nuts < 2; of_nuts++) {
        gb_summary_table *const s =
            gb_summary(e, .judgement = of_nuts ? NULL : j, .nuts = of_nuts ? n : NULL);
        assert_int_equal(gb_draws_save(s, path_of("names.csv", path)), GB_OK);
        FILE *file = fopen(path, "r");
        assert_non_null(fgets(text, sizeof text, file));
        assert_string_equal(text,
                            of_nuts ? "chain_,draw_,a\\x0db,c\\xff\\x1b[31m,\"d,e\",log_weight,chain,draw\n"
                                    : "a\\x0db,c\\xff\\x1b[31m,\"d,e\",log_weight,chain,draw,log_weight_\n");
        fclose(file);
        unlink(path);
        assert_non_null(gb_summary_find(s, "c\\xff\\x1b[31m"));
        for (int way = 0; way < 3; way++) {
            file = fmemopen(text, sizeof text, "w");
            assert_int_equal(way == 0               ? gb_summary_print(s, file)
                             : way == 1 && of_nuts  ? gb_nuts_print(n, file)
                             : way == 1 && !of_nuts ? gb_judgement_print(j, file)
                                                    : gb_summary_json(s, file),
                             GB_OK);
            fclose(file);
            assert_null(strpbrk(text, "\r\x1b\xff"));
        }
        gb_summary_free(s);
    }
    gb_judgement_free(j);
    gb_nuts_free(n);
}

TEST(impossible_options_are_rejected)
{
    gb_elbo *e = planted_normal(t, PLANTED_FAMILY, 1, 0, 1);
    gb_judgement *j = judged(gb_judge(e), t);
    const gb_nuts nuts = {.density = j->density};
    assert_null(gb_summary(e, .judgement = j, .nuts = &nuts));
    assert_rejected(t, GB_EARGUMENT, "summary: .judgement and .nuts are both given");
    assert_null(gb_summary(e, .nodes = {.count = 2}));
    assert_rejected(t, GB_EARGUMENT, "summary: 2 nodes are given, but the list is NULL");
    assert_null(gb_summary_with(e, &(gb_summary_options){.of_q = true}));
    assert_rejected(t, GB_EARGUMENT, "summary");
    assert_null(gb_summary(NULL));
    gb_summary_free(NULL);
    assert_null(gb_summary_find(NULL, "w"));
    assert_int_equal(gb_summary_print(NULL, stdout), GB_EARGUMENT);
    assert_int_equal(gb_summary_json(NULL, stdout), GB_EARGUMENT);
    assert_int_equal(gb_summary_csv(NULL, stdout), GB_EARGUMENT);
    gb_judgement_free(j);
}

static gb_status use(gb_tape *t, const void *what)
{
    (void)what;
    char path[256];
    if (!t)
        return GB_ENOMEM;
    gb_node mu = {0};
    gb_elbo *const e = conjugate(t, &mu);
    gb_judgement *const j = gb_judge(e, .draws = 200, .most_draws = 200);
    gb_summary_table *const s = gb_summary(e, .judgement = j, .nodes = gb_roots(mu));
    gb_draws_save(s, path_of("memory.csv", path), .resample = 20);
    gb_summary_free(s);
    gb_judgement_free(j);
    unlink(path);
    return gb_error(t);
}

TEST(tables_and_files_outlive_lack_of_memory)
{
    assert_outlives_lack_of_memory(use, NULL, "summary", 60, (gb_tape_options){.seed = 1});
}
