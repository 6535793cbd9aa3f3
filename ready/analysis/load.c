/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An analysis in another process. */
#include "models/checkpoint.h"
#include "ready/analysis/made_impl.h"

gb_status gb_analysis_save(const gb_analysis *a, const char *path)
{
    if (!a)
        return GB_EARGUMENT;
    return gb_checkpoint_save(
        &(gb_checkpoint){.size = sizeof(gb_checkpoint), .tape = a->site.tape, .path = path});
}

/* The notes come first, since the model is recorded by them; variables can be loaded once they are there. */
gb_analysis *gb_analysis_load_with(gb_tape *tape, gb_model model, const char *path,
                                   const gb_analysis_load_options *given)
{
    gb_analysis_options options;
    const gb_checkpoint file = {.size = sizeof file, .tape = tape, .path = path, .subset = true};
    if (!tape || !gb_options_take(tape, "analysis_load", &options, sizeof options, given) ||
        gb_checkpoint_load(&file) != GB_OK)
        return NULL;
    options.noted = true;
    gb_analysis *const a = gb_analysis_new_with(tape, model, &options);
    return a && gb_checkpoint_load(&file) == GB_OK ? a : NULL;
}
