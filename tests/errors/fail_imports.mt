# Modules beside the program.
from lib.cycle_a import a
from lib.good import three

# expected-error@+1 {{there is no module `lib.missing` [unknown-module]}}
from lib.missing import f

def main():
    return a() + three() + f()
