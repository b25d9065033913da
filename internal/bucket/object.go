package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Open reads an object. A body that is cut is continued where it ended, if the object is still the same. The first request is sent by the
// first Read.
func (c *Client) Open(ctx context.Context, o Object) io.ReadCloser {
	return &body{ctx: ctx, client: c, object: o}
}

type body struct {
	ctx    context.Context // of all requests: io.Reader has none
	client *Client
	object Object
	part   io.ReadCloser // nil: the next request is to be sent
	match  string        // ETag
	at     int64         // bytes that were read
	failed int           // since the last byte
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	for {
		if b.part == nil {
			if err := b.request(); err != nil {
				return 0, err
			}
		}
		n, err := b.part.Read(p)
		b.at += int64(n)
		switch {
		case n > 0:
			b.failed = 0
		case err == io.EOF || b.ctx.Err() != nil:
			return 0, err
		case err != nil:
			if b.failed++; b.failed == attempts {
				return 0, err
			}
		}
		if err != nil && err != io.EOF {
			_ = b.Close() // It was cut: what it says is known.
		}
		if n > 0 {
			return n, nil
		}
	}
}

// request asks for what was not read yet.
func (b *body) request() error {
	q := request{key: b.object.Key, match: b.match}
	if b.at > 0 {
		q.span = fmt.Sprintf("bytes=%d-", b.at)
	}
	response, err := b.client.repeat(b.ctx, q) //nolint:bodyclose // Close closes it.
	if refused, ok := errors.AsType[*Error](err); ok && refused.Code == "PreconditionFailed" {
		return fmt.Errorf("the object was replaced while it was read: %w", err)
	}
	if err != nil {
		return err
	}
	b.part, b.match = response.Body, response.Header.Get("ETag")
	if b.at > 0 && response.StatusCode != http.StatusPartialContent {
		return errors.Join(errors.New("S3 answers with the whole object, and its rest was asked for"), b.Close())
	}
	return nil
}

// Close ends the request.
func (b *body) Close() error {
	if b.part == nil {
		return nil
	}
	part := b.part
	b.part = nil
	return part.Close()
}
