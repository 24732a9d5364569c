# Numbers that do not fit.

def a():
    largest = 9_223_372_036_854_775_807
    smallest = -9223372036854775808
# expected-warning@+2 {{`b` is not used [unused-name]}}
# expected-error@+1 {{`9223372036854775808` is out of range [number-range]}}
    b = 9223372036854775808
# expected-warning@+2 {{`c` is not used [unused-name]}}
# expected-error@+1 {{`0x1_0000_0000_0000_0000` is out of range [number-range]}}
    c = 0x1_0000_0000_0000_0000
# expected-warning@+2 {{`d` is not used [unused-name]}}
# expected-error@+1 {{`9223372036854775808` is out of range [number-range]}}
    d = -(9223372036854775808)
# expected-warning@+2 {{`e` is not used [unused-name]}}
# expected-error@+1 {{`1e999` is out of range [number-range]}}
    e = 1e999
    return largest + smallest
