package command

import "fmt"

// CodeUsage is the exit code of wrong usage.
const CodeUsage = 2

// ExitError is an error that chooses the process's exit code. Its text may be empty when all has been said.
type ExitError struct {
	Code int
	Err  error
}

// Error returns the text of the error; "": all has been said.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns the error without its exit code.
func (e *ExitError) Unwrap() error { return e.Err }

// Usagef is an error of the command line: exit code 2.
func Usagef(format string, args ...any) error {
	return &ExitError{CodeUsage, fmt.Errorf(format, args...)}
}

// The exit codes of footfall status, beside 0 for a healthy topic and [CodeUsage].
const (
	CodeUnwell     = 1
	CodeUnanswered = 3
)

// CodeUnknown is the exit code of a question about a site that was neither counted nor created, a goal that the site has never had,
// or a session that the table does not have.
const CodeUnknown = 3
