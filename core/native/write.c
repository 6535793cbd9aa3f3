/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/write_impl.h"

#include <stdio.h>
#include <string.h>

enum {
    PART_MOST = 100,            /* instructions of a part of straight code */
    FILE_FUNCTIONS = 40,        /* functions of a file */
    INLINE_MOST = 2 * PART_MOST /* in longer straight code, long formulas are functions that are called */
};

/* A value in a register: the result of an instruction, or an array of one line that was read. */
typedef struct local {
    gb_array_key key;
    size_t bytes;
    uint32_t name;
    uint32_t group; /* it can be read there alone; 0: everywhere in the part */
    bool is_temporary;
} local;

typedef struct writer {
    gb_knowledge of; /* the list of which a range is written */
    const gb_memory *memory;
    gb_native_text *out;
    gb_growing_text text; /* of the current function */
    GB_LIST(local) locals;
    size_t first_pointer; /* of the current part */
    size_t part_first;    /* instruction */
    int depth;            /* of braces */
    uint32_t names;
    bool calls_long;
    bool has_next; /* the loop stores new values of variables */
    bool is_rest;  /* what is written goes over the end of a row: vectors have `left` elements */
} writer;

/* ---- locals ---- */

static local *find_local(writer *w, gb_array_key key, uint32_t group)
{
    for (size_t i = w->locals.count; i-- > 0;)
        if (w->locals.at[i].key == key)
            return !w->locals.at[i].group || w->locals.at[i].group == group ? &w->locals.at[i] : NULL;
    return NULL;
}

/* What an instruction writes is no more in the registers that had it. One that does not say what it writes
 * may write any array, but for temporaries. */
static void forget_locals(writer *w, size_t instruction)
{
    const gb_array_key key = w->of.known[instruction].key[0];
    const size_t bytes = gb_known_bytes(&w->of, instruction, 0);
    size_t kept = 0;
    for (size_t i = 0; i < w->locals.count; i++) {
        const local l = w->locals.at[i];
        if (key ? !gb_keys_overlap(l.key, l.bytes, key, bytes) : l.is_temporary)
            w->locals.at[kept++] = l;
    }
    w->locals.count = kept;
}

static void forget_group(writer *w, uint32_t group)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->locals.count; i++)
        if (w->locals.at[i].group != group)
            w->locals.at[kept++] = w->locals.at[i];
    w->locals.count = kept;
}

/* Makes the local of an operand, and returns its name. */
static uint32_t new_local(writer *w, size_t instruction, size_t which)
{
    const gb_known *const known = &w->of.known[instruction];
    if (!GB_LIST_GROW(w->memory, &w->locals, 1)) {
        w->out->failed = true;
        return 0;
    }
    w->locals.at[w->locals.count++] =
        (local){.key = known->key[which],
                .bytes = which ? GB_LINE_BYTES : gb_known_bytes(&w->of, instruction, 0),
                .group = which == 0 && known->is_group ? known->group : 0,
                .name = w->names,
                .is_temporary = w->of.code[instruction].temporary >> which & 1u};
    return w->names++;
}

/* ---- pieces of lines ---- */

static gb_growing_text *line(writer *w)
{
    gb_text_append(&w->text, "%*s", 4 * w->depth, "");
    return &w->text;
}

static bool moves(const writer *w, size_t instruction, size_t which)
{
    return w->of.code[instruction].moves >> which & 1u;
}

/* Returns the index of an operand's address: p[K] of the table in straight code, qK in a loop. A loop may go
 * through an array of which it repeats the first row: these are two addresses. */
static size_t pointer_of(writer *w, size_t instruction, size_t which)
{
    const gb_array_key key = w->of.known[instruction].key[which];
    gb_native_text *const out = w->out;
    for (size_t i = w->first_pointer; i < out->pointers.count; i++) {
        const gb_native_pointer p = out->pointers.at[i];
        if (p.key == key && moves(w, p.instruction, p.operand) == moves(w, instruction, which))
            return i - w->first_pointer;
    }
    if (!GB_LIST_GROW(w->memory, &out->pointers, 1)) {
        out->failed = true;
        return 0;
    }
    out->pointers.at[out->pointers.count++] =
        (gb_native_pointer){.key = key, .instruction = (uint32_t)instruction, .operand = (uint8_t)which};
    return out->pointers.count - 1 - w->first_pointer;
}

/* Appends an address. In a loop, that of the current block. */
static void put_address(writer *w, size_t instruction, size_t which)
{
    const size_t pointer = pointer_of(w, instruction, which);
    gb_text_append(&w->text,
                   !w->of.in_loop                 ? "p[%zu]"
                   : moves(w, instruction, which) ? "q%zu + at"
                                                  : "q%zu",
                   pointer);
}

/* Appends the vector of an operand in memory. */
static void put_vector(writer *w, size_t instruction, size_t which, const char *index)
{
    gb_text_append(&w->text, w->is_rest ? "part_at(" : "AT(");
    put_address(w, instruction, which);
    gb_text_append(&w->text, w->is_rest ? ", %s, left)" : ", %s)", index);
}

static void put_argument(writer *w, size_t i, size_t a)
{
    const gb_known *const known = &w->of.known[i];
    const local *const in = known->key[a] ? find_local(w, known->key[a], known->group) : NULL;
    if (!known->key[a])
        gb_text_append(&w->text, "none");
    else if (in)
        gb_text_append(&w->text, "t%u", in->name);
    else
        put_vector(w, i, a, "i");
}

/* ---- instructions ---- */

/* Reads arguments that are one line into registers: those in temporaries, and others. */
static void read_lines(writer *w, size_t i, bool temporaries, bool others)
{
    const gb_block *const block = &w->of.code[i];
    const gb_known *const known = &w->of.known[i];
    for (size_t a = 1; a < GB_OPERANDS && known->as != GB_AS_ROW; a++) {
        const bool is_line = !known->is_group || !block->step[a - 1];
        if (!known->key[a] || !is_line || !(block->temporary >> a & 1u ? temporaries : others) ||
            find_local(w, known->key[a], known->group))
            continue;
        gb_text_append(line(w), "const V t%u = AT(", new_local(w, i, a));
        put_address(w, i, a);
        gb_text_append(&w->text, ", 0);\n");
    }
}

static void put_expression(writer *w, size_t i)
{
    const gb_known *const known = &w->of.known[i];
    char index[32];
    if (known->as == GB_AS_NUMBER)
        gb_text_append(&w->text, "reduce_to_number(c + %zu, &%s)", i - w->part_first, known->name);
    else if (known->as == GB_AS_ROW) {
        snprintf(index, sizeof index, "i + r%u.shift", known->group);
        put_vector(w, i, 1, index);
    } else {
        gb_text_append(&w->text, "%s_%s(",
                       known->formula->is_long && w->calls_long        ? "call"
                       : known->formula->has_chain && !known->is_group ? "alone"
                                                                       : "f",
                       known->formula->name);
        for (size_t a = 1; a < GB_OPERANDS; a++) {
            gb_text_append(&w->text, a > 1 ? ", " : "");
            put_argument(w, i, a);
        }
        gb_text_append(&w->text, ")");
    }
}

/* Whether what is stored is the new value of a variable, which is read in the next run. */
static bool is_next(const writer *w, size_t i)
{
    const uint32_t watch = gb_key_watch(w->of.known[i].key[0]);
    return watch != GB_NONE && w->of.plan->watches.at[watch].kind == GB_IN_NEXT;
}

/* Stores a value if it has to be in memory. A number fills its line. */
static void put_store(writer *w, size_t i, uint32_t name)
{
    const bool is_group = w->of.known[i].is_group;
    if (!w->of.known[i].stored || w->of.known[i].as == GB_AS_NUMBER)
        return;
    if (w->of.in_loop && !w->is_rest && is_next(w, i)) {
        w->has_next = true;
        gb_text_append(line(w), "put_next(");
        put_address(w, i, 0);
        gb_text_append(&w->text, ", i, t%u, far);\n", name);
        return;
    }
    gb_text_append(line(w), w->is_rest ? "put_part(" : is_group ? "AT(" : "put_line(");
    put_address(w, i, 0);
    gb_text_append(&w->text,
                   w->is_rest ? ", i, left, t%u);\n"
                   : is_group ? ", i) = t%u;\n"
                              : ", t%u);\n",
                   name);
}

static void put_value(writer *w, size_t i)
{
    gb_text_append(line(w), "const V t%u = ", w->names);
    put_expression(w, i);
    gb_text_append(&w->text, ";\n");
    forget_locals(w, i);
    put_store(w, i, new_local(w, i, 0));
}

static void put_kernel(writer *w, size_t i)
{
    const size_t within = i - w->part_first;
    const char *const name = w->of.known[i].name;
    if (w->of.in_loop)
        gb_text_append(line(w), "run_and_advance(&g%zu, lines, first);\n", within);
    else if (name)
        gb_text_append(line(w), "reduce(c + %zu, &%s);\n", within, name);
    else
        gb_text_append(line(w), "call(c + %zu);\n", within);
    forget_locals(w, i);
}

/* A check and a sum only read; what they need is around them. */
static void put_reader(writer *w, size_t i)
{
    const gb_known *const known = &w->of.known[i];
    const size_t within = i - w->part_first;
    if (known->as == GB_AS_CHECK)
        gb_text_append(line(w), "m%zu &= is_%s(", within, known->name);
    else
        gb_text_append(line(w), "add_%s(&s%zu, ", w->is_rest ? "part" : "vector", within);
    put_argument(w, i, 1);
    gb_text_append(&w->text, known->as == GB_AS_SUMS && w->is_rest ? ", left);\n" : ");\n");
}

static void put_instructions(writer *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].as == GB_AS_CHECK || w->of.known[i].as == GB_AS_SUMS)
            put_reader(w, i);
        else
            put_value(w, i);
}

static void put_before(writer *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        read_lines(w, i, true, !w->of.in_loop);
        if (w->of.known[i].as == GB_AS_CHECK)
            gb_text_append(line(w), "M m%zu = ~(M){0};\n", i - w->part_first);
    }
}

/* A check that finds something calls its kernel, which leaves out what is beyond the last element. */
static void put_after(writer *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].as == GB_AS_CHECK)
            gb_text_append(line(w),
                           w->of.in_loop ? "run_if(v_any(~m%zu), &g%zu, lines, first);\n"
                                         : "call_if(v_any(~m%zu), c + %zu);\n",
                           i - w->part_first, i - w->part_first);
}

/* ---- groups ---- */

static bool knows_rows(const writer *w, size_t first, size_t end)
{
    bool knows = false;
    for (size_t i = first; i < end; i++)
        knows |= gb_known_row(&w->of, i) > 0;
    return knows;
}

/* Instructions between braces. */
static void put_scope(writer *w, size_t first, size_t end, const char *head, bool is_rest)
{
    gb_text_append(line(w), "%s {\n", head);
    w->depth++;
    w->is_rest = is_rest;
    if (is_rest)
        gb_text_append(line(w), "const size_t left = r%u.to - i;\n", w->of.known[first].group);
    put_instructions(w, first, end);
    w->is_rest = false;
    w->depth--;
    gb_text_append(line(w), "}\n");
    forget_group(w, w->of.known[first].group);
}

/* Goes from row to row within a block. */
static void put_rows(writer *w, size_t first, size_t end)
{
    const uint32_t group = w->of.known[first].group;
    char head[80];
    gb_text_append(line(w), "for (r%u.to = 0; next_row(&r%u, count);) {\n", group, group);
    w->depth++;
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].as == GB_AS_SUMS)
            gb_text_append(line(w), "sums s%zu = {0};\n", i - w->part_first);
    gb_text_append(line(w), "size_t i = r%u.from;\n", group);
    snprintf(head, sizeof head, "for (const size_t end = whole_end(&r%u); i < end; i += LANES)", group);
    put_scope(w, first, end, head, false);
    snprintf(head, sizeof head, "for (; i < r%u.to; i += LANES)", group);
    put_scope(w, first, end, head, true);
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].as == GB_AS_SUMS)
            gb_text_append(line(w), "p%zu[r%u.row] += total_of(&s%zu);\n", i - w->part_first, group,
                           i - w->part_first);
    w->depth--;
    gb_text_append(line(w), "}\n");
}

/* The vectors of an array are a loop. */
static size_t put_group(writer *w, size_t first, size_t end)
{
    const size_t next = gb_known_group_end(&w->of, first, end);
    char head[120];
    put_before(w, first, next);
    if (knows_rows(w, first, next))
        put_rows(w, first, next);
    else {
        snprintf(head, sizeof head, "for (size_t i = 0, n = c[%zu].lines * LINE_ELEMENTS; i < n; i += LANES)",
                 first - w->part_first);
        put_scope(w, first, next, w->of.in_loop ? "for (size_t i = 0; i < n; i += LANES)" : head, false);
    }
    put_after(w, first, next);
    return next;
}

static size_t put_straight(writer *w, size_t i, size_t end)
{
    if (w->of.known[i].as == GB_BY_KERNEL) {
        put_kernel(w, i);
        return i + 1;
    }
    if (w->of.known[i].group)
        return put_group(w, i, end);
    if (w->of.known[i].as == GB_AS_NUMBER)
        put_value(w, i);
    else {
        read_lines(w, i, true, true);
        put_before(w, i, i + 1);
        put_instructions(w, i, i + 1);
        put_after(w, i, i + 1);
    }
    return i + 1;
}

/* ---- functions ---- */

static void begin_part(writer *w, size_t first)
{
    w->part_first = first;
    w->first_pointer = w->out->pointers.count;
    w->locals.count = 0;
    w->names = 0;
    w->depth = 1;
    w->text = (gb_growing_text){.memory = w->memory};
}

/* Equal functions are one. */
static bool end_part(writer *w, size_t first, size_t count, gb_loop *loop)
{
    gb_native_text *const out = w->out;
    if (w->text.failed || !GB_LIST_GROW(w->memory, &out->parts, 1) ||
        !GB_LIST_GROW(w->memory, &out->functions, 1)) {
        gb_text_free(&w->text);
        return false;
    }
    size_t function = 0;
    while (function < out->functions.count &&
           (out->functions.at[function].text.count != w->text.text.count ||
            memcmp(out->functions.at[function].text.at, w->text.text.at, w->text.text.count) != 0))
        function++;
    if (function < out->functions.count)
        gb_text_free(&w->text);
    else
        out->functions.at[out->functions.count++] = w->text;
    out->parts.at[out->parts.count++] = (gb_native_part){
        .first = first, .count = count, .function = function, .pointers = w->first_pointer, .loop = loop};
    return true;
}

static bool write_straight(writer *w, size_t first, size_t count)
{
    const size_t end = first + count;
    for (size_t i = first; i < end;) {
        size_t stop = i + 1;
        while (stop < end && w->of.known[stop].part == i)
            stop++;
        begin_part(w, i);
        gb_text_append(&w->text, "(const instruction *c, char *const *p)\n{\n");
        const size_t from = i;
        while (i < stop)
            i = put_straight(w, i, stop);
        gb_text_append(&w->text, "}\n");
        if (!end_part(w, from, stop - from, NULL))
            return false;
    }
    return true;
}

/* Returns whether all is one group that may go from vector to vector: without rows, and without a temporary
 * in memory, which has room for a block. */
static bool is_one_group(const writer *w, size_t first, size_t end)
{
    bool is_one = w->of.known[first].group && gb_known_group_end(&w->of, first, end) == end &&
                  !knows_rows(w, first, end);
    for (size_t i = first; i < end; i++)
        is_one &= !(w->of.known[i].stored && w->of.code[i].temporary & 1u);
    return is_one;
}

/* The arrays of a chunk, copies of the instructions whose kernels are called, and where rows begin. */
static void put_addresses(writer *w, size_t first, size_t end)
{
    for (size_t i = w->first_pointer; i < w->out->pointers.count; i++) {
        const gb_native_pointer *const p = &w->out->pointers.at[i];
        const size_t at = p->instruction - first;
        char in[24];
        snprintf(in, sizeof in, p->operand ? "in[%d]" : "out", p->operand - 1);
        gb_text_append(line(w),
                       "char *const q%zu = aimed(b[%zu].%s, &b[%zu], %d, begin * sizeof(real), scratch);\n",
                       i - w->first_pointer, at, in, at, p->operand);
    }
    for (size_t i = first, group = 0; i < end; i++) {
        const gb_known *const known = &w->of.known[i];
        const size_t at = i - first;
        if (known->as == GB_BY_KERNEL || known->as == GB_AS_CHECK) {
            gb_text_append(line(w), "gb_block g%zu;\n", at);
            gb_text_append(line(w), "gb_aim(&g%zu, &b[%zu], scratch, begin * sizeof(real));\n", at, at);
        }
        if (known->as == GB_AS_SUMS)
            gb_text_append(line(w), "double *const p%zu = begin_sums(b[%zu].extra, tile);\n", at, at);
        if (gb_known_row(&w->of, i) && known->group != group) {
            gb_text_append(line(w), "rows r%u = begin_rows(%s(b[%zu].extra), begin);\n", known->group,
                           known->as == GB_AS_SUMS ? "row_of_sums" : "row_of_load", at);
            group = known->group;
        }
    }
}

/* A loop that is one group goes through the vectors of a chunk; another goes from block to block. */
static void put_loop(writer *w, size_t first, size_t count)
{
    const size_t end = first + count;
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].group)
            read_lines(w, i, false, true);
    const gb_growing_text lines = w->text;
    w->has_next = false;
    w->text = (gb_growing_text){.memory = w->memory};
    w->depth = 2;
    for (size_t i = first; i < end;)
        if (w->of.known[i].group)
            i = put_group(w, i, end);
        else
            put_kernel(w, i++);
    const gb_growing_text body = w->text;
    w->text = (gb_growing_text){.memory = w->memory};
    w->depth = 1;
    gb_growing_text *const text = &w->text;
    gb_text_append(text,
                   "(const gb_loop *loop, char *scratch, size_t tile)\n{\n"
                   "    const gb_block *const b = *loop->bodies + loop->first;\n"
                   "    const size_t chunk = GB_CHUNK_BLOCKS * loop->block, begin = tile * chunk;\n"
                   "    const size_t end = begin + chunk < loop->domain ? begin + chunk : loop->domain;\n");
    put_addresses(w, first, end);
    if (w->has_next)
        gb_text_append(line(w), "const bool far = loop->is_far;\n");
    gb_text_append_bytes(text, lines.text.at ? lines.text.at : "", lines.text.count);
    gb_text_append(
        text,
        "    const size_t step = %s;\n"
        "    for (size_t first = begin; first < end; first += step) {\n"
        "        const size_t count = smaller(end - first, step), at = (first - begin) * sizeof(real);\n"
        "        const size_t lines = gb_lines_of_bytes(count * sizeof(real)), n = lines * LINE_ELEMENTS;\n"
        "        (void)at, (void)n;\n",
        is_one_group(w, first, end) ? "chunk" : "loop->block");
    gb_text_append_bytes(text, body.text.at ? body.text.at : "", body.text.count);
    gb_text_append(text, w->has_next ? "    }\n    end_next(far);\n}\n" : "    }\n}\n");
    text->failed |= body.failed || lines.failed;
    gb_growing_text used[] = {body, lines};
    gb_text_free(&used[0]);
    gb_text_free(&used[1]);
}

static bool write_loop(writer *w, gb_loop *loop)
{
    begin_part(w, loop->first);
    put_loop(w, loop->first, loop->count);
    const bool done = end_part(w, loop->first, loop->count, loop);
    w->out->pointers.count = w->first_pointer; /* its text finds its own */
    return done;
}

/* ---- files ---- */

static void put_formula(gb_growing_text *text, const char *prefix, const gb_formula *f)
{
    gb_text_append(
        text, "GB_INLINE V %s_%s(V x, V y, V z)\n{\n    (void)x, (void)y, (void)z;\n    return (V)(%s);\n}\n",
        prefix, f->name, f->text);
}

static void put_formulas(const writer *w, gb_growing_text *text)
{
    gb_text_append(text, "#include \"native_prelude.h\"\n#define none ((V){0})\n");
    for (size_t i = 0; i < w->of.formulas.list.count; i++) {
        const gb_formula *const f = &w->of.formulas.list.at[i];
        put_formula(text, "f", f);
        if (f->is_long && w->calls_long)
            gb_text_append(text,
                           "static __attribute__((noinline, unused)) V call_%s(V x, V y, V z)\n{\n"
                           "    return f_%s(x, y, z);\n}\n",
                           f->name, f->name);
    }
    gb_text_append(text, "#define v_chain chain_alone\n");
    for (size_t i = 0; i < w->of.formulas.list.count; i++)
        if (w->of.formulas.list.at[i].has_chain)
            put_formula(text, "alone", &w->of.formulas.list.at[i]);
}

static bool write_files(writer *w)
{
    gb_native_text *const out = w->out;
    for (size_t i = 0; i < out->functions.count; i += FILE_FUNCTIONS) {
        gb_growing_text text = {.memory = w->memory};
        put_formulas(w, &text);
        for (size_t k = i; k < out->functions.count && k < i + FILE_FUNCTIONS; k++) {
            gb_text_append(&text, "GB_NATIVE void part_%zu", k);
            gb_text_append_bytes(&text, out->functions.at[k].text.at, out->functions.at[k].text.count);
        }
        if (text.failed || !GB_LIST_GROW(w->memory, &out->files, 1)) {
            gb_text_free(&text);
            return false;
        }
        out->files.at[out->files.count++] = text.text.at;
    }
    return true;
}

/* ---- all ---- */

static bool write_loops(writer *w)
{
    const gb_plan *const plan = w->of.plan;
    if (!gb_know(&w->of, true))
        return false;
    for (size_t i = plan->once; i < plan->code.count; i++) {
        if (plan->code.at[i].kernel != gb_loop_kernel)
            continue;
        gb_loop *const loop = (gb_loop *)(uintptr_t)plan->code.at[i].extra;
        if (!loop->inner &&
            !(gb_know_range(&w->of, loop->first, loop->count, SIZE_MAX) && write_loop(w, loop)))
            return false;
    }
    return true;
}

static bool write_code(writer *w)
{
    const gb_plan *const plan = w->of.plan;
    const size_t count = plan->code.count - plan->once;
    w->calls_long = count > INLINE_MOST;
    return gb_know(&w->of, false) && gb_know_range(&w->of, plan->once, count, PART_MOST) &&
           write_straight(w, plan->once, count);
}

bool gb_native_write(const gb_plan *plan, gb_native_text *out)
{
    const gb_memory *const memory = &gb_plan_tape(plan)->memory;
    writer w = {.of.plan = plan, .memory = memory, .out = out};
    *out = (gb_native_text){.memory = memory};
    const bool done = write_loops(&w) && write_code(&w) && !out->failed && write_files(&w);
    gb_forget(&w.of);
    gb_memory_release(memory, w.locals.at);
    if (!done)
        gb_native_text_free(out);
    return done;
}

void gb_native_text_free(gb_native_text *text)
{
    for (size_t i = 0; i < text->functions.count; i++)
        gb_text_free(&text->functions.at[i]);
    for (size_t i = 0; i < text->files.count; i++)
        gb_memory_release(text->memory, text->files.at[i]);
    gb_memory_release(text->memory, text->functions.at);
    gb_memory_release(text->memory, text->files.at);
    gb_memory_release(text->memory, text->parts.at);
    gb_memory_release(text->memory, text->pointers.at);
    *text = (gb_native_text){.memory = text->memory};
}
