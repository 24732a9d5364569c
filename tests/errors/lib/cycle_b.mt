# expected-error@+1 {{`lib.cycle_a` imports itself, perhaps through others [import-cycle]}}
from lib.cycle_a import a

def b():
    return 1
