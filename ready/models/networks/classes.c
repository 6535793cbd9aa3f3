/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ready/models.h"

static bool build(gb_model_site *s, const void *options)
{
    const gb_node logits = gb_model_network(s, options, s->classes);
    if (!gb_node_ok(logits))
        return false;
    gb_model_keep(s, "logits", logits);
    return gb_model_observe(s, gb_categorical_logits(logits));
}

static const gb_option table[] = {GB_NETWORK_ROWS(gb_network_class_model_options), {0}};

const gb_model_type gb_network_class_model_type = {
    .size = sizeof(gb_model_type),
    .name = "network_class",
    .cite = "Blundell et al. 2015",
    .formula = "y ~ categorical(softmax(f(x; w))), w ~ N(0, s^2)",
    .options = table,
    .option_bytes = sizeof(gb_network_class_model_options),
    .outcome = GB_COUNT,
    .is_of_classes = true,
    .no_intercept = true,
    .build = build,
};

gb_model gb_network_class_model_with(const gb_network_class_model_options *options)
{
    return gb_model_of(&gb_network_class_model_type, options);
}
