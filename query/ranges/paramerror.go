package ranges

import "fmt"

// ParamError reports a question with parameters that have no answer. The caller must change them.
type ParamError struct {
	Param  string // as the command line names it: site, from, limit, ...
	Value  string // that was given; "": none, or it is not worth showing
	Remedy string // what is wrong and what to give instead
}

func (e *ParamError) Error() string {
	if e.Value == "" {
		return e.Param + ": " + e.Remedy
	}
	return fmt.Sprintf("%s %q: %s", e.Param, e.Value, e.Remedy)
}
