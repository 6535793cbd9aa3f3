/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of numbers: "tau", "beta[2]", "cov[0,1]", "tau.free". */
#include <stdio.h>

#include "fitting/density/density_impl.h"

/* Writes "[1,0]" for element number i of an array; nothing for a single number. */
static void write_index(gb_shape shape, size_t i, char *text, size_t bytes)
{
    size_t rest = i, used = 0;
    int64_t at[GB_MAX_RANK];
    for (int axis = shape.rank - 1; axis >= 0; axis--) {
        at[axis] = (int64_t)(rest % (size_t)shape.size[axis]);
        rest /= (size_t)shape.size[axis];
    }
    text[0] = '\0';
    for (int axis = 0; axis < shape.rank && used < bytes; axis++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%lld%s", axis ? "," : "[", (long long)at[axis],
                                 axis + 1 == shape.rank ? "]" : "");
}

void gb_density_write_name(const char *name, gb_shape shape, size_t i, char text[GB_DENSITY_TEXT])
{
    char index[160];
    write_index(shape, i, index, sizeof index);
    snprintf(text, GB_DENSITY_TEXT, "%.*s%s", GB_DENSITY_TEXT - 1 - (int)sizeof index, name, index);
}

static const char *write_name(const gb_density_part *part, gb_shape shape, size_t i, bool is_free,
                              char text[GB_DENSITY_TEXT])
{
    char index[160];
    write_index(shape, i, index, sizeof index);
    snprintf(text, GB_DENSITY_TEXT, "%.*s%s%s", GB_DENSITY_TEXT - 1 - (int)sizeof index, part->name,
             is_free && !part->is_free ? ".free" : "", index);
    return text;
}

const char *gb_density_value_name(const gb_density *d, size_t i, char text[GB_DENSITY_TEXT])
{
    text[0] = '\0';
    for (size_t k = 0; d && k < d->parts; k++) {
        const gb_density_part *const part = &d->part[k];
        if (i - part->first_value < part->values)
            return write_name(part, part->shape, i - part->first_value, false, text);
    }
    return text;
}

const char *gb_density_free_name(const gb_density *d, size_t i, char text[GB_DENSITY_TEXT])
{
    text[0] = '\0';
    for (size_t k = 0; d && k < d->parts; k++) {
        const gb_density_part *const part = &d->part[k];
        if (i - part->first < part->count)
            return write_name(part, d->placed[k].slot.free, i - part->first, true, text);
    }
    return text;
}
