/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/text_impl.h"
#include "data/array.h"
#include "data/array/npy_impl.h"
#include "data/numbers/numbers_impl.h"

gb_status gb_numbers_npy(gb_numbers numbers, gb_shape shape, FILE *file)
{
    const size_t count = gb_shape_count(shape);
    const bool is_scaled = gb_numbers_are_scaled(numbers), is_empty = count == 0 && shape.rank >= 0;
    char begin[GB_NPY_BEGIN];
    if (!file || (!numbers.at && !is_empty) || (count == 0 && !is_empty) ||
        (numbers.count && numbers.count != count) || gb_number_bytes(numbers.type) == 0)
        return GB_EARGUMENT;
    const size_t bytes = gb_npy_begin(is_scaled ? GB_NUMBER_DOUBLE : numbers.type, shape, begin);
    fwrite(begin, 1, bytes, file);
    if (!is_scaled && count > 0)
        fwrite(numbers.at, gb_number_bytes(numbers.type), count, file);
    for (size_t i = 0; is_scaled && i < count; i++) {
        const double x = gb_numbers_at(numbers, i);
        fwrite(&x, sizeof x, 1, file);
    }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
