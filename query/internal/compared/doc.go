// Package compared finds the range of a question and the earlier one that it is compared with, and walks the rows of both side by side.
package compared
