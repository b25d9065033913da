package registry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/footfall/footfall/pipeline/wire"
)

// resolution collects the schemas that a schema needs.
type resolution struct {
	registry *confluent
	bytes    int
	done     map[string]bool // by name; false: its own references are being resolved
	found    []wire.Reference
}

// references returns the schemas that a schema needs, directly or through others: each after those that it needs itself, and each name
// once. If a name is used for several versions, the first one counts, as in Confluent's clients.
func (c *confluent) references(ctx context.Context, text string, direct []sr.SchemaReference) ([]wire.Reference, error) {
	r := resolution{registry: c, bytes: len(text), done: make(map[string]bool)}
	err := r.resolve(ctx, direct)
	return r.found, err
}

func (r *resolution) resolve(ctx context.Context, references []sr.SchemaReference) error {
	for _, ref := range references {
		done, met := r.done[ref.Name]
		switch {
		case done:
			continue
		case met:
			return fmt.Errorf("%w: its reference %.200q leads back to itself", ErrUnusable, ref.Name)
		case len(r.done) == maxReferences:
			return fmt.Errorf("%w: it needs more than %d other schemas", ErrUnusable, maxReferences)
		}
		r.done[ref.Name] = false
		a, err := r.registry.version(ctx, ref)
		if err != nil {
			return fmt.Errorf("reference %.200q, version %d of subject %.200q: %w", ref.Name, ref.Version, ref.Subject, err)
		}
		if r.bytes += len(*a.Schema); r.bytes > maxTotal {
			return fmt.Errorf("%w: it and its references have more than %d bytes", ErrUnusable, maxTotal)
		}
		if err := r.resolve(ctx, a.References); err != nil {
			return err
		}
		r.found = append(r.found, wire.Reference{Name: ref.Name, Text: *a.Schema})
		r.done[ref.Name] = true
	}
	return nil
}

// version asks for a version of a subject, also for a deleted one: others may still need it.
func (c *confluent) version(ctx context.Context, ref sr.SchemaReference) (answer, error) {
	version := strconv.Itoa(ref.Version)
	switch {
	case ref.Version == -1:
		version = "latest"
	case ref.Version < 1 || ref.Name == "" || ref.Subject == "":
		return answer{}, fmt.Errorf("%w: the reference is incomplete", ErrUnusable)
	}
	a, err := c.ask(sr.WithParams(ctx, sr.ShowDeleted), "/subjects/"+url.PathEscape(ref.Subject)+"/versions/"+version)
	if errors.Is(err, ErrUnknown) {
		return a, fmt.Errorf("%w: %v", ErrUnusable, err) //nolint:errorlint // The schema that needs it is known.
	}
	if err == nil {
		_, err = a.usable()
	}
	return a, err
}
