// Package registry asks schema registries for schemas by id: servers with the API of Confluent's Schema Registry, which Karapace, Redpanda
// and Apicurio (under /apis/ccompat) have too, or AWS Glue.
//
//	options.go     what is configured, and what is wrong with it
//	confluent.go   the servers of a registry, asked in turn
//	references.go  the schemas that a schema needs
//	glue.go        AWS Glue
//	transport.go   what both bound: time, bytes, redirects
//
// Requests to Confluent's API are made by franz-go's package sr, with a client per server. Its own list of servers is not used: it asks the
// next one only if a connection fails. Nor are its methods per endpoint: they do not tell an unknown kind of schema from a damaged answer.
// It reads bodies whole, so that the transport bounds them.
package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/pipeline/wire"
)

var (
	// ErrUnknown reports that the registry has no schema with the id, or that it cannot have one.
	ErrUnknown = errors.New("the registry has no such schema")

	// ErrUnusable reports a schema that the registry has, and that no record can be read with: it is too large, of an unknown kind, not
	// available, or its references are missing, too many or in a circle.
	ErrUnusable = errors.New("unusable schema")
)

// Client asks one registry. Safe for concurrent use.
type Client struct{ registry source }

// source is a registry of either kind.
type source interface {
	schema(ctx context.Context, id wire.ID) (wire.Source, error)
}

// New makes a client, without a request. The error names every option that is wrong.
func New(o Options) (*Client, error) {
	urls, err := o.parse()
	if err != nil {
		return nil, err
	}
	var s source
	if urls[0].Scheme == schemeGlue {
		s, err = newGlue(context.Background(), urls[0].Host)
	} else {
		s, err = newConfluent(o, urls)
	}
	if err != nil {
		return nil, err
	}
	return &Client{s}, nil
}

// Schema asks for a schema and the schemas that it references. Each server is asked once, for up to 10 seconds a request. An error that
// wraps neither ErrUnknown nor ErrUnusable is no clear answer, as of a server that is down or refuses the credentials: ask again later.
func (c *Client) Schema(ctx context.Context, id wire.ID) (wire.Source, error) {
	s, err := c.registry.schema(ctx, id)
	switch {
	case err == nil:
		return s, nil
	case ctx.Err() != nil && !final(err):
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return wire.Source{}, fmt.Errorf("schema %s: %w", id, err)
}

// final reports whether an error is a clear answer.
func final(err error) bool { return errors.Is(err, ErrUnknown) || errors.Is(err, ErrUnusable) }

// kindOf returns the kind that a registry names.
func kindOf(name string) (wire.Kind, error) {
	switch kind := wire.Kind(name); kind {
	case wire.Avro, wire.Protobuf, wire.JSON:
		return kind, nil
	}
	return "", fmt.Errorf("%w: its kind is %.40q, not AVRO, PROTOBUF or JSON", ErrUnusable, name)
}

// checkText refuses a text that is too large.
func checkText(text string) error {
	if len(text) > maxText {
		return fmt.Errorf("%w: its text has %d bytes, more than %d", ErrUnusable, len(text), maxText)
	}
	return nil
}
