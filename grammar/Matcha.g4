// The grammar of Matcha. frontend/syntax/tokens.cpp turns line breaks and leading spaces into NEWLINE, INDENT and DEDENT and
// drops LINE_BREAK, SPACE and COMMENT; the parser never sees those. README.md beside this file is the language reference.
grammar Matcha;

tokens { INDENT, DEDENT, NEWLINE }

program
    : docstring? importStmt* def* EOF
    ;

importStmt
    : FROM dotted IMPORT NAME (COMMA NAME)* NEWLINE
    ;

dotted
    : NAME (DOT NAME)*
    ;

def
    : DEF NAME OPEN_PAREN params? CLOSE_PAREN (ARROW type)? COLON suite
    ;

params
    : param (COMMA param)* COMMA?
    ;

param
    : NAME (COLON type)? (ASSIGN expr)?
    ;

suite
    : simpleStmt
    | NEWLINE INDENT statement+ DEDENT
    ;

statement
    : simpleStmt
    | def
    ;

simpleStmt
    : assignment
    | returnStmt
    | docstring
    ;

assignment
    : NAME ASSIGN expr NEWLINE
    ;

returnStmt
    : RETURN expr NEWLINE
    ;

docstring
    : string NEWLINE
    ;

type
    : (INT_TYPE | FLOAT_TYPE | BOOL_TYPE | GRAPH_TYPE)
    | VAR_TYPE LESS type GREATER
    | TUPLE_TYPE LESS type (COMMA INT | (COMMA type)+) GREATER
    | LIST_TYPE LESS type GREATER
    | TABLE_TYPE LESS type COMMA type GREATER
    ;

expr
    : lambda
    | disjunction (IF disjunction ELSE expr)?
    ;

lambda
    : LAMBDA lambdaParams? COLON expr
    ;

lambdaParams
    : NAME (COMMA NAME)* COMMA?
    ;

disjunction
    : conjunction (OR conjunction)*
    ;

conjunction
    : negation (AND negation)*
    ;

negation
    : NOT* comparison
    ;

comparison
    : arithmetic (comparator arithmetic)*
    ;

comparator
    : EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL
    ;

arithmetic
    : term ((PLUS | MINUS) term)*
    ;

term
    : factor ((STAR | SLASH | PERCENT) factor)*
    ;

factor
    : (PLUS | MINUS)* call
    ;

call
    : atom arguments*
    ;

arguments
    : OPEN_PAREN (argument (COMMA argument)* COMMA?)? CLOSE_PAREN
    ;

argument
    : NAME ASSIGN expr
    | expr
    ;

atom
    : NAME
    | INT
    | FLOAT
    | TRUE
    | FALSE
    | NONE
    | string
    | type
    | OPEN_BRACKET (expr (COMMA expr)* COMMA?)? CLOSE_BRACKET
    | OPEN_PAREN expr (COMMA expr)* COMMA? CLOSE_PAREN
    ;

string
    : LONG_STRING
    | STRING
    ;

// Words
FROM: 'from';
IMPORT: 'import';
DEF: 'def';
RETURN: 'return';
LAMBDA: 'lambda';
IF: 'if';
ELSE: 'else';
AND: 'and';
OR: 'or';
NOT: 'not';
TRUE: 'True';
FALSE: 'False';
NONE: 'None';
INT_TYPE: 'int';
FLOAT_TYPE: 'float';
BOOL_TYPE: 'bool';
VAR_TYPE: 'Var';
TUPLE_TYPE: 'Tuple';
LIST_TYPE: 'List';
TABLE_TYPE: 'Table';
GRAPH_TYPE: 'Graph';

// Signs
ARROW: '->';
EQUAL: '==';
NOT_EQUAL: '!=';
LESS_EQUAL: '<=';
GREATER_EQUAL: '>=';
LESS: '<';
GREATER: '>';
ASSIGN: '=';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
COMMA: ',';
COLON: ':';
DOT: '.';
OPEN_PAREN: '(';
CLOSE_PAREN: ')';
OPEN_BRACKET: '[';
CLOSE_BRACKET: ']';

NAME: [A-Za-z_] [A-Za-z_0-9]*;

INT
    : [1-9] ('_'? [0-9])*
    | '0' ('_'? '0')*
    | '0' [xX] ('_'? [0-9a-fA-F])+
    | '0' [oO] ('_'? [0-7])+
    | '0' [bB] ('_'? [01])+
    ;

FLOAT
    : DIGITS '.' DIGITS? EXPONENT?
    | '.' DIGITS EXPONENT?
    | DIGITS EXPONENT
    ;

fragment DIGITS: [0-9] ('_'? [0-9])*;
fragment EXPONENT: [eE] [+\-]? DIGITS;

// Longest match: what begins like a number and goes on like a word is no number.
BAD_NUMBER: [0-9] [A-Za-z_0-9]*;

LONG_STRING
    : '"""' .*? '"""'
    | '\'\'\'' .*? '\'\'\''
    ;

STRING
    : '"' ~["\r\n]* '"'
    | '\'' ~['\r\n]* '\''
    ;

OPEN_STRING
    : '"' ~["\r\n]*
    | '\'' ~['\r\n]*
    ;

COMMENT: '#' ~[\r\n]*;
LINE_BREAK: '\r'? '\n' | '\r';
SPACE: [ \t\f]+;
UNKNOWN: .;
