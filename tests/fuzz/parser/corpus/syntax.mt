# Each line has an error of its own; all are reported in one run.

# expected-error@+1 {{expected `:` but found the end of the line [syntax]}}
def a(x)
    return x

def b(x):
# expected-error@+1 {{there is no `for` statement [syntax]}}
    for v in x:
        y = v
# expected-error@+1 {{expected an expression but found the end of the line [syntax]}}
    y =
# expected-error@+1 {{found `[` [syntax]}}
    z = x[0]
# expected-error@+1 {{found `.` [syntax]}}
    w = x.size
# expected-error@+1 {{found `=` [syntax]}}
    y += 1
# expected-error@+1 {{expected an expression but found `*` [syntax]}}
    p = 2 ** 3
# expected-error@+1 {{expected `else` but found the end of the line [syntax]}}
    q = 1 if x
# expected-error@+1 {{expected `=` but found `(` [syntax]}}
    size(x)
# expected-error@+1 {{there is no `if` statement [syntax]}}
    if x:
        y = 2
    return y

# expected-error@+1 {{there is no `import` statement [syntax]}}
import std

# expected-error@+1 {{expected a name but found `2` [syntax]}}
def c(2):
    return 1
