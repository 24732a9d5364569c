" Blocks after `def …:`, and lines within brackets.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=MatchaIndent(v:lnum)
setlocal indentkeys=!^F,o,O,0),0]
setlocal autoindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< autoindent<'

if exists('*MatchaIndent')
  finish
endif

" The line without strings and comments.
function s:Code(lnum)
  return substitute(substitute(getline(a:lnum), '"[^"]*"\|''[^'']*''', '_', 'g'), '\s*#.*$', '', '')
endfunction

" How many more brackets a line opens than it closes.
function s:Depth(lnum)
  let code = s:Code(a:lnum)
  return len(substitute(code, '[^([]', '', 'g')) - len(substitute(code, '[^)\]]', '', 'g'))
endfunction

function MatchaIndent(lnum)
  let previous = prevnonblank(a:lnum - 1)
  if previous == 0
    return 0
  endif
  let indent = indent(previous) + (s:Depth(previous) > 0 ? shiftwidth() : 0)
  if getline(a:lnum) =~ '^\s*[)\]]'
    return max([indent - shiftwidth(), 0])
  endif
  " The line that a bracket which closes on the previous one was opened on.
  let first = previous
  let depth = s:Depth(previous)
  while depth < 0 && first > 1
    let first -= 1
    let depth += s:Depth(first)
  endwhile
  if first != previous
    let indent = indent(first)
  endif
  if s:Depth(previous) > 0
    return indent
  endif
  if s:Code(first) =~ '^\s*def\>' && s:Code(previous) =~ ':$'
    return indent(first) + shiftwidth()
  endif
  if s:Code(first) =~ '^\s*return\>'
    return max([indent - shiftwidth(), 0])
  endif
  return indent
endfunction
