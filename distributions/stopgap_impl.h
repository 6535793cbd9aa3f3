/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Until the special functions are operations of ops/: the same names, without derivatives where none is needed here. */
#ifndef GREBE_DISTRIBUTIONS_STOPGAP_IMPL_H
#define GREBE_DISTRIBUTIONS_STOPGAP_IMPL_H

#include "core/tape.h"

gb_node gb_gamma_draw_slope(gb_node a, gb_node log_x);
gb_node gb_gamma_p(gb_node a, gb_node x);
gb_node gb_gamma_q(gb_node a, gb_node x);
gb_node gb_gamma_p_inverse(gb_node a, gb_node p);
gb_node gb_beta_i(gb_node a, gb_node b, gb_node x);
gb_node gb_beta_i_inverse(gb_node a, gb_node b, gb_node p);
gb_node gb_von_mises_cdf(gb_node kappa, gb_node x);
gb_node gb_von_mises_draw_slope(gb_node kappa, gb_node x);
gb_node gb_lbeta(gb_node a, gb_node b);

#endif
