# expected-error@1 {{the program has no function [no-entry]}}
