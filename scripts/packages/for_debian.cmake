# Changes installed files to what Debian wants: libraries come from packages, and are not looked for beside programs;
# zsh looks for completions of packages in a folder of their own.

file(GLOB_RECURSE files LIST_DIRECTORIES FALSE "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(file IN LISTS files)
  if(NOT IS_SYMLINK "${file}" AND file MATCHES "/(bin/matcha|libmatcha\\.so[.0-9]*)$")
    file(RPATH_REMOVE FILE "${file}")
  endif()
endforeach()
foreach(file IN LISTS files)
  if(file MATCHES "/zsh/site-functions/_matcha$")
    string(REGEX REPLACE "/site-functions/_matcha$" "" folder "${file}")
    file(RENAME "${folder}/site-functions" "${folder}/vendor-completions")
  endif()
endforeach()
