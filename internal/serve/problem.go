package serve

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
func (*Problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

// huma makes the problems of parameters that it checks itself. This is its only hook for a type of our own.
func init() {
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		p := problem(status, detail)
		for _, err := range errs {
			if err != nil {
				p.Add(err)
			}
		}
		return p
	}
}

// problem makes a problem without errors of parameters.
func problem(status int, detail string) *Problem {
	return &Problem{huma.ErrorModel{Title: http.StatusText(status), Status: status, Detail: detail}}
}

// inPath are the parameters that are parts of the path; all others are in the query.
var inPath = []string{"site", "dimension", "goal", "funnel", "session", "annotation"}

// atFault makes a problem about one parameter.
func atFault(parameter, value, remedy string) *Problem {
	p := problem(http.StatusUnprocessableEntity, parameter+": "+remedy)
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

// renamed has a problem name another parameter.
func renamed(err error, from, to string) error {
	if p, ok := errors.AsType[*Problem](err); ok {
		p.Detail = strings.Replace(p.Detail, from+":", to+":", 1)
		for _, e := range p.Errors {
			e.Location = "query." + to
		}
	}
	return err
}

// writeProblem answers with a problem where no operation does.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	problem(status, detail).write(w)
}

// write answers with the problem.
func (p *Problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.Encode(p) // The client has gone, if it fails.
}

// quoted spells a value that a client sent.
func quoted(s string) string { return strconv.QuoteToASCII(s) }
