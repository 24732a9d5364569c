#!/bin/bash
# Parts of a run side by side on this machine, then the answer: parallel.sh PARTS PROGRAM GRAPH FOLDER
# With GNU parallel, several hosts: parallel --sshlogin a,b matcha run PROGRAM GRAPH --shard {}/PARTS --ledger FOLDER/{}.mtl
set -eu
parts=$1 program=$2 graph=$3 folder=$4
matcha=${MATCHA:-matcha}
mkdir -p "$folder"
seq 0 $((parts - 1)) | xargs -P "${JOBS:-2}" -I{} \
  "$matcha" run "$program" "$graph" --shard "{}/$parts" --ledger "$folder/{}.mtl" --threads 1 >&2
"$matcha" merge "$folder"/*.mtl
