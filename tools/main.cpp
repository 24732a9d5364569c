#include "tools/cli.h"

int main(int argc, char** argv) { return matcha::tools::run_command_line(argc, argv); }
