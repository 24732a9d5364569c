" Settings for Matcha programs.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s
setlocal expandtab shiftwidth=4 softtabstop=4
setlocal suffixesadd=.mt
setlocal include=^\\s*from
setlocal includeexpr=substitute(v:fname,'\\.','/','g')
" `gq` formats; on a program with syntax errors undo it and read them with `:make`.
if executable('matcha')
  setlocal formatprg=matcha\ fmt\ -
  setlocal makeprg=matcha\ check\ --color=never\ %:S
  setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%-G%.%#
endif

let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth< softtabstop< suffixesadd<'
      \ . ' include< includeexpr< formatprg< makeprg< errorformat<'
