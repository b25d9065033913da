package registry

import (
	"cmp"
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

// confluent is a registry with Confluent's API: https://docs.confluent.io/platform/current/schema-registry/develop/api.html
type confluent struct {
	servers []server
	last    atomic.Int32 // the server that gave the last clear answer
}

// server is one of several with the same schemas. A follower may have a new schema later than the others.
type server struct {
	name   string // its URL, without user and password
	client *sr.Client
}

func newConfluent(o Options, urls []*url.URL) (*confluent, error) {
	t, err := transport(o.CA)
	common := secret.New(o.Password, "event.registry.passwordFile", o.PasswordFile)
	if _, unread := common.Read(); err != nil || unread != nil {
		return nil, errors.Join(err, unread)
	}
	c := new(confluent)
	for _, u := range urls {
		user, password := o.User, common
		if u.User != nil {
			own, _ := u.User.Password()
			user, password = u.User.Username(), secret.New(own, "", "")
		}
		u.User = nil
		options := []sr.ClientOpt{sr.URLs(u.String()), sr.HTTPClient(httpClient(t)), sr.UserAgent("footfall")}
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

// schema asks for a schema by its number. The numbers of a registry are Java's int: to a larger one it answers as to a wrong path.
func (c *confluent) schema(ctx context.Context, id wire.ID) (s wire.Source, err error) {
	if id.Glue || id.Number > math.MaxInt32 {
		return s, fmt.Errorf("%w: ids of Confluent's registry are numbers up to %d", ErrUnknown, math.MaxInt32)
	}
	a, err := c.ask(ctx, fmt.Sprintf("/schemas/ids/%d", id.Number))
	if err != nil {
		return s, err
	}
	if s, err = a.usable(); err != nil {
		return s, err
	}
	s.References, err = c.references(ctx, s.Text, a.References)
	return s, err
}

// answer is what is used of an answer.
type answer struct {
	Schema     *string              `json:"schema"`
	SchemaType wire.Kind            `json:"schemaType"` // "": Avro
	References []sr.SchemaReference `json:"references"`
}

func (a answer) usable() (wire.Source, error) {
	return usable(cmp.Or(a.SchemaType, wire.Avro), *a.Schema)
}

// ask asks the servers in turn until one has what is at path. It is unknown if one server says so and none has it, though others do not
// answer: a server that is down for days must not stop each partition in which a value names a made-up id.
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
		case !errors.Is(err, ErrUnknown):
			unclear = errors.Join(unclear, err)
		case unknown == nil:
			c.last.Store(int32(at))
			unknown = err
		}
		if ctx.Err() != nil && n < len(c.servers)-1 {
			return answer{}, errors.Join(unclear, errors.New("other servers were not asked"))
		}
	}
	if unknown != nil {
		return answer{}, unknown
	}
	return answer{}, unclear
}

// ask asks the server for what is at path.
func (s server) ask(ctx context.Context, path string) (a answer, err error) {
	var said []byte
	err = s.client.Do(ctx, http.MethodGet, path, nil, &said)
	refused, answered := errors.AsType[*sr.ResponseError](err)
	switch {
	case err == nil && (json.Unmarshal(said, &a) != nil || a.Schema == nil):
		return a, fmt.Errorf("the answer of %s is not a schema: check that event.registry.urls names a schema registry", s.name)
	case err == nil:
		return a, nil
	case answered && refused.StatusCode == http.StatusNotFound && missing(refused.ErrorCode):
		return a, fmt.Errorf("%w: %s answers with error code %d", ErrUnknown, s.name, refused.ErrorCode)
	case answered:
		return a, fmt.Errorf("%s answers %d %s, error code %d: check %s", s.name, refused.StatusCode, http.StatusText(refused.StatusCode),
			refused.ErrorCode, suspect(refused.StatusCode))
	}
	return a, unanswered(s.name, err)
}

// suspect is what a refusal of a server makes an operator check.
func suspect(status int) string {
	switch status {
	case http.StatusNotFound:
		return "the path of event.registry.urls"
	case http.StatusUnauthorized, http.StatusForbidden:
		return "event.registry.user and its password"
	}
	return "the server"
}

// missing reports whether an error code means that a subject (40401), a version or a schema (40403) does not exist. Apicurio answers with
// any of them to an unknown id. A 404 with another code is from a proxy, or for a wrong path.
func missing(code int) bool { return code >= 40401 && code <= 40403 }
