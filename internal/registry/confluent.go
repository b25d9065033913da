package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/footfall/footfall/internal/secret"
	"github.com/footfall/footfall/pipeline/wire"
)

// confluent is a registry with Confluent's API:
// https://docs.confluent.io/platform/current/schema-registry/develop/api.html
type confluent struct {
	servers []server
	last    atomic.Int32 // the server that gave the last clear answer
}

// server is one of the servers that have the same schemas, some of them later than others.
type server struct {
	name   string // its URL, without user and password
	client *sr.Client
}

func newConfluent(o Options, urls []*url.URL) (*confluent, error) {
	t, err := transport(o.CA)
	password := secret.New(o.Password, "event.registry.passwordFile", o.PasswordFile)
	if _, unread := password.Read(); err != nil || unread != nil {
		return nil, errors.Join(err, unread)
	}
	c := new(confluent)
	for _, u := range urls {
		user, password := o.User, password
		if u.User != nil {
			own, _ := u.User.Password()
			user, password = u.User.Username(), secret.New(own, "", "")
		}
		u.User = nil
		options := []sr.ClientOpt{sr.URLs(u.String()), sr.HTTPClient(client(t)), sr.UserAgent("footfall")}
		if user != "" {
			options = append(options, sr.PreReq(func(r *http.Request) error {
				p, err := password.Read()
				r.SetBasicAuth(user, p)
				return err
			}))
		}
		s, err := sr.NewClient(options...)
		if err != nil {
			return nil, fmt.Errorf("event.registry.urls: %w", err)
		}
		c.servers = append(c.servers, server{u.String(), s})
	}
	return c, nil
}

// schema asks for a schema by its number. The registry's numbers are Java's positive int: it answers to a larger one as if there was no such
// page.
func (c *confluent) schema(ctx context.Context, id wire.ID) (s wire.Source, err error) {
	if id.Glue || id.Number > math.MaxInt32 {
		return s, fmt.Errorf("%w: ids of Confluent's registry are numbers up to %d", ErrUnknown, math.MaxInt32)
	}
	a, err := c.ask(ctx, fmt.Sprintf("/schemas/ids/%d", id.Number))
	if err != nil {
		return s, err
	}
	if s.Kind, err = a.kind(); err == nil {
		err = checkText(*a.Schema)
	}
	if err != nil {
		return s, err
	}
	s.Text = *a.Schema
	s.References, err = c.references(ctx, a, s.Kind)
	return s, err
}

// answer is what a registry says of a schema, as far as it is used.
type answer struct {
	Schema     *string              `json:"schema"`
	SchemaType string               `json:"schemaType"` // "": Avro
	References []sr.SchemaReference `json:"references"`
}

func (a answer) kind() (wire.Kind, error) {
	if a.SchemaType == "" {
		return wire.Avro, nil
	}
	return kindOf(a.SchemaType)
}

// ask asks the servers in turn until one has what is at path. If none has it, it is unknown if a server says so: a server that is down for
// long does not keep records waiting that no registry could explain.
func (c *confluent) ask(ctx context.Context, path string) (answer, error) {
	var unknown, unclear error
	last := int(c.last.Load())
	for n := range c.servers {
		at := (last + n) % len(c.servers)
		a, err := c.servers[at].ask(ctx, path)
		switch {
		case err == nil || errors.Is(err, ErrUnusable):
			c.last.Store(int32(at))
			return a, err
		case errors.Is(err, ErrUnknown) && unknown == nil:
			c.last.Store(int32(at))
			unknown = err
		case errors.Is(err, ErrUnknown):
		case unclear == nil:
			unclear = err
		default:
			unclear = fmt.Errorf("%w; %w", unclear, err)
		}
		if ctx.Err() != nil {
			return answer{}, err
		}
	}
	if unknown != nil {
		return answer{}, unknown
	}
	return answer{}, unclear
}

// ask asks the server for what is at path.
func (s server) ask(ctx context.Context, path string) (a answer, err error) {
	err = s.client.Do(ctx, http.MethodGet, path, nil, &a)
	refused, answered := errors.AsType[*sr.ResponseError](err)
	_, long := errors.AsType[*http.MaxBytesError](err)
	switch {
	case err == nil && a.Schema != nil:
		return a, nil
	case long:
		return a, fmt.Errorf("%w: %s answers with more than %d bytes", ErrUnusable, s.name, maxAnswer)
	case answered && refused.StatusCode == http.StatusNotFound && missing(refused.ErrorCode):
		return a, fmt.Errorf("%w: %s answers with error code %d", ErrUnknown, s.name, refused.ErrorCode)
	case answered:
		return a, fmt.Errorf("%s answers %d %s, error code %d%s", s.name, refused.StatusCode, http.StatusText(refused.StatusCode),
			refused.ErrorCode, advice(refused.StatusCode))
	case err == nil || isJSON(err):
		return a, fmt.Errorf("%s answers with something that is no schema: is it the URL of a schema registry?", s.name)
	}
	if asked, ok := errors.AsType[*url.Error](err); ok {
		err = asked.Err // Without the URL again.
	}
	return a, fmt.Errorf("%s: %w", s.name, err)
}

// missing reports whether an error code says that a subject, a version or a schema is missing. Apicurio says any of them of an id. A 404 with
// another code may be of a proxy, or of a wrong path.
func missing(code int) bool { return code >= 40401 && code <= 40403 }

// advice says what to do about a status.
func advice(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ": look at event.registry.user and its password, and at what the user may read"
	case http.StatusNotFound:
		return ": is event.registry.urls the URL of a schema registry?"
	}
	return ""
}

// isJSON reports whether an answer is no JSON, or other JSON than was asked for.
func isJSON(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || other
}
