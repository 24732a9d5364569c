from lib.cycle_b import b

def a():
    return b()
