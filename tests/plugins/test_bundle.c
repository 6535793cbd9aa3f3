/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bundles: types of the program that look-ups by name know. What is added stays, so tests build on those
 * before them. */
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/problem.h"
#include "distributions/list.h"
#include "distributions/text.h"
#include "distributions/transforms.h"
#include "estimators/list.h"
#include "models/optimiser.h"
#include "plugins/bundle.h"
#include "support/files.h"

/* ---- types of the program ---- */

typedef struct weighted_options {
    size_t size;
    double share;
    gb_baseline baseline;
} weighted_options;

static gb_node draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

static const gb_option weighted_table[] = {
    GB_OPTION_NUMBER(weighted_options, share, 0.5, GB_OPEN_UNIT, "a share"),
    GB_OPTION_PLUGIN(weighted_options, baseline, gb_baseline, NULL, "a baseline"),
    {0}};

static const gb_estimator_type weighted = {.size = sizeof(gb_estimator_type),
                                           .name = "weighted",
                                           .formula = "f",
                                           .options = weighted_table,
                                           .option_bytes = sizeof(weighted_options),
                                           .draw = draw};

static gb_node value(const gb_site *site, const void *options, gb_node costs)
{
    (void)site, (void)options;
    return costs;
}

static const gb_baseline_type plain = {
    .size = sizeof(gb_baseline_type), .name = "plain", .formula = "f", .value = value};

static gb_node cost(gb_trial *trial)
{
    return gb_trial_draw(trial, "x", gb_normal(gb_num(trial->tape, 0), gb_num(trial->tape, 1)));
}

static const gb_problem problem = {
    .size = sizeof(gb_problem), .name = "a-problem", .formula = "E x", .cost = cost};

static gb_status add(const gb_bundle *bundle, char error[256])
{
    *error = '\0';
    return gb_bundle_add(bundle, NULL, error, 256);
}

static size_t count_of(const gb_kind *kind)
{
    size_t count = 0;
    while (gb_kind_at(kind, count))
        count++;
    return count;
}

/* ---- adding ---- */

TEST(types_of_the_program_are_found_by_name)
{
    char error[256], text[128];
    size_t built_in;
    gb_estimator e;
    gb_estimators(&built_in);
    assert_int_equal(count_of(&gb_estimator_kind), built_in);
    assert_null(gb_estimator_find("weighted"));
    assert_false(gb_estimator_parse("weighted", &e, error, sizeof error));
    static const gb_bundle_member members[] = {
        {&gb_estimator_kind, &weighted}, {&gb_baseline_kind, &plain}, {&gb_problem_kind, &problem}};
    static const gb_bundle bundle = GB_BUNDLE(3, members);
    assert_int_equal(add(&bundle, error), GB_OK);
    assert_string_equal(error, "");
    assert_ptr_equal(gb_estimator_find("weighted"), &weighted);
    assert_ptr_equal(gb_problem_find("a-problem"), &problem);
    assert_int_equal(count_of(&gb_estimator_kind), built_in + 1);
    assert_ptr_equal(gb_kind_at(&gb_estimator_kind, built_in), &weighted);
    assert_null(gb_kind_at(&gb_estimator_kind, built_in + 1));
    size_t still;
    gb_estimators(&still);
    assert_int_equal(still, built_in); /* the list is constant */
    assert_true(gb_estimator_parse("weighted:share=0.25:baseline=plain", &e, error, sizeof error));
    gb_estimator_text(e, text, sizeof text);
    assert_string_equal(text, "weighted:share=0.25:baseline=plain");
    assert_true(gb_estimator_parse("score:baseline=plain", &e, error, sizeof error));
    assert_false(gb_estimator_parse("wieghted", &e, error, sizeof error));
    assert_non_null(strstr(error, "did you mean weighted?"));
    assert_false(gb_estimator_parse("weighted:share=2", &e, error, sizeof error));
}

TEST(origins_say_what_is_built_in)
{
    assert_string_equal(gb_kind_origin(&gb_estimator_kind, &weighted), "");
    assert_null(gb_kind_origin(&gb_estimator_kind, gb_estimator_find("score")));
    assert_null(gb_kind_origin(&gb_baseline_kind, &weighted));
}

TEST(a_type_that_is_added_again_is_left_as_it_is)
{
    char error[256];
    static const gb_bundle_member again[] = {{&gb_estimator_kind, &weighted},
                                             {&gb_estimator_kind, &weighted}};
    static const gb_bundle bundle = GB_BUNDLE(2, again);
    const size_t before = count_of(&gb_estimator_kind);
    assert_int_equal(gb_bundle_add(&bundle, "elsewhere", error, sizeof error), GB_OK);
    assert_int_equal(count_of(&gb_estimator_kind), before);
    assert_string_equal(gb_kind_origin(&gb_estimator_kind, &weighted), "");
}

/* ---- rejections ---- */

static void rejected(gb_bundle bundle, const char *words)
{
    char error[256];
    const size_t before = count_of(&gb_estimator_kind);
    assert_int_equal(add(&bundle, error), GB_EARGUMENT);
    if (!strstr(error, words))
        fail_msg("\"%s\" should contain \"%s\"", error, words);
    assert_int_equal(count_of(&gb_estimator_kind), before);
}

static void rejected_member(const gb_kind *kind, const void *type, const char *words)
{
    gb_estimator_type good = weighted; /* comes first: nothing of a bundle is added if a part is rejected */
    good.name = "good";
    const gb_bundle_member members[] = {{&gb_estimator_kind, &good}, {kind, type}};
    rejected((gb_bundle)GB_BUNDLE(2, members), words);
    assert_null(gb_estimator_find("good"));
}

TEST(a_bundle_of_other_headers_or_another_library_is_rejected)
{
    char error[256];
    static const gb_bundle_member members[] = {{&gb_estimator_kind, &weighted}};
    const gb_bundle good = GB_BUNDLE(1, members);
    gb_bundle other = good;
    assert_int_equal(add(NULL, error), GB_EARGUMENT);
    assert_non_null(strstr(error, "NULL"));
    other.minor++;
    rejected(other, "compiled with the headers of grebe 0.3.0, and this is grebe 0.2.0: compile it again");
    other = good;
    other.major++;
    rejected(other, "headers of grebe 1.2.0");
    other = good;
    other.patch = GB_VERSION_PATCH + 1;
    rejected(other, "headers of grebe 0.2.1");
    other = good;
    other.size--;
    rejected(other, "size");
    other = good;
    other.library = gb_kernels;
    rejected(other, "another copy of grebe");
    other = good;
    other.count = 0;
    rejected(other, "no members");
    other = good;
    other.member = NULL;
    rejected(other, "no members");
}

TEST(a_member_that_is_not_complete_is_rejected)
{
    gb_estimator_type e = weighted;
    e.name = "mine";
    rejected_member(NULL, &e, "member 2 has no kind");
    rejected_member(&gb_estimator_kind, NULL, "the type is NULL");
    rejected_member(&gb_baseline_kind, &e, "baseline mine: its type struct has the size");
    e.draw = NULL;
    rejected_member(&gb_estimator_kind, &e, "estimator mine: its type struct lacks draw");
    e = weighted;
    e.name = "";
    rejected_member(&gb_estimator_kind, &e, "has no name");
    e.name = "mine";
    e.formula = NULL;
    rejected_member(&gb_estimator_kind, &e, "lacks formula");
    e = weighted;
    e.name = "mine";
    e.option_bytes = 8;
    rejected_member(&gb_estimator_kind, &e, "share lies outside its options struct");
    gb_problem p = problem;
    p.name = "mine";
    p.cost = NULL;
    rejected_member(&gb_problem_kind, &p, "problem mine: its type struct lacks cost");
    p.size = 8;
    rejected_member(&gb_problem_kind, &p, "problem mine: its type struct has the size 8");
    gb_dist_type d = gb_normal_type;
    d.name = "mine";
    d.log_prob = NULL;
    rejected_member(&gb_dist_kind, &d, "distribution mine: its type struct lacks log_prob");
    gb_transform_type t1 = gb_softplus_transform_type;
    t1.name = "mine";
    t1.inverse = NULL;
    rejected_member(&gb_transform_kind, &t1, "transform mine: its type struct lacks forward or inverse");
    gb_op op = {.size = sizeof(gb_op), .name = "mine", .formula = "x", .form = GB_FORM_ELEMENTWISE};
    rejected_member(&gb_op_kind, &op, "operation mine: its type struct lacks lane");
    op.form = GB_FORM_KERNEL;
    rejected_member(&gb_op_kind, &op, "lacks run");
    op.form = GB_FORM_VIEW;
    rejected_member(&gb_op_kind, &op, "lacks view");
}

TEST(a_name_that_is_taken_or_no_name_is_rejected)
{
    static const char *const wrong[] = {"Mine", "1st", "a b",  "a:b", "a,b",
                                        "a(b",  "a/b", "none", "-a",  "a\n"};
    gb_estimator_type e = weighted;
    e.name = "score";
    rejected_member(&gb_estimator_kind, &e, "estimator score: this name is taken");
    e.name = "stl"; /* another word for a built-in one */
    rejected_member(&gb_estimator_kind, &e, "estimator stl: this name is taken");
    e.name = "weighted"; /* the program's */
    rejected_member(&gb_estimator_kind, &e, "estimator weighted: this name is taken");
    e.name = "good"; /* an earlier one of the bundle */
    rejected_member(&gb_estimator_kind, &e, "estimator good: this name is taken");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        e.name = wrong[i];
        rejected_member(&gb_estimator_kind, &e, "a name begins with a letter");
    }
}

/* ---- what is known of a value ---- */

static void note(void *user, const gb_kind *kind, const gb_plugin *type)
{
    char *const text = user;
    strcat(strcat(strcat(text, kind->name), " "), type->name);
    strcat(text, "; ");
}

TEST(a_visit_goes_from_the_outside_in)
{
    char text[256] = "", error[256];
    gb_estimator e;
    assert_true(gb_estimator_parse("score:baseline=constant(2)", &e, error, sizeof error));
    gb_plugin_visit(&gb_estimator_kind, e.type, &e.options, note, text);
    assert_string_equal(text, "estimator score; baseline constant; ");
    *text = '\0';
    gb_optimiser o;
    assert_true(gb_optimiser_parse("adam:schedule=warm_up(5:then=cosine(9))", &o, error, sizeof error));
    gb_plugin_visit(&gb_optimiser_kind, o.type, &o.options, note, text);
    assert_string_equal(text, "optimiser adam; schedule warm_up; schedule cosine; ");
    *text = '\0';
    gb_plugin_visit(&gb_estimator_kind, NULL, &e.options, note, text);
    const gb_packed broken = {.used = 255};
    gb_plugin_visit(&gb_estimator_kind, e.type, &broken, note, text);
    assert_string_equal(text, "");
}

/* ---- loading ---- */

static void no_file(const char *path, const char *words)
{
    char error[512];
    const gb_bundle *bundle = (const void *)error;
    assert_int_equal(gb_bundle_load(path, &bundle, error, sizeof error), GB_EFILE);
    assert_null(bundle);
    if (!strstr(error, words))
        fail_msg("\"%s\" should contain \"%s\"", error, words);
}

TEST(what_is_no_shared_object_is_rejected_in_words)
{
    file_put_text("bundle.so",
                  "no shared object, but long enough to look like the head of one: sixty-four bytes");
    no_file("./bundle.so", "./bundle.so cannot be loaded: invalid ELF header");
    file_put_text("bundle.so", "");
    no_file("./bundle.so", "./bundle.so cannot be loaded: file too short");
    unlink("bundle.so");
    no_file("./bundle.so", "./bundle.so cannot be loaded: No such file or directory");
    no_file("bundle.so", "a file to load is named with a slash, as ./mine.so");
    no_file("libm.so.6", "a slash"); /* it is there, in a folder of the system's */
    no_file("", "a path is expected");
    no_file(NULL, "a path is expected");
    no_file("./", "it is not a regular file");
    assert_int_equal(mkfifo("bundle.pipe", 0600), 0);
    no_file("./bundle.pipe", "it is not a regular file"); /* and is not waited for */
    unlink("bundle.pipe");
}

/* ---- threads, and the limit ---- */

enum { MANY = 1100 };
static gb_baseline_type many[MANY];
static char names[MANY][16];
static gb_bundle_member many_members[MANY];

static void make_many(void)
{
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "many_%zu", i);
        many[i] = plain;
        many[i].name = names[i];
        many_members[i] = (gb_bundle_member){&gb_baseline_kind, &many[i]};
    }
}

static void *add_many(void *argument)
{
    char error[256];
    const size_t from = (size_t)(uintptr_t)argument;
    for (size_t i = from; i < 600; i += 2) {
        const gb_bundle one = GB_BUNDLE(1, &many_members[i]);
        if (gb_bundle_add(&one, NULL, error, sizeof error) != GB_OK)
            return error[0] ? argument : NULL;
    }
    return many;
}

/* What is found is whole, and what was found is found again. */
TEST(look_ups_go_on_while_threads_add)
{
    pthread_t thread[2];
    size_t seen = 0;
    make_many();
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, add_many, (void *)(uintptr_t)i), 0);
    while (seen < 600)
        for (seen = 0; seen < 600 && gb_baseline_find(names[seen]) == &many[seen]; seen++) {}
    for (size_t i = 0; i < 2; i++) {
        void *result;
        assert_int_equal(pthread_join(thread[i], &result), 0);
        assert_ptr_equal(result, many);
    }
    assert_string_equal(gb_kind_origin(&gb_baseline_kind, &many[599]), "");
}

TEST(there_is_room_for_a_thousand)
{
    char error[256];
    const gb_bundle rest = GB_BUNDLE(MANY - 600, many_members + 600);
    assert_int_equal(add(&rest, error), GB_ELIMIT);
    assert_non_null(strstr(error, "room for"));
    assert_null(gb_baseline_find(names[600]));
    const gb_bundle some = GB_BUNDLE(300, many_members + 600);
    assert_int_equal(add(&some, error), GB_OK);
    assert_ptr_equal(gb_baseline_find(names[899]), &many[899]);
}
