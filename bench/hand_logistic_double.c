/* SPDX-License-Identifier: GPL-3.0-or-later */
#define GB_ISA hand_logistic
#define GB_REAL_BITS 64
#include "hand_elbo_impl.h"

const gb_hand_logistics gb_hand_logistic_double = {.one_pass = one_pass,
                                                   .by_products = by_products,
                                                   .elbo = elbo,
                                                   .elbo_of_noise = elbo_of_noise,
                                                   .plain = plain};
