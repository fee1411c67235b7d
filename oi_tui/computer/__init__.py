"""Run code on this machine: kernels, shells, what they print. See `computer.Computer`."""
