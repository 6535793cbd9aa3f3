/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_ELBO_SLEEP_IMPL_H
#define GREBE_MODELS_ELBO_SLEEP_IMPL_H

#include "models/elbo.h"

/* Returns −log q of the latents, at latents and data that are drawn from the model: its mean over the
 * samples, for the whole data set. Its gradient is in q alone. Inert on error: a latent without a prior, in a
 * block, or with a q that no data reach; data with weights or of an unknown law. */
gb_node gb_elbo_sleep_loss(gb_elbo *e);

#endif
