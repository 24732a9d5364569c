Creator "x"
graph
[
  directed 1
  node [ id 1 label "x&amp;y" ]
 node [ id 2 label "B" graphics [ x 1 ] ]
 edge [ source 1 target 2 label "z" ]
]
