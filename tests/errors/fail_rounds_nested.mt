# Rounds in rounds.

def main(x: int):
# expected-error@+1 {{rounds are computed in the step of other rounds [iterate-place]}}
    return repeat(lambda y: iterate(lambda z: z / 2, y, 70) + 1, x, 3)
