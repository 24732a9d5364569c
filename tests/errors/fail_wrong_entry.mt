# entry: mian
# expected-error@1 {{no function `mian` to start from [no-entry]}}
def main():
    return 1
