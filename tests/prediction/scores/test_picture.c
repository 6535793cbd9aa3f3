/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of calibration, of bins made by hand. */
#include "support/close.h"

#include "prediction/scores.h"

#define SCALE "0                  0.5                  1\n"
#define FULL "########################################|\n"

typedef gb_status picture(const gb_reliability *r, FILE *file);

static void draw(picture *write, const gb_reliability *r, size_t bytes, char *text)
{
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_int_equal(write(r, file), GB_OK);
    rewind(file);
    text[fread(text, 1, bytes - 1, file)] = 0;
    fclose(file);
}

static gb_reliability of_classes(void)
{
    return (gb_reliability){
        .score = {.name = "calibration error", .value = 0.175, .error = 0.02, .count = 400},
        .bins = 4,
        .bin = {[1] = {.count = 100, .predicted = 0.4, .observed = 0.5, .error = 0.05},
                [3] = {.count = 300, .predicted = 0.9, .observed = 0.7, .error = 0.03}}};
}

static gb_reliability of_intervals(void)
{
    return (gb_reliability){.score = {.name = "calibration error", .value = 0.05, .error = 0.1, .count = 25},
                            .bins = 2,
                            .of_intervals = true,
                            .bin = {{.count = 25, .predicted = 0.5, .observed = 0.4, .error = 0.1},
                                    {.count = 25, .predicted = 1, .observed = 1, .error = 0}}};
}

TEST(text_shows_bins_of_classes)
{
    const gb_reliability r = of_classes();
    char text[4096];
    draw(gb_reliability_print, &r, sizeof text, text);
    assert_string_equal(
        text,
        "calibration error 0.175 ± 0.02 over 400 rows: how often the most probable class comes\n"
        "   probability    rows predicted observed     gap  chance  " SCALE
        "0.250 to 0.500  25.0 %     0.400    0.500  +0.100   0.049  ################|###\n"
        "0.750 to 1.000  75.0 %     0.900    0.700  -0.200   0.017  ############################        |\n"
        "# is observed, | is predicted: bars that end before | are too confident.\n");
}

TEST(text_shows_levels_of_intervals)
{
    const gb_reliability r = of_intervals();
    char text[4096];
    draw(gb_reliability_print, &r, sizeof text, text);
    assert_string_equal(
        text, "calibration error 0.05 ± 0.1 over 25 rows: how many outcomes central intervals have\n"
              "      interval    rows predicted observed     gap  chance  " SCALE
              "          50 % 100.0 %     0.500    0.400  -0.100   0.100  ################    |\n"
              "         100 % 100.0 %     1.000    1.000  +0.000   0.000  " FULL
              "# is observed, | is predicted: intervals that end before | are too narrow.\n");
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part))) {
        text += strlen(part);
        count++;
    }
    return count;
}

/* The square is 3200 wide, from (640, 3680) to (3840, 480). */
TEST(circles_lie_at_predicted_and_observed)
{
    const gb_reliability r = of_classes();
    char svg[1 << 14];
    draw(gb_reliability_svg, &r, sizeof svg, svg);
    assert_int_equal(count_of(svg, "<circle"), 2);
    assert_non_null(strstr(svg, "<circle cx=\"1920\" cy=\"2080\" r=\"69\"")); /* a third of the area */
    assert_non_null(strstr(svg, "<circle cx=\"3520\" cy=\"1440\" r=\"120\""));
    assert_non_null(strstr(svg, "<path d=\"M640 3680L3840 480\"")); /* the diagonal */
    assert_non_null(strstr(svg, "M1920 2714V2086\""));              /* 0.4 ± 2 √(0.4 · 0.6 / 100) */
    assert_non_null(strstr(svg, "calibration error 0.175 ± 0.02, 400 rows"));
    assert_int_equal(count_of(svg, "<text"), count_of(svg, "</text>"));
    assert_non_null(strstr(svg, "</svg>\n"));
    const gb_reliability levels = of_intervals();
    draw(gb_reliability_svg, &levels, sizeof svg, svg);
    assert_int_equal(count_of(svg, "<circle"), 2);
    assert_non_null(strstr(svg, "probability of the central interval"));
}

TEST(pictures_know_what_they_are_of)
{
    static const double p[] = {0.8, 0.2, 0.4, 0.6}, y[] = {0, 1}, u[] = {0.3, 0.9};
    const gb_reliability classes = gb_reliability_of_classes(2, 2, p, y, 2);
    const gb_reliability levels = gb_reliability_of_intervals(2, u, u, 2);
    char text[4096];
    draw(gb_reliability_print, &classes, sizeof text, text);
    assert_non_null(strstr(text, "most probable class"));
    draw(gb_reliability_print, &levels, sizeof text, text);
    assert_non_null(strstr(text, "central intervals"));
}

TEST(nothing_is_drawn_of_no_calibration)
{
    const gb_reliability none = gb_reliability_of_intervals(0, NULL, NULL, 0);
    gb_reliability many = of_classes();
    many.bins = GB_MOST_BINS + 1;
    static picture *const write[] = {gb_reliability_print, gb_reliability_svg};
    for (size_t i = 0; i < 2; i++) {
        FILE *const file = tmpfile();
        assert_int_equal(write[i](&none, file), GB_EARGUMENT);
        assert_int_equal(write[i](&many, file), GB_EARGUMENT);
        assert_int_equal(write[i](NULL, file), GB_EARGUMENT);
        assert_int_equal(write[i](&many, NULL), GB_EARGUMENT);
        assert_int_equal(ftell(file), 0);
        fclose(file);
    }
}
