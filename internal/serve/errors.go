package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// problemOf returns what an error of a question is to the client. What only the operator can mend is logged, and named in general.
func (s *server) problemOf(ctx context.Context, err error) *problem.Problem {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p
	}
	if filter, ok := errors.AsType[*query.FilterError](err); ok && len(filter.Where) > 0 {
		return problem.New(http.StatusUnprocessableEntity, filter.Error())
	}
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		return problem.AtFault(parameterOf(wrong.Param), wrong.Value, wrong.Remedy)
	}
	if missing, ok := errors.AsType[*query.FunnelNotFoundError](err); ok {
		return problem.New(http.StatusNotFound, missing.Error())
	}
	if raw, ok := errors.AsType[*query.RawEventsError](err); ok {
		return problem.New(http.StatusUnprocessableEntity, raw.Error())
	}
	if limit, ok := errors.AsType[*reads.LimitError](err); ok {
		return problem.New(http.StatusUnprocessableEntity, limit.Error())
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return problem.New(http.StatusUnprocessableEntity,
			"the answer took longer than "+s.limits.Time.String()+": ask for a shorter range or fewer rows")
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, reads.ErrUnwanted) {
		return problem.New(http.StatusServiceUnavailable, "the request was cancelled: ask again")
	}
	// Cause: The table did not answer, refused the request, is missing, or has a damaged item; `error` names it. Remedy: Mend what it names;
	// `footfall doctor --role serve` checks the table and the permissions.
	s.log.ErrorContext(ctx, "a question was not answered", "error", err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return problem.New(http.StatusServiceUnavailable, "the table did not answer in time: ask again later")
	case errors.Is(err, sinks.ErrThrottled):
		return problem.New(http.StatusServiceUnavailable, "the table refuses reads for lack of capacity: ask again later")
	case errors.Is(err, sinks.ErrNoTable), errors.Is(err, sinks.ErrDenied), errors.Is(err, sinks.ErrUnknownOutcome):
		return problem.New(http.StatusServiceUnavailable, "the table cannot be read: the log of this server has the reason")
	}
	return problem.New(http.StatusInternalServerError, "the question was not answered: the log of this server has the reason")
}

// parameterOf returns the API's name of a parameter of package query, which has the command line's.
func parameterOf(name string) string {
	words := strings.Split(name, "-")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
