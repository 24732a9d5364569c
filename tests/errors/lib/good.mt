def three():
    return 3
