/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe doctor`: prints what the library can use on this machine, and where it uses a fallback. */
#if !defined(GB_NO_SLEEF)
#include <sleef.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/results/gnuplot.h"
#include "cli/shell/command.h"
#include "core/ground/text_impl.h"
#include "core/native.h"
#include "core/program.h"
#include "core/tape.h"
#include "core/version.h"
#include "ops/blas.h"
#include "ops/matmul.h"

typedef struct page {
    bool json;
    size_t fallbacks;
} page;

/* Prints one fact, and, unless it is "", advice on what could be better. */
static void put_fact(page *p, const char *key, const char *value, const char *advice)
{
    if (p->json) {
        printf(",\n \"%s\": {\"is\": ", key);
        gb_json_text(stdout, value);
        fputs(", \"advice\": ", stdout);
        gb_json_text(stdout, *advice ? advice : NULL);
        putchar('}');
    } else
        gb_cli_print(stdout, "%-13s %s\n", key, value);
    if (!p->json && *advice) {
        printf("%-13s %s", "", gb_cli_styled(stdout, GB_CLI_BAD));
        gb_cli_print(stdout, "%s", advice);
        printf("%s\n", gb_cli_styled(stdout, GB_CLI_PLAIN));
    }
    p->fallbacks += *advice != '\0';
}

static void put_machine(page *p)
{
    struct utsname name;
    char text[320];
    const bool known = uname(&name) >= 0;
    snprintf(text, sizeof text, "%.100s, %.100s, numbers with the %s byte first",
             known ? name.machine : "unknown", known ? name.sysname : "unknown",
             __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "high" : "low");
    put_fact(p, "machine", text, "");
}

/* What the baseline is, and how it could be better. */
#if defined(GB_PLAIN) && (defined(__x86_64__) || defined(__aarch64__))
#define BASELINE "plain C"
#define BASELINE_ADVICE                                                                                      \
    "this grebe was built with GB_PLAIN: it leaves the processor's vector instructions unused"
#elif defined(__x86_64__)
#define BASELINE "SSE2"
#define BASELINE_ADVICE "no AVX2 here: vector kernels use the baseline that every x86-64 has"
#elif defined(__aarch64__)
#define BASELINE "Advanced SIMD, that every Arm of 64 bits has"
#define BASELINE_ADVICE ""
#else
#define BASELINE "plain C: grebe has no vector kernels of its own for this processor"
#define BASELINE_ADVICE ""
#endif

/* Returns whether a tape can be made: not with an unknown word in GREBE_ISA. */
static bool put_kernels(page *p)
{
    const char *const kernels = gb_kernels();
    const char *const asked = getenv("GREBE_ISA");
    const bool is_baseline = strcmp(kernels, "baseline") == 0;
    const char *advice = "";
    gb_tape *const tape = gb_tape_new(.seed = 1);
    const bool works = gb_error(tape) == GB_OK;
    char words[256], text[128];
    snprintf(words, sizeof words, "%s", gb_error_text(tape));
    gb_tape_free(tape);
    if (!works)
        advice = words;
    else if (asked && *asked)
        advice = "GREBE_ISA is set in the environment: the kernels may not be the fastest";
    else if (is_baseline)
        advice = BASELINE_ADVICE;
    snprintf(text, sizeof text, "%s%s", kernels, is_baseline ? " (" BASELINE ")" : "");
    put_fact(p, "kernels", works ? text : "none: no tape can be made", advice);
    return works;
}

/* Plans a product that OpenBLAS computes: it may be there, and without memory for a buffer. */
static bool plans_product(char *fault, size_t bytes)
{
    gb_tape *const tape = gb_tape_new(.seed = 1, .threads = 1);
    const gb_node x = gb_variable(tape, "x", gb_shape(400, 400), gb_fill(0));
    gb_program *const program = gb_compile(tape, gb_roots(gb_matmul(x, x)), gb_no_update);
    const bool is_planned = gb_prepare(program) == GB_OK;
    snprintf(fault, bytes, "%s", gb_error_text(tape));
    gb_tape_free(tape);
    return is_planned;
}

/* Returns whether matrix products can be planned. */
static bool put_blas(page *p, bool has_tapes)
{
    char text[640], fault[512] = "";
    gb_blas_facts facts = {0};
    const bool there = gb_blas_look(&facts),
               works = there && (!has_tapes || plans_product(fault, sizeof fault));
    if (works)
        snprintf(text, sizeof text, "%s; kernels %s", facts.library, facts.kernels);
    else
        snprintf(text, sizeof text, "%s: matrix products cannot be planned",
                 there ? "no memory for it" : "none");
    put_fact(p, "BLAS", text, *fault ? fault : facts.advice ? facts.advice : "");
    return works;
}

static void put_sleef(page *p)
{
#if defined(GB_NO_SLEEF)
    const char *const text = "none: pow, sin, cos, atan and atan2 are the C library's";
#else
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR,
             SLEEF_VERSION_PATCHLEVEL);
#endif
    put_fact(p, "SLEEF", text, "");
}

static void put_threads(page *p)
{
    char text[64];
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(text, sizeof text, "%ld, one for each processor", online > 0 ? online : 1);
    put_fact(p, "threads", text, "");
}

static void put_gnuplot(page *p, gb_cli_files *files)
{
    char text[128];
    const bool there = gb_cli_gnuplot_version(files, text, sizeof text);
    put_fact(p, "gnuplot", there ? text : "none", there ? "" : "install gnuplot for the pictures of --plot");
}

static void put_native(page *p)
{
    gb_native_facts facts;
    char text[640];
    const bool works = gb_native_look(&facts);
    snprintf(text, sizeof text, "%s; %llu KB in %s", facts.compiler, (unsigned long long)facts.bytes / 1000,
             *facts.cache ? facts.cache : "no cache");
    put_fact(p, "native code", works ? text : "none", works ? facts.advice : facts.fault);
}

static gb_cli_code clear_cache(void)
{
    gb_native_facts facts;
    if (!gb_native_clear(&facts))
        return gb_cli_say(GB_CLI_FAILED, "%s", facts.advice);
    gb_cli_print(stdout, "removed %llu KB from %s\n", (unsigned long long)facts.bytes / 1000, facts.cache);
    return GB_CLI_OK;
}

static gb_cli_code run(const gb_cli *cli)
{
    if (cli->value[1])
        return clear_cache();
    page p = {.json = cli->value[0] != NULL};
    if (p.json)
        gb_json_begin(stdout, "grebe-doctor-1");
    put_fact(&p, "grebe", gb_version(), "");
    put_machine(&p);
    const bool has_tapes = put_kernels(&p);
    put_sleef(&p);
    const bool has_products = put_blas(&p, has_tapes);
    put_native(&p);
    put_threads(&p);
    put_gnuplot(&p, cli->files);
    if (p.json)
        puts("\n}");
    else if (!has_tapes)
        puts("\nNothing works here; see the advice above.");
    else if (!has_products)
        puts("\nPrograms with matrix products do not work here; see the advice above.");
    else
        puts(p.fallbacks ? "\nIt works; see the advice above." : "\nNo fallback is in use.");
    return has_tapes && has_products ? GB_CLI_OK : GB_CLI_FAILED;
}

const gb_cli_command gb_cli_doctor_command = {
    .name = "doctor",
    .words = "[--json | --clear-cache]",
    .summary = "what the library can use on this machine, and which fallbacks it needs",
    .help =
        "  grebe doctor --json\n"
        "\n"
        "Native code is what the system's C compiler (GREBE_CC, or cc) makes of programs. It is kept in the\n"
        "folder grebe of XDG_CACHE_HOME or ~/.cache.\n"
        "\n"
        "The exit status is 1 if no tape can be made, or if matrix products cannot be planned.\n",
    .options = {{"json", NULL, "as JSON"},
                {"clear-cache", NULL, "remove the native code that is kept, and end"}},
    .run = run,
};
