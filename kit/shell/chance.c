/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/shell/chance_impl.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

double gb_chance_normal(double chance)
{
    return gsl_cdf_ugaussian_Qinv(chance / 2);
}

double gb_chance_student(double chance, size_t freedom)
{
    return gsl_cdf_tdist_Qinv(chance / 2, (double)freedom);
}

double gb_chance_chi_squared(double chance, size_t freedom)
{
    enum { MOST = 10000 }; /* GSL's does not converge from 39,000 on */
    const double k = (double)freedom, part = 2 / (9 * k);
    if (freedom <= MOST)
        return gsl_cdf_chisq_Qinv(chance, k);
    return k * pow(1 - part + gb_chance_normal(2 * chance) * sqrt(part), 3); /* Wilson and Hilferty 1931 */
}
