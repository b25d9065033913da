// Package problem has the answers that say why there is none.
package problem

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Problem is an answer that says why there is none, as RFC 9457 has it. Errors name the parameters that are at fault.
type Problem struct{ huma.ErrorModel }

// ContentType is that of a problem, whatever format the answer was asked for in.
func (*Problem) ContentType(string) string { return ProblemType }

// ProblemType is the media type of a problem.
const ProblemType = "application/problem+json"

// huma makes the problems of parameters that it checks itself. This is its only hook for a type of our own.
func init() {
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		p := New(status, detail)
		for _, err := range errs {
			if err != nil {
				p.Add(err)
			}
		}
		return p
	}
}

// New makes a problem without errors of parameters.
func New(status int, detail string) *Problem {
	return &Problem{huma.ErrorModel{Title: http.StatusText(status), Status: status, Detail: detail}}
}

// inPath are the parameters that are parts of the path; all others are in the query.
var inPath = []string{"site", "dimension", "goal", "funnel", "session", "annotation"}

// AtFault makes a problem about one parameter.
func AtFault(parameter, value, remedy string) *Problem {
	p := New(http.StatusUnprocessableEntity, parameter+": "+remedy)
	detail := &huma.ErrorDetail{Message: remedy, Location: "query." + parameter}
	if slices.Contains(inPath, parameter) {
		detail.Location = "path." + parameter
	}
	if value != "" {
		detail.Value = value
	}
	p.Errors = []*huma.ErrorDetail{detail}
	return p
}

// Renamed has a problem name another parameter.
func Renamed(err error, from, to string) error {
	if p, ok := errors.AsType[*Problem](err); ok {
		p.Detail = strings.Replace(p.Detail, from+":", to+":", 1)
		for _, e := range p.Errors {
			e.Location = "query." + to
		}
	}
	return err
}

// Write answers with a problem where no operation does.
func Write(w http.ResponseWriter, status int, detail string) {
	New(status, detail).Write(w)
}

// Write answers with the problem.
func (p *Problem) Write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", ProblemType)
	w.WriteHeader(p.Status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.Encode(p) // The client has gone, if it fails.
}

// Quote spells a value that a client sent.
func Quote(s string) string { return strconv.QuoteToASCII(s) }
