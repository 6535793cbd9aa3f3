/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same bits for any number of threads, and for several tapes at
 * once; and what a run may not do: allocate. */
#include "support/close.h"

#include <pthread.h>

#include "core/run/execute_impl.h"
#include "core/run/program_impl.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/workload.h"

enum { STEPS = 3, ROWS = 500, WIDTH = 40, WIDE = 5000, SAMPLES = 6 };

/* What STEPS steps come to. */
static double *train(int threads, gb_real real, size_t *count)
{
    workload w;
    gb_tape *tape = gb_tape_new(.seed = 11, .threads = threads, .real = real, .samples = SAMPLES);
    workload_record(&w, tape, ROWS, WIDTH, WIDE);
    workload_feed(&w);
    for (int i = 0; i < STEPS; i++)
        gb_run(w.train);
    double *values = workload_values(&w, count);
    gb_tape_free(tape);
    return values;
}

static void assert_same_bits(const double *a, size_t count_a, const double *b, size_t count_b)
{
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(count_a, count_b);
    for (size_t i = 0; i < count_a; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("value %zu of %zu: %.17g and %.17g", i, count_a, a[i], b[i]);
}

TEST(results_are_the_same_bits_for_any_number_of_threads)
{
    for (int real = 0; real < 2; real++) {
        size_t count, other_count;
        double *one = train(1, real ? GB_FLOAT : GB_DOUBLE, &count);
        for (int threads = 0; threads <= 4; threads++) {
            double *other = train(threads, real ? GB_FLOAT : GB_DOUBLE, &other_count);
            assert_same_bits(one, count, other, other_count);
            free(other);
        }
        free(one);
    }
}

/* ---- several tapes ---- */

typedef struct training {
    double *values;
    size_t count;
} training;

static void *train_alone(void *argument)
{
    training *s = argument;
    for (int again = 0; again < 3; again++) {
        free(s->values);
        s->values = train(2, GB_DOUBLE, &s->count);
    }
    return NULL;
}

TEST(two_tapes_can_run_at_once_in_two_threads)
{
    size_t count;
    double *alone = train(2, GB_DOUBLE, &count);
    training trainings[2] = {{0}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, train_alone, &trainings[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) {
        assert_same_bits(alone, count, trainings[i].values, trainings[i].count);
        free(trainings[i].values);
    }
    free(alone);
}

TEST(a_tape_can_pass_from_one_thread_to_another)
{
    size_t count, other_count;
    double *here = train(2, GB_DOUBLE, &count);
    training other = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, train_alone, &other), 0);
    pthread_join(thread, NULL);
    other_count = other.count;
    assert_same_bits(here, count, other.values, other_count);
    free(here);
    free(other.values);
}

/* ---- noise ---- */

/* A stream's numbers do not depend on what they are used for, nor on how many there are besides. */
TEST(draws_of_a_stream_stay_when_other_streams_and_uses_are_added)
{
    enum { COUNT = 3001 };
    static double plain[COUNT], among_others[COUNT];
    for (int others = 0; others < 2; others++) {
        gb_tape *const tape = test_tape(.seed = 4, .threads = 1 + others);
        if (others)
            gb_uniform_noise(gb_stream(tape, "first"), gb_shape(5), 0);
        const gb_noise stream = gb_stream(tape, "z");
        const gb_node z = gb_normal_noise(stream, gb_shape(COUNT), 0);
        const gb_node second = others ? gb_normal_noise(stream, gb_shape(COUNT), 0) : z;
        const gb_node used = others ? gb_mul(gb_exp(z), second) : z;
        gb_program *p = gb_compile(tape, gb_roots(z, gb_sum(used)), gb_no_update);
        gb_run(p);
        gb_read(z, others ? among_others : plain, COUNT);
    }
    assert_memory_equal(plain, among_others, sizeof plain);
}

TEST(noise_is_the_same_fused_or_not, .seed = 4, .threads = 2, .samples = 7)
{
    const gb_node z = gb_normal_noise(gb_stream(t, "z"), gb_shape(123), GB_SAMPLES);
    const gb_node u = gb_uniform_noise(gb_stream(t, "u"), gb_shape(), GB_SAMPLES);
    const gb_node mixed = gb_add(gb_mul(z, u), gb_exp(z));
    gb_program *p = gb_compile(t, gb_roots(mixed), gb_no_update);
    gb_plan *plans[] = {gb_plan_new(&p->goal, 7, -1, true), gb_plan_new(&p->goal, 7, -1, false)};
    const void *made[2];
    gb_program_set_noise_step(p);
    for (int i = 0; i < 2; i++) {
        gb_plan_run(plans[i]);
        made[i] = (const char *)plans[i]->work + plans[i]->values.at[plans[i]->root[0]].place.offset;
    }
    assert_memory_equal(made[0], made[1], 7 * 123 * sizeof(double));
    gb_plan_free(plans[0]);
    gb_plan_free(plans[1]);
}

/* The first `count` uniform and normal draws of a stream, as this instruction set makes them. */
static void draw_on(const char *isa, gb_real real, size_t count, double *uniform, double *normal)
{
    setenv("GREBE_ISA", isa, 1);
    gb_tape *t = gb_tape_new(.seed = 4, .real = real, .threads = 1);
    unsetenv("GREBE_ISA");
    const gb_node u = gb_uniform_noise(gb_stream(t, "u"), gb_shape((int64_t)count), 0);
    const gb_node z = gb_normal_noise(gb_stream(t, "z"), gb_shape((int64_t)count), 0);
    gb_read(u, uniform, count);
    gb_read(z, normal, count);
    gb_tape_free(t);
}

/* The last bit of a normal draw may differ: its logarithm is made in another way
 * where there is another instruction for it. */
TEST(noise_is_the_same_on_every_instruction_set_but_for_the_last_bit)
{
    enum { COUNT = 999 };
    static double uniform[3][COUNT], normal[3][COUNT];
    for (int real = 0; real < 2; real++) {
        const gb_real type = real ? GB_FLOAT : GB_DOUBLE;
        draw_on("baseline", type, COUNT, uniform[0], normal[0]);
        draw_on("avx2", type, COUNT, uniform[1], normal[1]);
        draw_on("avx512", type, COUNT, uniform[2], normal[2]);
        assert_memory_equal(uniform[1], uniform[0], sizeof uniform[0]);
        assert_memory_equal(uniform[2], uniform[0], sizeof uniform[0]);
        for (size_t i = 0; i < COUNT; i++)
            for (int isa = 1; isa < 3; isa++)
                assert_true(fabs(normal[isa][i] - normal[0][i]) < (real ? 1e-6 : 2e-15));
    }
}

/* ---- allocation ---- */

TEST(a_run_allocates_nothing_after_the_first)
{
    for (int threads = 1; threads <= 2; threads++) {
        counted_memory memory = {0};
        workload w;
        gb_tape *tape =
            gb_tape_new(.seed = 11, .threads = threads, .samples = SAMPLES, .memory = counted(&memory));
        workload_record(&w, tape, ROWS, WIDTH, WIDE);
        workload_feed(&w);
        assert_int_equal(gb_run(w.train), GB_OK);
        assert_int_equal(gb_run(w.look), GB_OK);
        const size_t before = memory.asked;
        for (int i = 0; i < 5; i++) {
            workload_feed(&w);
            assert_int_equal(gb_run(w.train), GB_OK);
            assert_int_equal(gb_run(w.look), GB_OK);
        }
        assert_int_equal(memory.asked, before);
        gb_tape_free(tape);
        assert_int_equal(memory.outstanding, 0);
    }
}

TEST(a_prepared_program_allocates_nothing_in_its_first_run)
{
    counted_memory memory = {0};
    workload w;
    gb_tape *tape = gb_tape_new(.seed = 11, .threads = 2, .memory = counted(&memory));
    workload_record(&w, tape, ROWS, WIDTH, WIDE);
    workload_feed(&w);
    assert_int_equal(gb_prepare(w.train), GB_OK);
    const size_t before = memory.asked;
    assert_int_equal(gb_run(w.train), GB_OK);
    assert_int_equal(memory.asked, before);
    gb_tape_free(tape);
}
