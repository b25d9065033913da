// Package registry asks schema registries for schemas by id: AWS Glue, or servers with the API of Confluent's Schema Registry. Karapace,
// Redpanda and Apicurio (under /apis/ccompat) have that API, too.
//
// Requests to Confluent's API go through franz-go's package sr. There is a client per server, since a client of several servers asks the
// next one only if a connection fails. The package's methods per endpoint are not used: their errors do not distinguish an unknown kind of
// schema from a damaged answer. The package reads bodies whole, therefore the transport bounds them.
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

	// ErrUnusable reports a schema that the registry has and footfall cannot use. It is too large, of an unknown kind or not available, or
	// its references are missing, too many or circular.
	ErrUnusable = errors.New("unusable schema")
)

// Client asks one registry. Safe for concurrent use.
type Client struct {
	schema func(context.Context, wire.ID) (wire.Source, error)
}

// New makes a client. It sends nothing. Its error names every option that is wrong.
func New(o Options) (*Client, error) {
	urls, err := o.parse()
	if err != nil {
		return nil, err
	}
	if urls[0].Scheme == schemeGlue {
		g, err := newGlue(context.Background(), urls[0].Host)
		if err != nil {
			return nil, err
		}
		return &Client{g.schema}, nil
	}
	c, err := newConfluent(o, urls)
	if err != nil {
		return nil, err
	}
	return &Client{c.schema}, nil
}

// Schema asks for a schema and the schemas that it references. It sends each request once to each server, until one answers. A request
// takes up to 10 seconds. An error that wraps neither ErrUnknown nor ErrUnusable is no clear answer: ask again later. A server may be down,
// or refuse the credentials.
func (c *Client) Schema(ctx context.Context, id wire.ID) (wire.Source, error) {
	s, err := c.schema(ctx, id)
	if err == nil {
		return s, nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return wire.Source{}, fmt.Errorf("schema %s: %w", id, err)
}

// usable returns a schema if its kind is known and its text is not too large.
func usable(kind wire.Kind, text string) (wire.Source, error) {
	switch kind {
	case wire.Avro, wire.Protobuf, wire.JSON:
	default:
		return wire.Source{}, fmt.Errorf("%w: its kind is %.40q, not AVRO, PROTOBUF or JSON", ErrUnusable, kind)
	}
	if len(text) > maxText {
		return wire.Source{}, fmt.Errorf("%w: its text has %d bytes, more than %d", ErrUnusable, len(text), maxText)
	}
	return wire.Source{Kind: kind, Text: text}, nil
}
