autocmd BufRead,BufNewFile *.mt setfiletype matcha
