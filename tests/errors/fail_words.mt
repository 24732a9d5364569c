# What is no word of the language.

def a(x):
# expected-error@+1 {{the character `$` has no meaning here [bad-character]}}
    y = x $ 2
# expected-error@+1 {{the character `é` has no meaning here [bad-character]}}
    é = 3
# expected-error@+1 {{the character `!` has no meaning here [bad-character]}}
    z = !x
# expected-error@+1 {{the quoted word is not closed on its line [open-string]}}
    w = vertex_label(x, 1) == 'abc
# expected-error@+1 {{`12ab` is not a number [bad-number]}}
    b = 12ab
# expected-error@+1 {{`007` is not a number [bad-number]}}
    c = 007
# expected-error@+1 {{`1__0` is not a number [bad-number]}}
    d = 1__0
    return y
