# Rounds in a branch.

def main(x: int):
# expected-error@+1 {{rounds are computed in a branch [iterate-place]}}
    return iterate(lambda y: y / 2, x, 70) if x > 0 else x
