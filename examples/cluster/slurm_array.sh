#!/bin/bash
# A Slurm job array: each task runs its part of the work and writes a ledger.
#   job=$(sbatch --parsable --array=0-15 slurm_array.sh triangle.mt g.mtg parts)
#   sbatch --dependency=afterok:$job --wrap 'matcha merge parts/*.mtl'
# With a GPU for each: sbatch --parsable --array=0-15 --gpus-per-task=1 --ntasks=1 --export=ALL,MATCHA_DEVICE=cuda slurm_array.sh …
# Arguments: the program (or --pattern=P), the graph, a folder that all nodes see.
#SBATCH --cpus-per-task=8
#SBATCH --requeue
set -eu
program=$1 graph=$2 folder=$3
mkdir -p "$folder"
# Slurm's variables say which part this is. A task that is run again goes on with its ledger.
exec "${MATCHA:-matcha}" run "$program" "$graph" --shard auto --ledger "$folder/$SLURM_ARRAY_TASK_ID.mtl" \
  --threads "${SLURM_CPUS_PER_TASK:-0}" --device "${MATCHA_DEVICE:-auto}"
