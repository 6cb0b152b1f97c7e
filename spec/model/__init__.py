"""An independent model of quorate's formats, written from the standards and from the pages in `spec/`, in plain
Python. It generates the test vectors and has no other use: it is slow and leaks secrets through timing."""
