/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/array/idx_impl.h"

enum { FIRST_TYPE = 8, LAST_TYPE = 14 };

bool gb_is_idx(const unsigned char magic[GB_MAGIC])
{
    return magic[0] == 0 && magic[1] == 0 && magic[2] >= FIRST_TYPE && magic[2] <= LAST_TYPE;
}

bool gb_idx_head(gb_stored *s, const unsigned char magic[GB_MAGIC], gb_array_head *head)
{
    enum { NONE = -1 };
    static const int types[] = {GB_NUMBER_UINT8, GB_NUMBER_INT8,  NONE, GB_NUMBER_INT16, GB_NUMBER_INT32,
                                GB_NUMBER_FLOAT, GB_NUMBER_DOUBLE};
    const int type = types[magic[2] - FIRST_TYPE], rank = magic[3];
    int64_t sizes[GB_MAX_RANK];
    if (type == NONE)
        return gb_head_fail(s, "IDX has no type %d", magic[2]);
    if (rank > GB_MAX_RANK)
        return gb_head_fail(s, "the array has %d axes, and at most %d are read", rank, GB_MAX_RANK);
    for (int i = 0; i < rank; i++) {
        unsigned char size[4];
        if (!gb_head_read(s, head, size, sizeof size))
            return false;
        sizes[i] = (int64_t)size[0] << 24 | size[1] << 16 | size[2] << 8 | size[3];
    }
    head->type = (gb_number)type;
    head->shape = gb_shape_of(rank, sizes);
    head->is_swapped = gb_is_little_endian();
    return true;
}
