/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/summary/npy_impl.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

size_t gb_npy_head(int rank, const size_t *shape, char head[GB_NPY_HEAD])
{
    enum { BEFORE = 10, ALIGNED = 64 };
    size_t used = BEFORE;
    used += (size_t)snprintf(head + used, GB_NPY_HEAD - used,
                             "{'descr': '%cf8', 'fortran_order': False, 'shape': (",
                             is_little_endian() ? '<' : '>');
    for (int i = 0; i < rank; i++)
        used += (size_t)snprintf(head + used, GB_NPY_HEAD - used, i + 1 < rank ? "%zu, " : "%zu", shape[i]);
    used += (size_t)snprintf(head + used, GB_NPY_HEAD - used, rank == 1 ? ",), }" : "), }");
    const size_t length = (used + 1 + ALIGNED - 1) / ALIGNED * ALIGNED;
    const unsigned char begin[BEFORE] = {0x93,
                                         'N',
                                         'U',
                                         'M',
                                         'P',
                                         'Y',
                                         1,
                                         0,
                                         (unsigned char)((length - BEFORE) & 255),
                                         (unsigned char)((length - BEFORE) >> 8)};
    memcpy(head, begin, BEFORE);
    memset(head + used, ' ', length - used);
    head[length - 1] = '\n';
    return length;
}
