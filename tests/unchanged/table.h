/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of recorded hashes, fingerprints.txt: reading, recording, and comparing with it. */
#ifndef GREBE_TESTS_TABLE_H
#define GREBE_TESTS_TABLE_H

#include "machine.h"

typedef struct table_line {
    char program[64], real[8], isa[16], blas[MACHINE_TEXT], compiler[8];
    uint64_t hash;
} table_line;

enum { LINES = 4096 };

typedef struct table {
    char surroundings[MACHINE_TEXT]; /* of the machine that recorded it */
    size_t count;
    table_line at[LINES];
} table;

/* A line as this build computes it. */
static inline table_line line_of(const char *program, const char *real, const char *isa, const char *blas,
                                 uint64_t hash)
{
    table_line l = {.hash = hash};
    snprintf(l.program, sizeof l.program, "%s", program);
    snprintf(l.real, sizeof l.real, "%s", real);
    snprintf(l.isa, sizeof l.isa, "%s", isa);
    snprintf(l.blas, sizeof l.blas, "%s", blas);
    snprintf(l.compiler, sizeof l.compiler, "%s", machine_compiler());
    return l;
}

static inline void table_add(table *t, table_line l)
{
    assert_true(t->count < LINES);
    t->at[t->count++] = l;
}

/* The line with the same program, real type, instruction set and OpenBLAS, for this compiler; NULL if
 * there is none. */
static inline const table_line *table_find(const table *t, const table_line *like, const char *compiler)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->at[i].program, like->program) == 0 && strcmp(t->at[i].real, like->real) == 0 &&
            strcmp(t->at[i].isa, like->isa) == 0 && strcmp(t->at[i].blas, like->blas) == 0 &&
            strcmp(t->at[i].compiler, compiler) == 0)
            return &t->at[i];
    return NULL;
}

/* Likewise, or a line that is for all compilers. */
static inline const table_line *table_find_any(const table *t, const table_line *like, const char *compiler)
{
    const table_line *const own = table_find(t, like, compiler);
    return own ? own : table_find(t, like, "any");
}

/* The lessons have a test of their own, but their lines are in the same table. */
static inline bool is_lesson(const table_line *l)
{
    return strncmp(l->program, "lesson/", 7) == 0;
}

/* Stays empty if there is no file and one is to be recorded. */
static inline void table_read(table *t)
{
    char text[512];
    FILE *const file = fopen(GB_TESTS "/unchanged/fingerprints.txt", "r");
    *t = (table){.count = 0};
    if (!file && getenv("GB_RECORD"))
        return;
    if (!file)
        fail_msg("there is no " GB_TESTS "/unchanged/fingerprints.txt");
    while (fgets(text, sizeof text, file)) {
        table_line l = {.hash = 0};
        unsigned long long hash;
        if (text[0] == '#' || text[0] == '\n')
            continue;
        if (sscanf(text, "surroundings: %95[^\n]", t->surroundings) == 1)
            continue;
        if (sscanf(text, "%63s %7s %15s %95s %7s %16llx", l.program, l.real, l.isa, l.blas, l.compiler,
                   &hash) != 6)
            fail_msg("fingerprints.txt: not a line of the table: %s", text);
        l.hash = hash;
        table_add(t, l);
    }
    fclose(file);
}

/* ---- recording ---- */

static const char TABLE_HEAD[] =
    "# Fingerprints: 64-bit FNV-1a hashes of the bits of all values that a program reads. The test\n"
    "# unchanged/fingerprints computes them again, on every instruction set of the machine. It fails if a\n"
    "# hash differs, if a program has no line here, or if a line has no program. The programs are in\n"
    "# tests/unchanged/programs_*.h. The test unchanged/lessons_slow does the same with the numbers that\n"
    "# the lessons print (examples/).\n"
    "#\n"
    "# To record again, where results are meant to change, with a build by gcc and with one by clang:\n"
    "#     GB_RECORD=tests/unchanged/fingerprints.txt build/check/tests/unchanged/test_fingerprints\n"
    "#     GB_RECORD=tests/unchanged/fingerprints.txt build/check/tests/unchanged/test_lessons_slow\n"
    "# Before that, if checkpoints have changed:\n"
    "#     GB_RECORD_CHECKPOINTS=tests/unchanged/checkpoints build/check/tests/unchanged/test_checkpoint\n"
    "# To find a difference: GB_ONLY=kl/ runs only the programs whose names begin with kl/; GB_VERBOSE=1\n"
    "# prints the hash after every value that is read.\n"
    "#\n"
    "# The columns say what a hash depends on:\n"
    "#     isa        the instruction set of the kernels\n"
    "#     blas       kernels and version of OpenBLAS, for programs with large products of matrices. The\n"
    "#                tests ask for the kernels for Haswell if the machine has AVX2. \"-\": no OpenBLAS\n"
    "#     compiler   \"any\": gcc and clang give the same bits. Elsewhere the library has calls such as\n"
    "#                gb_mul(gb_exp(x), gb_sin(x)). Compilers evaluate the arguments in different orders,\n"
    "#                so nodes are recorded, and gradients are added up, in different orders\n"
    "# Lines that the machine cannot compute are left out, with a message. Optimisation, sanitizers and\n"
    "# the number of threads change nothing. `surroundings` are the architecture, the version of SLEEF,\n"
    "# and a hash of what libm computes. If the machine has others, hashes that differ are counted in a\n"
    "# message, and are no failure.\n";

static inline void print_line(const table_line *l, const char *compiler, FILE *file)
{
    fprintf(file, "%-42s %-7s %-9s %-15s %-9s %016llx\n", l->program, l->real, l->isa, l->blas, compiler,
            (unsigned long long)l->hash);
}

/* One line if the other compiler has the same hash, else the line of each, that of gcc first. */
static inline void print_merged(const table *recorded, const table_line *now, FILE *file)
{
    const bool is_gcc = strcmp(now->compiler, "gcc") == 0;
    const char *const others = is_gcc ? "clang" : "gcc";
    const table_line *const other = table_find(recorded, now, others);
    const table_line *const any = table_find_any(recorded, now, others);
    if (any && any->hash == now->hash) {
        print_line(now, "any", file);
        return;
    }
    if (other && !is_gcc)
        print_line(other, others, file);
    print_line(now, now->compiler, file);
    if (other && is_gcc)
        print_line(other, others, file);
}

/* `now` has the lines of all lessons, or of all other programs. Recorded lines of the other kind are kept. */
static inline void table_write(const table *recorded, const table *now, bool lessons)
{
    const char *const path = getenv("GB_RECORD");
    if (recorded->count && strcmp(recorded->surroundings, machine_surroundings()) != 0)
        fail_msg("the table was recorded on %s, and this is %s: delete it first", recorded->surroundings,
                 machine_surroundings());
    FILE *const file = fopen(path, "w");
    if (!file)
        fail_msg("%s cannot be written", path);
    fprintf(file, "%s\nsurroundings: %s\n\n", TABLE_HEAD, machine_surroundings());
    fprintf(file, "# %-40s %-7s %-9s %-15s %-9s hash\n", "program", "real", "isa", "blas", "compiler");
    for (int kind = 0; kind < 2; kind++) {
        const table *const from = kind == lessons ? now : recorded;
        for (size_t i = 0; i < from->count; i++)
            if (is_lesson(&from->at[i]) == kind && from == now)
                print_merged(recorded, &from->at[i], file);
            else if (is_lesson(&from->at[i]) == kind)
                print_line(&from->at[i], from->at[i].compiler, file);
    }
    assert_int_equal(fclose(file), 0);
    print_message("%zu lines recorded in %s\n", now->count, path);
}

/* ---- comparing ---- */

typedef struct judged {
    size_t same, differ;
    size_t lack;      /* have no line, though the table has others of their kind */
    size_t unknown;   /* have no line, as the table has none for this instruction set, OpenBLAS or compiler */
    size_t elsewhere; /* differ, but were recorded in other surroundings */
    size_t orphans;   /* lines without a program */
    char example[160];
} judged;

/* Returns true if the table has any line for this instruction set, OpenBLAS and compiler. */
static inline bool table_has_kind(const table *t, const table_line *like)
{
    bool has_compiler = false, has_machine = false;
    for (size_t i = 0; i < t->count; i++) {
        has_compiler |= strcmp(t->at[i].compiler, like->compiler) == 0;
        has_machine |= strcmp(t->at[i].isa, like->isa) == 0 && strcmp(t->at[i].blas, like->blas) == 0;
    }
    return has_compiler && has_machine;
}

static inline void judge(const table *recorded, const table_line *is, judged *all)
{
    const table_line *const was = table_find_any(recorded, is, is->compiler);
    if (was && was->hash == is->hash)
        all->same++;
    else if (was && strcmp(recorded->surroundings, machine_surroundings()) != 0)
        all->elsewhere++;
    else if (was) {
        all->differ++;
        print_error("%s, %s, %s: the hash of its values is %016llx, recorded is %016llx\n", is->program,
                    is->real, is->isa, (unsigned long long)is->hash, (unsigned long long)was->hash);
    } else if (!table_has_kind(recorded, is)) {
        all->unknown++;
        snprintf(all->example, sizeof all->example, "%s, OpenBLAS %s, %s", is->isa, is->blas, is->compiler);
    } else {
        all->lack++;
        print_error("%s, %s, %s: no line in the table for %s; the hash is %016llx\n", is->program, is->real,
                    is->isa, is->compiler, (unsigned long long)is->hash);
    }
}

/* Every line that this machine can compute belongs to a program that it did compute. */
static inline void judge_lines(const table *recorded, const table *now, bool lessons, judged *all)
{
    for (size_t i = 0; i < recorded->count; i++) {
        const table_line *const l = &recorded->at[i];
        const bool is_blas_here = strcmp(l->blas, "-") == 0 || strcmp(l->blas, machine_blas()) == 0;
        const bool is_compiler_here =
            strcmp(l->compiler, "any") == 0 || strcmp(l->compiler, machine_compiler()) == 0;
        if (is_lesson(l) != lessons || !is_blas_here || !is_compiler_here || !machine_has(l->isa) ||
            table_find(now, l, machine_compiler()))
            continue;
        all->orphans++;
        print_error("%s, %s, %s: the table has a line for this program, but it was not run\n", l->program,
                    l->real, l->isa);
    }
}

/* Prints what was compared and what was left out, and fails if something is not as recorded. */
static inline void conclude(const table *recorded, const judged *all)
{
    print_message("%zu fingerprints are as recorded\n", all->same);
    for (int i = 0; i < ISAS; i++)
        if (!machine_has(ISA[i]))
            print_message("left out: %s, which this machine does not have\n", ISA[i]);
    if (all->unknown)
        print_message("left out: %zu fingerprints: the table has no lines for %s\n", all->unknown,
                      all->example);
    if (all->elsewhere)
        print_message("%zu differ, which proves nothing: they were recorded on %s, and this is %s\n",
                      all->elsewhere, recorded->surroundings, machine_surroundings());
    if (all->differ || all->lack || all->orphans)
        fail_msg("%zu fingerprints differ from those recorded, %zu have no line, %zu lines have no program",
                 all->differ, all->lack, all->orphans);
}

/* Compares a line with the table at once, so that a later program that fails hides nothing. */
static inline void compare_or_keep(const table *recorded, table *now, table_line is, judged *all)
{
    table_add(now, is);
    if (!getenv("GB_RECORD"))
        judge(recorded, &is, all);
}

/* The end of a test: fails if something differs, or records everything. */
static inline void conclude_or_record(const table *recorded, const table *now, bool lessons, judged *all)
{
    const bool is_part = getenv("GB_ONLY") != NULL;
    if (getenv("GB_RECORD")) {
        if (is_part)
            fail_msg("GB_RECORD records all programs: unset GB_ONLY");
        table_write(recorded, now, lessons);
        return;
    }
    if (!is_part)
        judge_lines(recorded, now, lessons, all);
    conclude(recorded, all);
}

/* Returns false for a program that GB_ONLY leaves out. */
static inline bool is_asked_for(const named_program *program)
{
    const char *const only = getenv("GB_ONLY");
    return !only || strncmp(program->name, only, strlen(only)) == 0;
}

#endif
