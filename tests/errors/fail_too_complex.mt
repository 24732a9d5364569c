# Each function calls the one before three times: 3 to the 12th calls would be inlined.

def f0(x: int):
    return x + 1
# expected-error@4 {{200000 nodes when its calls are inlined [too-complex]}}
def f1(x: int):
    return f0(x) + f0(x + 1) + f0(x - 1)
def f2(x: int):
    return f1(x) + f1(x + 2) + f1(x - 2)
def f3(x: int):
    return f2(x) + f2(x + 3) + f2(x - 3)
def f4(x: int):
    return f3(x) + f3(x + 4) + f3(x - 4)
def f5(x: int):
    return f4(x) + f4(x + 5) + f4(x - 5)
def f6(x: int):
    return f5(x) + f5(x + 6) + f5(x - 6)
def f7(x: int):
    return f6(x) + f6(x + 7) + f6(x - 7)
def f8(x: int):
    return f7(x) + f7(x + 8) + f7(x - 8)
def f9(x: int):
    return f8(x) + f8(x + 9) + f8(x - 9)
def f10(x: int):
    return f9(x) + f9(x + 10) + f9(x - 10)
def f11(x: int):
    return f10(x) + f10(x + 11) + f10(x - 11)
def f12(x: int):
    return f11(x) + f11(x + 12) + f11(x - 12)
def main(n: int):
    return f12(n)
