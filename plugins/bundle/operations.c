/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations as a kind. Their list stands in a room below the kinds. */
#include "ops/list.h"
#include "plugins/bundle.h"

static const gb_plugin *op_at(size_t i)
{
    size_t count;
    const gb_op *const *const all = gb_ops(&count);
    return i < count ? (const void *)all[i] : NULL;
}

static const char *op_missing(const gb_plugin *plugin)
{
    const gb_op *const op = (const void *)plugin;
    switch (op->form) {
    case GB_FORM_ELEMENTWISE: return op->blocks || op->lane ? NULL : "lane";
    case GB_FORM_KERNEL: return op->run ? NULL : "run";
    case GB_FORM_VIEW: return op->view ? NULL : "view";
    case GB_FORM_NOISE: return op->blocks ? NULL : "blocks, which only grebe's own operations have";
    case GB_FORM_LEAF:
    case GB_FORM_ALIAS:
    case GB_FORM_REDUCE:
    case GB_FORM_COMPOSITE: break;
    }
    return NULL;
}

const gb_kind gb_op_kind = {.size = sizeof(gb_kind),
                            .name = "operation",
                            .at = op_at,
                            .type_bytes = sizeof(gb_op),
                            .no_options = true,
                            .missing = op_missing};
