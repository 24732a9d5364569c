#!/bin/bash
# The ranks of an MPI job share one run; the first prints the answer: mpi.sh RANKS PROGRAM GRAPH
# Under Slurm, in a job: srun --mpi=pmix matcha run PROGRAM GRAPH --mpi
# MPIRUN has the launcher with its options, such as "mpirun --hostfile hosts".
set -eu
ranks=$1 program=$2 graph=$3
exec ${MPIRUN:-mpirun} -n "$ranks" "${MATCHA:-matcha}" run "$program" "$graph" --mpi --threads "${THREADS:-0}"
