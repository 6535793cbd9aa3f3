/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/model.h"

gb_model gb_model_of(const gb_model_type *type, const void *options)
{
    return (gb_model){.type = type, .options = gb_options_pack(type, options)};
}
