"""The cases, one module per vector file. Each has `book()`."""
