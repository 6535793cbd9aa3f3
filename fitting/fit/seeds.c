/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/fit.h"

gb_status gb_fit_each_seed(const gb_fit_seeds *seeds)
{
    gb_fit_seeds all;
    gb_tape_options tape_options;
    gb_status first = GB_OK;
    if (!gb_options_copy(&all, sizeof all, seeds) || !all.make || !all.seeds ||
        !gb_options_copy(&tape_options, sizeof tape_options, all.tape))
        return GB_EARGUMENT;
    for (size_t i = 0; i < all.count; i++) {
        tape_options.seed = all.seeds[i];
        gb_tape *const tape = gb_tape_new_with(&tape_options);
        gb_elbo *elbo;
        gb_fit_options options = {.size = sizeof options};
        gb_fit_result result = {.status = tape ? GB_OK : GB_ENOMEM, .end = GB_FIT_ERROR, .words = ""};
        if (tape && (elbo = all.make(all.user, tape, &options)) != NULL)
            result = gb_fit_with(elbo, &options);
        else if (tape)
            result.status = gb_error(tape) == GB_OK ? GB_EARGUMENT : gb_error(tape);
        if (all.done && tape)
            all.done(all.user, i, tape, &result);
        first = first == GB_OK ? result.status : first;
        gb_tape_free(tape);
    }
    return first;
}
