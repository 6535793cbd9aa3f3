# SPDX-License-Identifier: GPL-3.0-or-later
# What R makes of formulas: Rscript model_matrix.R, in this folder, writes table.csv and model_matrix.txt.
# Made with R 4.2.2. The tests read the files, and need no R.
Sys.setlocale("LC_COLLATE", "C")
set.seed(20)
n <- 12
d <- data.frame(
  y = round(exp(rnorm(n)), 3), s = rbinom(n, 5, .4), n = 5 + rbinom(n, 5, .5),
  x = round(rnorm(n, 3, 2), 2), z = c(1, -1, 2, 0, 1, 3, -2, 1, 4, 0, -3, 2), w = round(rexp(n), 3),
  e = round(rnorm(n), 3), f = rep(c("a", "b", "c"), 4), g = rep(c("v", "u", "u", "v"), 3),
  h = c("small", "medium", "large", "huge", "small", "large", "large", "medium", "huge", "small", "medium",
        "huge"),
  k = rep(c(10, 2, 100000), each = 4), big = 1e9 + round(rnorm(n), 3), check.names = FALSE)
d[["odd name"]] <- c(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
d[["odd f"]] <- rep(c("p q", "r"), each = 6)
write.csv(d, "table.csv", row.names = FALSE, quote = FALSE)
text <- c("f", "g", "h", "odd f")
for (name in text) d[[name]] <- factor(d[[name]])

digits <- function(x) # the shortest text that reads back as the same number
  paste(vapply(x, function(v) {
    for (p in 1:17) if (as.numeric(t <- sprintf("%.*g", p, v)) == v) return(t)
  }, ""), collapse = " ")

out <- file("model_matrix.txt", "w")
# `contrasts`: for one factor, "f=sum", or for all of them, "*=sum"; `levels`: "h=small,medium,large,huge";
put <- function(formula, contrasts = "", levels = "") {
  rows <- d
  given <- NULL
  if (levels != "") {
    part <- strsplit(levels, "=")[[1]]
    rows[[part[1]]] <- factor(rows[[part[1]]], levels = strsplit(part[2], ",")[[1]])
  }
  for (one in strsplit(contrasts, ";")[[1]]) {
    part <- strsplit(one, "=")[[1]]
    name <- paste0("contr.", part[2])
    if (part[1] == "*") options(contrasts = c(name, "contr.poly"))
    else given[[part[1]]] <- name
  }
  f <- terms(as.formula(formula), data = rows)
  frame <- model.frame(f, rows)
  m <- model.matrix(f, frame, contrasts.arg = given)
  options(contrasts = c("contr.treatment", "contr.poly"))
  offset <- model.offset(frame)
  outcome <- model.response(frame)
  writeLines(c(paste("formula", formula), paste("contrasts", contrasts), paste("levels", levels),
               paste("columns", ncol(m)), colnames(m)), out)
  for (i in 1:n) writeLines(digits(m[i, ]), out)
  if (!is.null(offset)) writeLines(c("offset", digits(offset)), out)
  if (!is.null(outcome) && is.null(dim(outcome)))
    writeLines(c("outcome", digits(as.numeric(outcome) - is.factor(outcome))),
               out)
  writeLines("", out)
}

for (f in c(
  "y ~ x", "y ~ x + z + w", "y ~ 1", "y ~ x - 1", "y ~ 0 + x", "y ~ -1 + x", "y ~ x + 0", "y ~ x - 0",
  "y ~ -1 + 1 + x", "~ x", "log(y) ~ x", "sqrt(y) ~ x", "I(y / 2) ~ x", "y - x ~ z", "y ~ (x)",
  "y ~ f", "y ~ f - 1", "y ~ f + g", "y ~ f + g - 1", "y ~ 0 + g + f", "y ~ x + f - 1", "y ~ 0 + x + f",
  "y ~ f:g", "y ~ f:g - 1", "y ~ f*g", "y ~ f*g - 1", "y ~ f + f:g", "y ~ g + f:g", "y ~ g:f + f", "y ~ x:f",
  "y ~ x:f - 1", "y ~ x + x:f", "y ~ f + x:f", "y ~ x*f", "y ~ f*x - 1", "y ~ f*x*g", "y ~ f*g*h",
  "y ~ f*g*h - f:g:h", "y ~ x:z", "y ~ x*z", "y ~ x*z*w", "y ~ (x + z + w)^2", "y ~ (x + z + w)^3",
  "y ~ (f + g + x)^2", "y ~ (f + g + x)^2 - f:g", "y ~ (f + g)^2 - f", "y ~ f*g - g", "y ~ f/x", "y ~ x/f",
  "y ~ f/g", "y ~ f/g - 1", "y ~ (f + g)/x", "y ~ f/(x + z)", "y ~ 0 + x:g + f", "y ~ x:g + f:g + 0",
  "y ~ f:g:x", "y ~ f + f:g:x", "y ~ x + f:g:x", "y ~ f:x + g:x", "y ~ h:f:g - 1", "y ~ f:g + f:h",
  "y ~ f + g + h + g:h", "y ~ 0 + f:x + g", "y ~ f:z + f:x - 1",
  "y ~ .", "log(y) ~ . - h", "y ~ (x + f + g)^2 + h:x", "y ~ x + x + f + f:x + x:f", "y ~ x:f + f:x",
  "y ~ poly(x, 1)", "y ~ poly(x, 2)", "y ~ poly(x, 5)", "y ~ poly(x, degree = 3)", "y ~ poly(x,2,raw=TRUE)",
  "y ~ poly(x, raw = T, 3)", "y ~ poly(z, 4)", "y ~ poly(big, 3)", "y ~ poly(log(w), 2)",
  "y ~ poly(x, 2):f", "y ~ f:poly(x, 2)", "y ~ poly(x, 2)*f", "y ~ poly(x, 2):poly(z, 3)",
  "y ~ poly(x, 2)*g - 1", "y ~ poly(`odd name`, 3)", "y ~ poly(scale(x), 2)",
  "y ~ scale(x)", "y ~ scale(x, scale = FALSE)", "y ~ scale(x, center = FALSE)", "y ~ scale(x, FALSE, FALSE)",
  "y ~ scale(scale = FALSE, x)", "y ~ scale(big)", "y ~ scale(x):scale(z)", "y ~ scale(log(w)) * f",
  "scale(y) ~ x", "y ~ I(scale(x)^2)",
  "y ~ log(w) + exp(-x) + sqrt(w) + abs(z) + log1p(w) + expm1(z)", "y ~ log(w, 2) + log2(w) + log10(w)",
  "y ~ sin(x) + cos(x) + tan(x) + tanh(x) + plogis(x) + floor(x) + ceiling(x)", "y ~ qlogis(plogis(z))",
  "y ~ log(w, base = 10) + log(base = 3, w)",
  "y ~ I(x^2) + I(x*z) + I(z/x^2)", "y ~ I(x^2):f", "y ~ I(-x) + I(-x^2) + I(2^z) + I(2^-z)",
  "y ~ I(x%%2) + I(x%/%2) + I(-x %% 3)", "y ~ I((x + z)^2 - (x - z)^2)", "y ~ I(x*1e5) + I(x*0.0001 + 100)",
  "y ~ I(x*123456789012) + I(x*1.5e-10) + I(x*100000)", "y ~ I(2*x - 3*z + 0.1)", "y ~ I(x - -z)",
  "y ~ I(x > 3)", "y ~ I(x > 3) - 1", "y ~ I(x > 3)*f", "y ~ I(x >= 3 & z < 1) + I(z == 1 | z == 2)",
  "y ~ x > 3", "y ~ !(x > 3)", "y ~ I((x > 3)*z)", "y ~ I(z != 1) + I(z <= 0)",
  "x > 3 ~ z", "y ~ factor(z)", "y ~ factor(z):x", "y ~ factor(k)", "y ~ factor(k) - 1", "y ~ as.factor(k)*f",
  "y ~ factor(f)", "f ~ x", "factor(k) ~ x",
  "y ~ `odd name`", "y ~ `odd f`", "y ~ `odd f`:`odd name`", "y ~ log(`odd name`) + I(`odd name`^2)",
  "y ~ x + offset(e)", "y ~ offset(e) + offset(log(w)) + f", "y ~ offset(2*e) - 1 + f", "y ~ x + offset(scale(w))"))
  put(f)
for (c in c("f=sum", "f=helmert", "f=poly", "*=sum", "*=helmert", "*=poly", "f=poly;g=sum"))
  for (f in c("y ~ f", "y ~ f*g", "y ~ f:g", "y ~ f - 1 + g", "y ~ f*x", "y ~ g:f + f")) put(f, c)
put("y ~ I(x > 3)*f", "*=sum")
put("y ~ h", "h=poly", "h=small,medium,large,huge")
put("y ~ h*f", "h=helmert", "h=small,medium,large,huge")
put("y ~ h - 1 + h:x", "h=sum", "h=huge,large,medium,small")
put("y ~ h", "", "h=large,huge,small,medium")
put("y ~ k*x", "k=poly", "k=2,10,1e+05")
put("y ~ k", "", "k=10,2,1e+05")
put("h ~ x", "", "h=small,medium,large,huge")

# Formulas at random: the algebra of terms.
variables <- c("f", "g", "h", "x", "z")
random <- function(depth) {
  if (depth == 0 || runif(1) < .15) return(sample(variables, 1))
  op <- sample(c(" + ", ":", "*", " + ", "/"), 1)
  part <- paste0(random(depth - 1), op, random(depth - 1))
  several <- length(attr(terms(as.formula(paste("~", part))), "term.labels")) > 1
  if (several && runif(1) < .25) return(paste0("(", part, ")^2"))
  if (op == " + " || runif(1) < .3) paste0("(", part, ")") else part
}
made <- 0
while (made < 150) {
  f <- paste0("y ~ ", random(3), sample(c("", " - 1", " + 0", ""), 1))
  terms <- terms(as.formula(f))
  if (length(attr(terms, "term.labels")) > 12 || ncol(model.matrix(as.formula(f), d)) > 40) next
  put(f)
  made <- made + 1
}
close(out)
