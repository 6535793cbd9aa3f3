/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording operations, and the properties of nodes. */
#include "core/tape/op_impl.h"

#include <stdarg.h>
#include <string.h>

gb_node gb_inert(void)
{
    return (gb_node){0};
}

/* ---- nodes of bodies: see gb_body in core/op.h ---- */

static bool is_being_recorded(const gb_tape *tape, uint32_t body)
{
    uint32_t at = tape->body;
    while (at > body)
        at = tape->bodies.at[at - 1].around;
    return at == body;
}

bool gb_body_allows(gb_node node, const char *who)
{
    const gb_record *const record = gb_record_of(node);
    if (record->body == 0 || is_being_recorded(node.tape, record->body))
        return true;
    gb_fail(node.tape, GB_ENODE,
            "%s: an argument (%s, node %u) belongs to the step of a scan, which is over; use what gb_scan "
            "returns",
            who, record->op->name, node.id);
    return false;
}

bool gb_body_is_none(gb_node node, const char *who)
{
    const gb_record *const record = gb_record_of(node);
    if (record->body == 0)
        return true;
    gb_fail(node.tape, GB_ENODE,
            "%s: %s (node %u) belongs to the step of a scan, and has no value of its own", who,
            record->op->name, node.id);
    return false;
}

/* ---- nodes ---- */

bool gb_usable(gb_tape *tape, gb_node node, const char *who)
{
    if (tape->status != GB_OK)
        return false;
    if (!node.tape) {
        gb_fail(tape, GB_ENODE, "%s: an argument is no node (was it ever recorded?)", who);
        return false;
    }
    if (node.tape != tape) {
        gb_fail(tape, GB_ENODE, "%s: an argument belongs to another tape; record it on this one", who);
        return false;
    }
    if (node.generation != tape->generation || node.id >= tape->nodes.count) {
        gb_fail(tape, GB_ENODE, "%s: an argument was recorded before gb_tape_reset; record it again", who);
        return false;
    }
    return gb_body_allows(node, who);
}

bool gb_node_check(gb_node node, const char *who)
{
    return node.tape && gb_usable(node.tape, node, who);
}

bool gb_node_ok(gb_node node)
{
    return node.tape && node.generation == node.tape->generation && node.id < node.tape->nodes.count;
}

bool gb_node_same(gb_node a, gb_node b)
{
    return a.tape == b.tape && a.id == b.id && a.generation == b.generation;
}

gb_shape gb_node_shape(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->shape : (gb_shape){.rank = -1};
}

gb_axes gb_node_axes(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->axes : 0;
}

gb_type gb_node_type(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->type : GB_TYPE_REAL;
}

const char *gb_node_op_name(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->op->name : "";
}

const char *gb_node_name(gb_node node)
{
    return gb_node_ok(node) && gb_record_of(node)->name ? gb_record_of(node)->name : "";
}

bool gb_is_open(gb_node node)
{
    return gb_node_ok(node) && gb_record_of(node)->open;
}

const gb_op *gb_node_op(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->op : NULL;
}

const void *gb_node_attributes(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->attributes : NULL;
}

gb_node gb_tape_node(gb_tape *tape, size_t index)
{
    return tape && index < tape->nodes.count ? gb_node_at(tape, (uint32_t)index) : gb_inert();
}

size_t gb_node_attribute_bytes(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->attribute_bytes : 0;
}

size_t gb_node_arguments(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->args : 0;
}

gb_node gb_node_argument(gb_node node, size_t index)
{
    if (!gb_node_ok(node) || index >= gb_record_of(node)->args)
        return gb_inert();
    return gb_node_at(node.tape, gb_record_of(node)->arg[index]);
}

gb_node gb_named(gb_node node, const char *name)
{
    if (!gb_node_ok(node) || !name)
        return node;
    char *copy = gb_arena_text(&node.tape->arena, name);
    if (!copy) {
        gb_fail(node.tape, GB_ENOMEM, "out of memory naming a node");
        return gb_inert();
    }
    gb_record_of(node)->name = copy;
    return node;
}

const char *gb_axes_text(const gb_tape *tape, gb_axes axes, char text[GB_AXES_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (gb_axes rest = axes; rest && used < GB_AXES_TEXT - 1; rest &= rest - 1) {
        const int bit = gb_lowest_axis(rest);
        const char *name = bit == 0 ? "samples" : bit == 63 ? "rows" : tape->axes.at[bit - 1].name;
        const int wrote = snprintf(text + used, GB_AXES_TEXT - used, "%s%s", used ? ", " : "", name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return text;
}

bool gb_infer_fail(const gb_infer *infer, gb_status code, const char *format, ...)
{
    char text[GB_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gb_fail(infer->tape, code, "%s: %s", infer->op->name, text);
    return false;
}

bool gb_infer_first(gb_infer *infer)
{
    infer->shape = infer->arg_shape[0];
    infer->type = infer->arg_type[0];
    infer->axes = gb_node_axes(infer->arg[0]);
    return true;
}

bool gb_infer_broadcast(gb_infer *infer)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    infer->shape = infer->count ? infer->arg_shape[0] : gb_shape_of(0, NULL);
    for (size_t i = 1; i < infer->count; i++) {
        const gb_shape before = infer->shape;
        if (!gb_shape_broadcast(before, infer->arg_shape[i], &infer->shape))
            return gb_infer_fail(infer, GB_ESHAPE, "%s and %s do not broadcast", gb_shape_text(before, a),
                                 gb_shape_text(infer->arg_shape[i], b));
    }
    return true;
}

/* Returns the tape of a call: the given one, or that of the first argument that has one. */
static gb_tape *tape_of(gb_tape *tape, size_t count, const gb_node *arg)
{
    for (size_t i = 0; !tape && i < count; i++)
        tape = arg[i].tape;
    return tape;
}

/* A sum of any number of terms, which a plan evaluates two by two. Only the engine has such operations. */
static bool is_chain(const gb_op *op)
{
    return op->variadic && op->blocks;
}

/* Checks for mistakes in an operation's struct or in its call. */
static bool op_is_sound(gb_tape *tape, const gb_op *op, size_t count, size_t attribute_bytes)
{
    const bool reads_first =
        op->form == GB_FORM_ALIAS || op->form == GB_FORM_VIEW || op->form == GB_FORM_REDUCE;
    const char *wrong = NULL;
    if (op->size != sizeof(gb_op))
        wrong = "its struct has another size: compile it against this version of grebe";
    else if (op->form == GB_FORM_ELEMENTWISE && !is_chain(op) && (count < 1 || count > GB_MAX_BLOCK_ARGS))
        wrong = "an elementwise operation has one to three arguments";
    else if (op->form == GB_FORM_NOISE && count > GB_MAX_BLOCK_ARGS)
        wrong = "a noise operation has at most three arguments";
    else if (reads_first && count < 1)
        wrong = "an operation of this form has at least one argument";
    else if (attribute_bytes < (op->form == GB_FORM_REDUCE ? sizeof(gb_reduce_over) : op->attribute_bytes))
        wrong = "its attributes are missing: use the function of that name";
    else if (op->form == GB_FORM_NOISE && !op->blocks)
        wrong = "only grebe's own operations have the form noise; make it a kernel";
    else if (op->form == GB_FORM_ELEMENTWISE && !op->blocks && !op->lane)
        wrong = "an elementwise operation needs a function for its value: lane";
    else if (op->form == GB_FORM_KERNEL && !op->run)
        wrong = "a kernel operation needs a function for its value: run";
    else if (op->form == GB_FORM_VIEW && !op->view)
        wrong = "a view needs a function for its strides: view";
    else if (op->form == GB_FORM_COMPOSITE || op->form == GB_FORM_LEAF)
        wrong = "an operation of this form is recorded by a function of its own";
    if (wrong)
        gb_fail(tape, GB_EARGUMENT, "%s: %s", op->size == sizeof(gb_op) ? op->name : "an operation", wrong);
    return !wrong;
}

static bool arguments_fit(gb_tape *tape, const gb_op *op, size_t count, const gb_node *arg)
{
    if (!op->variadic && count != op->arguments) {
        gb_fail(tape, GB_EARGUMENT, "%s: takes %zu arguments, not %zu", op->name, op->arguments, count);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!gb_usable(tape, arg[i], op->name))
            return false;
    return true;
}

/* An alias may have another shape or more hidden axes, not both. */
static bool is_alias_of(const gb_infer *infer)
{
    const gb_axes axes = gb_node_axes(infer->arg[0]);
    if (gb_shape_same(infer->shape, infer->arg_shape[0]))
        return (axes & ~infer->axes) == 0;
    return gb_shape_count(infer->shape) == gb_shape_count(infer->arg_shape[0]) && axes == infer->axes;
}

static bool types_fit(const gb_infer *infer)
{
    static const gb_type types[] = {[GB_TAKES_REALS] = GB_TYPE_REAL,
                                    [GB_TAKES_INTEGERS] = GB_TYPE_INT,
                                    [GB_TAKES_BOOLEANS] = GB_TYPE_BOOL};
    static const char *const names[] = {"real (gb_to_real makes it so)",
                                        "made of integers (gb_ints, gb_input_ints, gb_to_int)",
                                        "boolean (a comparison, such as gb_greater, is)"};
    const bool computes = infer->op->form != GB_FORM_ALIAS && infer->op->form != GB_FORM_VIEW;
    for (size_t i = 0; i < infer->count; i++) {
        const gb_takes said = infer->op->takes[i < 2 ? i : 2];
        const gb_takes takes = said != GB_TAKES_USUAL ? said : computes ? GB_TAKES_REALS : GB_TAKES_ANY;
        if (takes != GB_TAKES_ANY && infer->arg_type[i] != types[takes])
            return gb_infer_fail(infer, GB_ETYPE, "argument %zu is not %s", i + 1, names[types[takes]]);
    }
    return true;
}

/* The axes have the names of the draws whose evaluations they are, most often. */
static bool fail_axes(const gb_infer *infer)
{
    char names[240] = "";
    for (gb_axes rest = infer->axes; rest; rest &= rest - 1) {
        const int bit = gb_lowest_axis(rest);
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.40s", used ? ", " : "",
                 bit == 0    ? "samples"
                 : bit == 63 ? "rows"
                             : infer->tape->axes.at[bit - 1].name);
    }
    return gb_infer_fail(
        infer, GB_ELIMIT,
        "a node cannot have more than %d hidden axes, and this one would have those of %s; the "
        "evaluations of so many draws cannot be multiplied",
        GB_MAX_HIDDEN, names);
}

/* Calls `infer` and checks its results. */
static bool infer_checked(gb_infer *infer)
{
    const gb_tape *const tape = infer->tape;
    const bool alias = infer->op->form == GB_FORM_ALIAS;
    if (!types_fit(infer) || !(infer->op->infer ? infer->op->infer
                               : alias          ? gb_infer_first
                                                : gb_infer_broadcast)(infer))
        return false;
    if (gb_shape_of(infer->shape.rank, infer->shape.size).rank < 0)
        return gb_infer_fail(infer, GB_ELIMIT,
                             "the shape is invalid: rank 0 to %d, no negative size, no overflow",
                             GB_MAX_RANK);
    if (alias && !is_alias_of(infer))
        return gb_infer_fail(infer, GB_ESHAPE,
                             "an alias must have the elements of its first argument, no more and no less");
    const gb_axes sites = (((gb_axes)1 << tape->axes.count) - 1) << 1;
    if (infer->axes & ~(GB_SAMPLES | GB_ROWS | sites))
        return gb_infer_fail(infer, GB_EARGUMENT, "the result has a hidden axis that this tape lacks");
    return gb_axes_count(infer->axes) <= GB_MAX_HIDDEN || fail_axes(infer);
}

static bool infer_result(gb_infer *infer)
{
    gb_arena *const arena = &infer->tape->arena;
    gb_shape few_shapes[8];
    gb_type few_types[8];
    const bool many = infer->count > 8;
    gb_shape *shapes = many ? gb_arena_take(arena, infer->count * sizeof *shapes) : few_shapes;
    gb_type *types = many ? gb_arena_take(arena, infer->count * sizeof *types) : few_types;
    if (!shapes || !types)
        return gb_infer_fail(infer, GB_ENOMEM, "out of memory");
    for (size_t i = 0; i < infer->count; i++) {
        const gb_record *record = gb_record_of(infer->arg[i]);
        shapes[i] = record->shape;
        types[i] = record->type;
        infer->axes |= record->axes;
    }
    infer->arg_shape = shapes;
    infer->arg_type = types;
    const bool good = infer_checked(infer);
    infer->arg_shape = NULL;
    infer->arg_type = NULL;
    return good;
}

/* Appends the record. Changes nothing if memory runs out. */
static gb_node push(const gb_infer *infer, size_t attribute_bytes)
{
    gb_tape *const tape = infer->tape;
    gb_record record = {.op = infer->op,
                        .shape = infer->shape,
                        .axes = infer->axes,
                        .type = infer->type,
                        .args = (uint32_t)infer->count,
                        .attribute_bytes = (uint32_t)attribute_bytes,
                        .adjoint_of = tape->adjoint_of,
                        .body = infer->op->form == GB_FORM_NOISE ? tape->body : 0,
                        .open = infer->op->opens};
    uint32_t *ids = gb_arena_take(&tape->arena, infer->count * sizeof *ids);
    void *attributes = attribute_bytes ? gb_arena_take(&tape->arena, attribute_bytes) : NULL;
    if (!ids || (attribute_bytes && !attributes) || tape->nodes.count >= UINT32_MAX ||
        !GB_LIST_GROW(&tape->memory, &tape->nodes, 1)) {
        gb_fail(tape, GB_ENOMEM, "%s: out of memory recording node %zu", infer->op->name, tape->nodes.count);
        return gb_inert();
    }
    for (size_t i = 0; i < infer->count; i++) {
        const gb_record *const arg = gb_record_of(infer->arg[i]);
        ids[i] = infer->arg[i].id;
        record.open |= arg->open && !infer->op->closes;
        record.body = arg->body > record.body ? arg->body : record.body; /* the innermost has the largest */
    }
    if (attributes && infer->attributes)
        memcpy(attributes, infer->attributes, attribute_bytes);
    record.arg = ids;
    record.attributes = attributes;
    tape->nodes.at[tape->nodes.count] = record;
    return gb_node_at(tape, (uint32_t)tape->nodes.count++);
}

gb_node gb_apply(gb_tape *tape, const gb_op *op, size_t count, const gb_node *arg, const void *attributes,
                 size_t attribute_bytes)
{
    if (!op || (count > 0 && !arg)) {
        gb_fail(tape, GB_EARGUMENT, "%s: the %s NULL", op ? op->name : "apply",
                op ? "list of arguments is" : "operation is");
        return gb_inert();
    }
    tape = tape_of(tape, count, arg);
    if (!attributes)
        attribute_bytes = 0;
    if (!tape || tape->status != GB_OK || !arguments_fit(tape, op, count, arg) ||
        !op_is_sound(tape, op, count, attribute_bytes))
        return gb_inert();
    gb_infer infer = {.tape = tape, .op = op, .attributes = attributes, .count = count, .arg = arg};
    if (!infer_result(&infer))
        return gb_inert();
    if (op->same_as) {
        const int same = op->same_as(count, arg, attributes);
        if (same >= 0 && gb_shape_same(gb_record_of(arg[same])->shape, infer.shape) &&
            gb_record_of(arg[same])->axes == infer.axes && gb_record_of(arg[same])->type == infer.type)
            return arg[same];
    }
    return push(&infer, attribute_bytes);
}
