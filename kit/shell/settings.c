/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/shell/settings_impl.h"

#include <math.h>
#include <string.h>

double gb_kit_chosen(uint64_t seed, size_t place, size_t which)
{
    uint64_t x = seed + UINT64_C(0x9e3779b97f4a7c15) * (1 + GB_MOST_OPTIONS * place + which);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(x >> 11) / 4503599627370496. - 1;
}

double gb_kit_near(double value, double low, double high, double at)
{
    const bool is_part = low >= 0 && high <= 1;
    double x = value > 0 && low >= 0 ? value * exp2(1.5 * at) : value + (1 + fabs(value)) * at;
    if (is_part)
        x = low + (high - low) * (at + 1) / 2;
    return fmin(fmax(x, low), high);
}

static bool is_kept(const char *const *but, const char *name)
{
    for (; but && *but; but++)
        if (strcmp(*but, name) == 0)
            return true;
    return false;
}

/* A number that its domain does not hold stays as it was. */
static double number_near(const gb_option *o, double value, double at)
{
    const double x = gb_kit_near(value, o->domain->low, o->domain->high, at);
    const double number = o->domain->whole || o->form == GB_OPTION_IS_WHOLE ? round(x) : x;
    return gb_domain_holds(o->domain, number) ? number : value;
}

static bool vary_number(const gb_option *o, unsigned char *field, double at)
{
    double number;
    if (!o->domain)
        return false;
    memcpy(&number, field, sizeof number);
    number = number_near(o, number, at);
    memcpy(field, &number, sizeof number);
    return true;
}

static bool vary_whole(const gb_option *o, unsigned char *field, double at)
{
    int64_t whole;
    if (!o->domain)
        return false;
    memcpy(&whole, field, sizeof whole);
    whole = (int64_t)number_near(o, (double)whole, at);
    memcpy(field, &whole, sizeof whole);
    return true;
}

static bool vary_flag(unsigned char *field, double at)
{
    memcpy(field, &(bool){at > 0}, sizeof(bool));
    return true;
}

static bool vary_choice(const gb_option *o, unsigned char *field, double at)
{
    int count = 0;
    while (o->choices[count])
        count++;
    const int choice = (int)fmin(floor((at + 1) / 2 * count), count - 1);
    memcpy(field, &choice, sizeof choice);
    return true;
}

static bool vary(const gb_option *o, unsigned char *field, double at)
{
    switch (o->form) {
    case GB_OPTION_IS_NUMBER: return vary_number(o, field, at);
    case GB_OPTION_IS_WHOLE: return vary_whole(o, field, at);
    case GB_OPTION_IS_FLAG: return vary_flag(field, at);
    case GB_OPTION_IS_CHOICE: return vary_choice(o, field, at);
    case GB_OPTION_IS_NODE:
    case GB_OPTION_IS_PLUGIN:
    case GB_OPTION_IS_OTHER: break;
    }
    return false;
}

bool gb_kit_setting(const void *type, const gb_packed *packed, const char *const *but, uint64_t seed,
                    size_t place, gb_packed *other)
{
    const gb_plugin *const plugin = type;
    gb_option_block block;
    bool varied = false;
    if (!GB_HAS(plugin, options) || !gb_options_unpack(type, packed, &block))
        return false;
    for (size_t i = 0; plugin->options[i].name; i++) {
        const gb_option *const o = &plugin->options[i];
        varied |= !o->is_argument && !is_kept(but, o->name) &&
                  vary(o, block.bytes + o->offset, gb_kit_chosen(seed, place, i));
    }
    *other = gb_options_pack(type, &block);
    return varied;
}
