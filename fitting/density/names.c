/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of numbers: "tau", "beta[2]", "cov[0,1]", "tau.free". */
#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
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

/* Characters that a terminal would obey, and bytes that are no UTF-8, are shown. */
static const char *write_name(const char *name, const char *end, gb_shape shape, size_t i,
                              char text[GB_DENSITY_TEXT])
{
    char index[160];
    write_index(shape, i, index, sizeof index);
    gb_text_show(name, strlen(name), GB_DENSITY_TEXT - 1 - strlen(end) - strlen(index), text);
    strcat(text, end);
    return strcat(text, index);
}

void gb_density_write_name(const char *name, gb_shape shape, size_t i, char text[GB_DENSITY_TEXT])
{
    write_name(name, "", shape, i, text);
}

const char *gb_density_value_name_of(size_t parts, const gb_density_part *part, size_t i,
                                     char text[GB_DENSITY_TEXT])
{
    text[0] = '\0';
    for (size_t k = 0; k < parts; k++)
        if (i - part[k].first_value < part[k].values)
            return write_name(part[k].name, "", part[k].shape, i - part[k].first_value, text);
    return text;
}

const char *gb_density_value_name(const gb_density *d, size_t i, char text[GB_DENSITY_TEXT])
{
    return gb_density_value_name_of(d ? d->parts : 0, d ? d->part : NULL, i, text);
}

const char *gb_density_free_name(const gb_density *d, size_t i, char text[GB_DENSITY_TEXT])
{
    text[0] = '\0';
    for (size_t k = 0; d && k < d->parts; k++) {
        const gb_density_part *const part = &d->part[k];
        if (i - part->first < part->count)
            return write_name(part->name, part->is_free ? "" : ".free", d->placed[k].slot.free,
                              i - part->first, text);
    }
    return text;
}

gb_density_part *gb_density_copy_parts(const gb_density *d, const gb_memory *memory)
{
    size_t bytes = d->parts * sizeof *d->part;
    for (size_t k = 0; k < d->parts; k++)
        bytes += strlen(d->part[k].name) + 1;
    gb_density_part *const part = gb_memory_resize(memory, NULL, bytes);
    char *name = part ? (char *)(part + d->parts) : NULL;
    for (size_t k = 0; k < d->parts && part; k++) {
        part[k] = d->part[k];
        part[k].name = strcpy(name, d->part[k].name);
        name += strlen(name) + 1;
    }
    return part;
}
