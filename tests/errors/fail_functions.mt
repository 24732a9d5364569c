# Functions as a whole.

def itself(n):
# expected-error@+1 {{`itself` calls itself [recursion]}}
    return itself(n - 1)

def ping(n):
    return pong(n)

def pong(n):
# expected-error@+1 {{`ping` calls itself through `pong` [recursion]}}
    return ping(n)

def outer(n):
    def inner(m):
# expected-error@+1 {{`inner` calls itself [recursion]}}
        return inner(m)
    return inner(n)

# expected-error@+1 {{`nothing` has no `return` [missing-return]}}
def nothing(n):
    """Only says what it would do."""

def after(n):
    return n
# expected-error@+1 {{a statement after `return` never counts [after-return]}}
    _m = n

# expected-error@+1 {{a default value is a number, `True` or `False` [bad-default]}}
def default(n=[1]):
    return size(n)

# expected-error@+1 {{`m` has no default value, but a parameter before it has [bad-default]}}
def order(n=1, m):
    return n + m

# expected-error@+1 {{the default value has type `float`; the parameter has type `int` [type-mismatch]}}
def main(n: int = 0.5):
    return n
