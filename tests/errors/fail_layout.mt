# Lines, indentation and brackets.

def a(x):
# expected-error@+1 {{a tab in the indentation [tab-indent]}}
	return x

def b(x):
    y = x
# expected-error@+1 {{the line is indented, but no block begins here [bad-indent]}}
      z = x
    return y

def c(x):
    y = x
# expected-error@+1 {{the indentation fits no block around the line [bad-indent]}}
  return y

# expected-error@+1 {{the function has no body [missing-block]}}
def d(x):
def e(x):
# expected-error@+1 {{`(` is never closed [unmatched-bracket]}}
    y = size(x
    return y

def f(x):
# expected-error@+1 {{`]` closes `(` [unmatched-bracket]}}
    return size(x]

def g(x):
# expected-error@+1 {{`)` closes a bracket that was never opened [unmatched-bracket]}}
    return x)
