# The last line is the header of a function.

def a(x):
    return x

# expected-error@+1 {{the function has no body [missing-block]}}
def b(x):
