# Names.

# expected-warning@+1 {{`wedges` is not used [unused-name]}}
from std.cycle import wedges
# expected-error@+1 {{there is no module `std.click` [unknown-module]}}
from std.click import four_cliques
# expected-error@+1 {{module `std.clique` has no function `four_clique` [unknown-import]}}
from std.clique import four_clique, triangles

def helper(x):
    return x

# expected-error@+1 {{`helper` is bound already in this scope [rebinding]}}
def helper(x):
    return x

# expected-error@+1 {{`g` is bound already in this scope [rebinding]}}
def twice(g, g):
    return 1

def main(g: Graph):
# expected-error@+1 {{`vertexes` is not defined [unknown-name]}}
    a = vertexes(g)
    b = 1
# expected-error@+1 {{`b` is bound already in this scope [rebinding]}}
    b = 2
# expected-error@+1 {{`later` is used before it is bound [use-before-binding]}}
    c = later + b
    later = 1
# expected-warning@+1 {{`unused` is not used [unused-name]}}
    unused = 3
    _quiet = 4
# expected-error@+1 {{`helpr` is not defined [unknown-name]}}
    return helpr(size(a)) + c + triangles(g)
