/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text: names that are nearly right, and numbers and strings that other programs read. */
#include "core/ground/text_impl.h"

#include "support/close.h"

TEST(the_nearest_name_begins_alike_or_needs_the_fewest_changes)
{
    static const char *const names[] = {"leave_one_row_out", "leave_one_out", "moving_average"};
    assert_string_equal(gb_nearest_text("moving", 3, names), "moving_average");
    assert_string_equal(gb_nearest_text("leave_one_ou", 3, names), "leave_one_out");
    assert_string_equal(gb_nearest_text("leave_two_out", 3, names), "leave_one_out");
    static const char *const letters[] = {"y", "x"}, *const words[] = {"income", "INCOME 2"};
    assert_string_equal(gb_nearest_text("X", 2, letters), "x");
    assert_string_equal(gb_nearest_text("Income", 2, words), "income");
    assert_null(gb_nearest_text("qqqqqqq", 3, names));
    assert_null(gb_nearest_text("moving", 0, names));
    assert_null(gb_nearest_text(NULL, 3, names));
}

TEST(numbers_come_back_as_they_were)
{
    static const double numbers[] = {0, -1.5, 0.1, 1e300, -2.2250738585072014e-308, 5e-324, 123456789, 1e22};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[64] = "", shortest[GB_NUMBER_TEXT];
        double is = NAN;
        FILE *const file = fmemopen(text, sizeof text - 1, "w");
        gb_put_number(file, numbers[i]);
        fclose(file);
        assert_true(gb_text_number(text, strlen(text), &is) && is == numbers[i]);
        gb_number_text(numbers[i], shortest);
        assert_true(gb_text_number(shortest, strlen(shortest), &is) && is == numbers[i]);
    }
    char text[GB_NUMBER_TEXT];
    assert_string_equal(gb_number_text(0.1, text), "0.1");
    assert_string_equal(gb_number_text(5000, text), "5000");
    assert_string_equal(gb_number_text(1.0 / 3, text), "0.3333333333333333");
}

TEST(a_number_is_read_to_its_last_byte_or_not_at_all)
{
    static const char *const good[] = {"1", "-1", "+1", "1.", ".5", "1e3", "1E-3", "1.5e+3", "000012"};
    static const char *const bad[] = {"",      " 1",    "1 ",  "\n1", "0x10", "1e",      "e3",
                                      ".",     "-",     "+-1", "1_",  "1e3x", "nan",     "inf",
                                      "1e999", "1.2.3", "1e+", "--1", "1,5",  "infinity"};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!gb_text_number(good[i], strlen(good[i]), &value))
            fail_msg("\"%s\" was rejected", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (gb_text_number(bad[i], strlen(bad[i]), &value))
            fail_msg("\"%s\" was read as %g", bad[i], value);
    char many[600];
    memset(many, '1', sizeof many);
    many[1] = '.';
    assert_true(gb_text_number(many, 500, &value) == false); /* the text goes on */
    many[500] = ':';
    assert_true(gb_text_number(many, 500, &value) && value > 1.1 && value < 1.12);
}

static uint64_t next_random(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

/* Short, long and halfway between two doubles: the same bits as those of strtod. */
TEST(numbers_are_rounded_as_strtod_rounds_them)
{
    uint64_t random = 1;
    for (int i = 0; i < 400000; i++) {
        char text[96], digits[32];
        double is;
        const int count = 1 + (int)(next_random(&random) % 21), point = (int)(next_random(&random) % 22);
        for (int k = 0; k < count; k++)
            digits[k] = (char)('0' + next_random(&random) % 10);
        const int before = point < count ? point : count, exponent = (int)(next_random(&random) % 80) - 40;
        int used =
            sprintf(text, "%s%.*s.%.*s", i & 1 ? "-" : "", before, digits, count - before, digits + before);
        if (i & 2)
            used += sprintf(text + used, "e%d", exponent);
        assert_true(gb_text_number(text, (size_t)used, &is));
        const double should = strtod(text, NULL);
        if (memcmp(&is, &should, sizeof is) != 0)
            fail_msg("%s is %.17g, not %.17g", text, is, should);
    }
    for (int i = 0; i < 200000; i++) { /* a quotient of 65 bits, of which 12 are often halfway */
        char text[96];
        double is;
        const unsigned long long digits =
            1000000000000000000u + (next_random(&random) << 31 | next_random(&random)) % 9000000000000000000u;
        const int used = sprintf(text, "%llue-27", digits);
        assert_true(gb_text_number(text, (size_t)used, &is) && is == strtod(text, NULL));
    }
    for (int i = 0; i < 100000; i++) { /* halfway, and one digit beside it */
        const uint64_t some = next_random(&random) << 21 | next_random(&random) >> 10;
        const uint64_t odd = ((uint64_t)1 << 53) + some % ((uint64_t)1 << 52) * 2 + 1;
        char text[96];
        double is;
        const int used = sprintf(text, "%llu", (unsigned long long)odd);
        assert_true(gb_text_number(text, (size_t)used, &is) && is == strtod(text, NULL));
        assert_true(is == (double)(odd - 1) || is == (double)(odd + 1));
        for (int k = -1; k <= 1; k += 2) {
            const int more = sprintf(text, "%llue-3", (unsigned long long)(odd * 1000 + (uint64_t)k));
            assert_true(gb_text_number(text, (size_t)more, &is) && is == strtod(text, NULL));
        }
    }
}

TEST(json_has_quotes_around_text_and_null_for_what_is_no_number)
{
    char text[64] = "";
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    gb_json_text(file, "a \"b\" \\ \n");
    gb_json_text(file, NULL);
    gb_json_number(file, INFINITY);
    gb_json_number(file, 0.5);
    fclose(file);
    assert_string_equal(text, "\"a \\\"b\\\" \\\\ \\u000a\"nullnull0.5");
}

/* A file with bytes that are no UTF-8 is no JSON; a terminal obeys control characters. */
TEST(bytes_that_are_no_text_are_shown)
{
    char text[64] = "";
    FILE *file = fmemopen(text, sizeof text - 1, "w");
    gb_json_text(file, "c\xff\xc3 \xc3\xa9\x7f");
    fclose(file);
    assert_string_equal(text, "\"c\\\\xff\\\\xc3 \xc3\xa9\\\\x7f\"");
    file = fmemopen(text, sizeof text - 1, "w");
    gb_put_lines(file, "one\n\x1b[31mtwo\xff\r\n");
    fclose(file);
    assert_string_equal(text, "one\n\\x1b[31mtwo\\xff\\x0d\n");
}

TEST(a_field_of_csv_is_in_quotes_if_it_must_be)
{
    static const char *const fields[][2] = {{"a b", "a b"},       {"a,b", "\"a,b\""}, {"a\"b", "\"a\"\"b\""},
                                            {"a\nb", "\"a\nb\""}, {" a", "\" a\""},   {"", "\"\""}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char text[64] = "";
        FILE *const file = fmemopen(text, sizeof text - 1, "w");
        gb_csv_text(file, fields[i][0]);
        fclose(file);
        assert_string_equal(text, fields[i][1]);
    }
}

/* XML has neither control characters nor bytes that are no UTF-8, and no U+FFFF. */
TEST(what_is_no_text_of_xml_is_shown)
{
    char text[128] = "";
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    gb_xml_text(file, "<a> & \xff\xc3( \xc3\xa9\x01\n\xef\xbf\xbf");
    fclose(file);
    assert_string_equal(text, "&lt;a&gt; &amp; \\xff\\xc3( \xc3\xa9\\x01\\n\\xef\\xbf\\xbf");
}
