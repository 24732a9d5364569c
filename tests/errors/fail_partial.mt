# Names and types are checked after syntax errors, but in the functions that have none; nothing is said twice.

# expected-error@+1 {{expected `import` but found the end of the line [syntax]}}
from std.clique
# expected-error@+1 {{has no function `no_such_motif` [unknown-import]}}
from std.motif import no_such_motif

# expected-error@+1 {{expected `def`}}
x = helper + 1
# expected-error@+1 {{there is no `import` statement [syntax]}}
import networkx

# The block of a function with a broken first line is read.
# expected-error@+1 {{expected `:` but found the end of the line [syntax]}}
def header(a, b)
# expected-error@+1 {{expected an expression but found `*` [syntax]}}
    c = a ** 2
    return nobody(c)

def lines(g, k):
# expected-error@+1 {{expected an expression but found `)` [syntax]}}
    near = neighbor(g +)
# expected-error@+1 {{there is no `for` statement [syntax]}}
    for v in near:
        total = total + unknown
    return sum(near) + "none of this is said, since the lines above may be the cause"

def callers(g: Graph):
    a = header(1) + header(1, 2, 3) + lines(g, k=1)
# expected-error@+1 {{`lines` takes 2 arguments; it gets 1 [arg-count]}}
    b = lines(g)
# `helper` may have been meant to be bound above.
    c = helper(g)
# expected-error@+1 {{`nothing` is not defined [unknown-name]}}
    d = nothing(g)
# expected-error@+1 {{argument `v` of `neighbor` has type `bool`; expected `int` [arg-type]}}
    return size(neighbor(g, True)) + a + b + c + d

# Through a broken function: one error, not two.
def loop(g):
    return middle(g)

def middle(g):
# expected-error@+1 {{found `.` [syntax]}}
    x = g.size
    return loop(g)

# expected-error@+1 {{expected a name but found `2` [syntax]}}
def 2(x):
# expected-error@+1 {{found `=` [syntax]}}
    y = = x
    return y

def outside(g):
    x = size(vertices(g))
# expected-error@+1 {{expected `def`}}
return x + undefined

def last(l: List<int>) -> bool:
# expected-error@+1 {{`last` returns `int`; it is declared to return `bool` [type-mismatch]}}
    return size(l)
