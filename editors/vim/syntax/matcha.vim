" Matcha programs.
if exists('b:current_syntax')
  finish
endif

syntax keyword matchaInclude from import
syntax keyword matchaStatement def return lambda
syntax keyword matchaConditional if else
syntax keyword matchaLogical and or not
syntax keyword matchaConstant True False None
syntax keyword matchaType int float bool Var Tuple List Table Graph
syntax match matchaFunction '\(\<def\s\+\)\@<=\h\w*'
syntax match matchaOperator '\<\(mk_tuple\|get\|mk_list\|mk_graph\|neighbor\|sources\|labels\|edge_info\|vertex_label\|vertices\|edges\|arcs\|symmetric\|has_edge\|apply\|intersect\|diff\|sum\|size\|min\|max\|any\|all\|flatten\|range\|sort\|top\|sum_by\|count_by\|min_by\|max_by\|keys\|values\|subgraph\|iterate\|repeat\|log\|sqrt\)\>\ze\s*('
syntax match matchaNumber '\<\d[0-9_]*\>'
syntax match matchaNumber '\<0[xX][0-9a-fA-F_]\+\>\|\<0[oO][0-7_]\+\>\|\<0[bB][01_]\+\>'
syntax match matchaFloat '\<\d[0-9_]*\.\(\d[0-9_]*\)\?\([eE][+-]\?\d[0-9_]*\)\?'
syntax match matchaFloat '\(\w\|\.\)\@<!\.\d[0-9_]*\([eE][+-]\?\d[0-9_]*\)\?\|\<\d[0-9_]*[eE][+-]\?\d[0-9_]*\>'
syntax region matchaString start=+"""+ end=+"""+ keepend
syntax region matchaString start=+'''+ end=+'''+ keepend
syntax match matchaString +\("""\)\@!"[^"]*"+
syntax match matchaString +\('''\)\@!'[^']*'+
syntax match matchaComment '#.*$' contains=@Spell
syntax sync minlines=100

highlight default link matchaInclude Include
highlight default link matchaStatement Statement
highlight default link matchaConditional Conditional
highlight default link matchaLogical Operator
highlight default link matchaConstant Constant
highlight default link matchaType Type
highlight default link matchaFunction Function
highlight default link matchaOperator Function
highlight default link matchaNumber Number
highlight default link matchaFloat Float
highlight default link matchaString String
highlight default link matchaComment Comment

let b:current_syntax = 'matcha'
