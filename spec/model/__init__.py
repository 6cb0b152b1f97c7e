"""An independent model of quorate's formats, written from the standards and from the pages in `spec/`, in plain
Python. It makes the test vectors; it is slow, leaks its secrets through timing, and is for nothing else."""
