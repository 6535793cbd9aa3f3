/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options in a value: packed by the table, unpacked with defaults, compared, and checked. */
#include "support/close.h"

#include "estimators/bound.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "models/family.h"
#include "models/optimiser.h"
#include "ops/elementwise.h"
#include "support/counted_memory.h"
#include "support/plugins.h"

TEST(all_values_have_one_size)
{
    assert_int_equal(sizeof(gb_estimator), 256);
    assert_int_equal(sizeof(gb_baseline), 256);
    assert_int_equal(sizeof(gb_optimiser), 256);
    assert_int_equal(sizeof(gb_schedule), 256);
    assert_int_equal(sizeof(gb_bound), 256);
}

TEST(options_come_back_with_defaults_filled_in)
{
    gb_option_block block;
    const gb_optimiser adam = gb_adam(.beta1 = 0.5, .schedule = gb_cosine(7, .end = 0.25));
    const gb_adam_options *const o = gb_options_unpack(adam.type, &adam.options, &block);
    assert_int_equal(o->size, sizeof *o);
    assert_true(o->lr == 1e-3 && o->beta1 == 0.5 && o->beta2 == 0.999 && o->epsilon == 1e-8 && !o->rate.tape);
    gb_option_block inner;
    const gb_cosine_options *const cosine = gb_options_unpack(o->schedule.type, &o->schedule.options, &inner);
    assert_true(o->schedule.type == &gb_cosine_schedule_type && cosine->steps == 7 && cosine->end == 0.25);
}

TEST(every_member_unpacks_to_what_was_packed)
{
    for (size_t k = 0; k < PLUGIN_KINDS; k++)
        for (size_t i = 0; plugin_kinds[k]->at(i); i++) {
            gb_option_block block, again;
            gb_packed options;
            const gb_plugin *const type = plugin_kinds[k]->at(i);
            if (!plugin_example(type, &options))
                continue;
            gb_options_unpack(type, &options, &block);
            const gb_packed twice = gb_options_pack(type, &block);
            gb_options_unpack(type, &twice, &again);
            const size_t bytes = type->options ? type->option_bytes : sizeof(size_t);
            assert_memory_equal(&block, &again, bytes);
        }
}

/* The value that a function returns does not point into the block of the function. */
static gb_optimiser made_in_a_block(void)
{
    const double lr = 0.5;
    return gb_adam(.lr = lr, .schedule = gb_warm_up(3, gb_step_decay(10, 0.5)));
}

TEST(a_value_outlives_the_block_that_made_it)
{
    char text[128];
    const gb_optimiser adam = made_in_a_block();
    gb_optimiser_text(adam, text, sizeof text);
    assert_string_equal(text, "adam:lr=0.5:schedule=warm_up(3:step_decay(10:0.5))");
}

TEST(an_old_programs_shorter_options_are_completed)
{
    gb_option_block block;
    const gb_adam_options theirs = {.size = offsetof(gb_adam_options, beta2), .beta1 = 0.5, .beta2 = 0.25};
    const gb_optimiser adam = gb_adam_with(&theirs);
    const gb_adam_options *const o = gb_options_unpack(adam.type, &adam.options, &block);
    assert_true(o->beta1 == 0.5 && o->beta2 == 0.999);
    const gb_optimiser none = gb_adam_with(NULL), plain = gb_adam();
    assert_true(gb_options_same(&none.options, &plain.options));
}

TEST(values_are_the_same_by_what_they_say)
{
    const gb_optimiser a = gb_adam(.lr = 0.1), b = gb_adam(.lr = 0.1), c = gb_adam(.lr = 0.2);
    assert_true(gb_options_same(&a.options, &b.options));
    assert_false(gb_options_same(&a.options, &c.options));
}

static gb_schedule nested(size_t depth)
{
    return depth == 0 ? gb_cosine(100) : gb_warm_up(1 + (double)depth, nested(depth - 1));
}

TEST(nesting_too_deep_for_a_value_is_rejected_in_words)
{
    char fault[256];
    const gb_schedule three = nested(3), thirty = nested(30);
    assert_true(gb_options_fit(three.type, &three.options, fault, sizeof fault));
    assert_false(gb_options_fit(thirty.type, &thirty.options, fault, sizeof fault));
    assert_non_null(
        strstr(fault, "warm_up: its options and those of plug-ins in it take more than 247 bytes"));
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1));
    gb_minimise(gb_square(x), gb_sgd(.schedule = thirty));
    assert_rejected(t, GB_EARGUMENT, "take more than 247 bytes");
}

TEST(numbers_and_choices_outside_their_domains_are_named)
{
    char fault[256];
    const gb_estimator rebar = gb_dropout_draws(.mask = gb_rebar(.temperature = -1));
    assert_false(gb_options_fit(rebar.type, &rebar.options, fault, sizeof fault));
    assert_string_equal(fault, "dropout: mask rebar: temperature is -1, and must be from 0.001 to 1000");
    const gb_estimator pathwise = gb_pathwise(.draws = (gb_draws)7);
    assert_false(gb_options_fit(pathwise.type, &pathwise.options, fault, sizeof fault));
    assert_string_equal(fault, "pathwise: draws has no choice number 7");
}

TEST(keeping_options_without_memory_is_an_error_of_the_tape)
{
    counted_memory memory = {0};
    gb_tape *const tape = gb_tape_new(.threads = 1, .memory = counted(&memory));
    memory.fail_at = memory.asked + 1;
    memory.fail_after = true;
    const gb_optimiser adam = gb_adam();
    size_t kept = 0;
    while (kept < 100000 && gb_options_keep(tape, adam.type, &adam.options))
        kept++;
    assert_int_equal(gb_error(tape), GB_ENOMEM);
    gb_tape_free(tape);
}

TEST(a_struct_without_a_size_is_rejected_in_words)
{
    char fault[256];
    const gb_adam_options nameless = {.lr = 0.5};
    const gb_optimiser adam = gb_adam_with(&nameless);
    assert_false(gb_options_fit(adam.type, &adam.options, fault, sizeof fault));
    assert_string_equal(
        fault, "adam: its options struct, or that of a plug-in in it, has no size; set .size = sizeof(it)");
    const gb_cosine_options end = {.end = 0.5};
    const gb_schedule cosine = gb_cosine_with(10, &end);
    assert_false(gb_options_fit(cosine.type, &cosine.options, fault, sizeof fault));
    const gb_elbo_options data = {.data_size = 10};
    assert_null(gb_elbo_new_with(t, &data));
    assert_rejected(t, GB_EARGUMENT, "elbo: the options struct has no size; set .size = sizeof(it)");
    const gb_tape_options seeded = {.seed = 3};
    assert_null(gb_tape_new_with(&seeded));
}

/* ---- types that cannot be used ---- */

static gb_schedule with_type(const gb_schedule_type *type)
{
    return (gb_schedule){.type = type};
}

TEST(a_type_that_is_not_complete_is_rejected_where_it_is_used)
{
    gb_schedule_type no_size = gb_cosine_schedule_type, no_factor = no_size, no_name = no_size,
                     no_bytes = no_size;
    no_size.size = 0;
    no_factor.factor = NULL;
    no_name.name = NULL;
    no_bytes.option_bytes = 16;
    const struct {
        const gb_schedule_type *type;
        const char *words;
    } cases[] = {{&no_size, "x schedule: cosine: its type struct has the size 0, and must have"},
                 {&no_factor, "x schedule: cosine: its type struct lacks factor"},
                 {&no_name, "x schedule: a type of a schedule has no name"},
                 {&no_bytes, "x schedule: cosine: option end lies outside its options struct"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(gb_node_ok(gb_schedule_factor("x", with_type(cases[i].type), gb_num(t, 3))));
        assert_rejected(t, GB_EARGUMENT, cases[i].words);
    }
}

TEST(a_table_with_too_many_rows_is_rejected)
{
    static gb_option rows[GB_MOST_OPTIONS + 2];
    for (size_t i = 0; i <= GB_MOST_OPTIONS; i++)
        rows[i] = (gb_option){.name = "flag", .form = GB_OPTION_IS_FLAG, .offset = 8 + i};
    gb_schedule_type wide = gb_cosine_schedule_type;
    wide.options = rows;
    wide.option_bytes = 128;
    assert_false(gb_node_ok(gb_schedule_factor("x", with_type(&wide), gb_num(t, 3))));
    assert_rejected(t, GB_EARGUMENT, "option flag is one row too many");
}

TEST(a_value_without_a_type_is_rejected_or_has_its_meaning)
{
    const gb_slot slot = {.size = sizeof slot, .tape = t, .name = "w"};
    assert_false(gb_dist_ok(gb_family_posterior((gb_family){0}, &slot)));
    assert_rejected(t, GB_EARGUMENT, "latent w: no posterior family was given");
    assert_values(gb_schedule_factor("x", (gb_schedule){0}, gb_num(t, 3)), 1);
}

TEST(an_explicit_default_is_the_default)
{
    const gb_optimiser plain = gb_adam(), explicit = gb_adam(.lr = 1e-3);
    assert_true(gb_options_same(&plain.options, &explicit.options));
    const gb_estimator score = gb_score(), none = gb_score(.baseline = gb_no_baseline());
    assert_true(gb_options_same(&score.options, &none.options));
}

TEST(a_nested_struct_without_a_size_is_said_to_have_none)
{
    const gb_cosine_options end = {.end = 0.5};
    gb_minimise(gb_square(gb_variable(t, "x", gb_shape(), gb_fill(1))),
                gb_adam(.schedule = gb_cosine_with(10, &end)));
    assert_rejected(t, GB_EARGUMENT, "has no size; set .size = sizeof(it)");
}

TEST(damaged_options_are_read_within_their_bounds)
{
    gb_option_block block;
    for (unsigned used = 0; used < 256; used++) {
        gb_schedule damaged = gb_warm_up(3, gb_cosine(5));
        damaged.options.used = (unsigned char)used;
        if (used > 60)
            memset(damaged.options.bytes + 30, 0, sizeof damaged.options.bytes - 30);
        const gb_warm_up_options *const o = gb_options_unpack(damaged.type, &damaged.options, &block);
        assert_int_equal(o->size, sizeof *o);
    }
}

/* A record is cut off: its option keeps its default, and no part of the record is read. */
TEST(a_record_that_is_not_whole_is_left_out)
{
    gb_option_block block;
    gb_schedule cut = gb_cosine(5, .end = 0.7);
    cut.options.used -= 4;
    const gb_cosine_options *const cosine = gb_options_unpack(cut.type, &cut.options, &block);
    assert_true(cosine->steps == 5 && cosine->end == 0);
    gb_schedule nested = gb_warm_up(3, gb_cosine(5));
    nested.options.used -= 4;
    const gb_warm_up_options *const warm_up = gb_options_unpack(nested.type, &nested.options, &block);
    assert_true(warm_up->steps == 3 && !warm_up->then.type);
}

TEST(a_type_inside_another_plugin_is_checked_too)
{
    gb_schedule_type no_size = gb_cosine_schedule_type;
    no_size.size = 0;
    gb_minimise(gb_square(gb_variable(t, "x", gb_shape(), gb_fill(1))),
                gb_adam(.schedule = with_type(&no_size)));
    assert_rejected(t, GB_EARGUMENT, "minimise: adam: schedule cosine: its type struct has the size 0");
}
