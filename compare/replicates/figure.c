/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/replicates/figure_impl.h"

#include <math.h>

double gb_student_quantile(double freedom)
{
    const double z = 1.959963984540054, z2 = z * z;
    const double a = z * (z2 + 1) / 4, b = z * ((5 * z2 + 16) * z2 + 3) / 96,
                 c = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
                 d = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return z + (a + (b + (c + d / freedom) / freedom) / freedom) / freedom;
}

gb_figure gb_figure_unknown(void)
{
    return (gb_figure){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
}

gb_figure gb_figure_symmetric(double value, double error, double freedom)
{
    const double reach = gb_student_quantile(freedom) * error;
    return (gb_figure){.value = value, .error = error, .low = value - reach, .high = value + reach};
}

gb_figure gb_figure_positive(double value, double error, double freedom)
{
    const double reach = value > 0 ? exp(gb_student_quantile(freedom) * error / value) : (double)NAN;
    if (value == 0 && error == 0)
        return (gb_figure){0};
    return value > 0
               ? (gb_figure){.value = value, .error = error, .low = value / reach, .high = value * reach}
               : gb_figure_symmetric(value, error, freedom);
}

gb_figure gb_figure_of_mean(size_t count, const double *values, bool is_positive)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    if (count < 2)
        return (gb_figure){mean, (double)NAN, (double)NAN, (double)NAN};
    const double freedom = (double)count - 1, error = sqrt(squares / freedom / (double)count);
    return (is_positive ? gb_figure_positive : gb_figure_symmetric)(mean, error, freedom);
}
