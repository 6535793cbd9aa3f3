/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every optimiser with all that can be asked of it, where memory runs out, once or for good: an error and
 * nothing else, and nothing lost. Every single allocation is made to fail in turn. */
#include "support/close.h"

#include "kit/check_optimiser.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

static gb_status use(gb_tape *t, const void *what)
{
    const gb_optimiser optimiser = *(const gb_optimiser *)what;
    const gb_node x = gb_variable(t, "q.location", gb_shape(2), GB_VALUES(1, 2)),
                  y = gb_variable(t, "q.raw_scale", gb_shape(2), GB_VALUES(3, 4));
    const gb_node loss = gb_sum(gb_add(gb_square(x), gb_square(gb_shift(y, -1))));
    const gb_updates updates =
        gb_minimise(loss, optimiser, .clip = 3, .clip_norm = 4, .average = true, .variables = gb_roots(x, y));
    gb_program *p = gb_compile(t, gb_roots(loss), updates);
    gb_program *swap = gb_compile(t, (gb_node_list){0}, gb_swap_averages(loss));
    gb_run(p);
    gb_run(swap);
    return gb_error(t);
}

static void running_out_of_memory_is_an_error(gb_optimiser optimiser)
{
    assert_outlives_lack_of_memory(use, &optimiser, optimiser.type->name, 0, (gb_tape_options){0});
}

TEST(an_optimiser_without_memory_fails_in_words)
{
    size_t count;
    const gb_optimiser_type *const *const all = gb_optimisers(&count);
    for (size_t i = 0; i < count; i++) {
        const gb_optimiser_head head = {.size = sizeof head, .schedule = gb_warm_up(10, gb_cosine(100))};
        running_out_of_memory_is_an_error(gb_optimiser_of(all[i], &head));
    }
    running_out_of_memory_is_an_error(gb_sgd(.momentum = 0.9));
    running_out_of_memory_is_an_error(gb_rmsprop(.centred = true, .momentum = 0.9));
    running_out_of_memory_is_an_error(gb_natural(.others = 1));
}
