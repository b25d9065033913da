package registry

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/footfall/footfall/pipeline/wire"
)

// resolution collects the schemas that a schema needs.
type resolution struct {
	registry *confluent
	kind     wire.Kind
	bytes    int
	done     map[string]bool // by name; false: its own references are being resolved
	found    []wire.Reference
}

// references returns the schemas that one needs, also through others: each after those that it needs itself, and once by its name. Where a
// name stands for several versions, the first one that is met serves, as with Confluent's clients.
func (c *confluent) references(ctx context.Context, of answer, kind wire.Kind) ([]wire.Reference, error) {
	r := resolution{registry: c, kind: kind, bytes: len(*of.Schema), done: make(map[string]bool)}
	err := r.resolve(ctx, of.References)
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
		if err == nil {
			err = r.check(a)
		}
		if err != nil {
			return fmt.Errorf("reference %.200q, version %d of subject %.200q: %w", ref.Name, ref.Version, ref.Subject, err)
		}
		if err := r.resolve(ctx, a.References); err != nil {
			return err
		}
		r.found = append(r.found, wire.Reference{Name: ref.Name, Text: *a.Schema})
		r.done[ref.Name] = true
	}
	return nil
}

// check refuses a schema that the others cannot use, or that is too much.
func (r *resolution) check(a answer) error {
	kind, err := a.kind()
	if err != nil {
		return err
	}
	if kind != r.kind {
		return fmt.Errorf("%w: its kind is %s, and %s needs it", ErrUnusable, kind, r.kind)
	}
	if r.bytes += len(*a.Schema); r.bytes > maxTotal {
		return fmt.Errorf("%w: it and its references have more than %d bytes", ErrUnusable, maxTotal)
	}
	return checkText(*a.Schema)
}

// latest is the version of a reference to whichever is the last.
const latest = -1

// version asks for a version of a subject, also for a deleted one, which other schemas still need.
func (c *confluent) version(ctx context.Context, ref sr.SchemaReference) (answer, error) {
	if ref.Name == "" || ref.Subject == "" || ref.Version < 1 && ref.Version != latest {
		return answer{}, fmt.Errorf("%w: it has no name, no subject or no version", ErrUnusable)
	}
	version := fmt.Sprint(ref.Version)
	if ref.Version == latest {
		version = "latest"
	}
	a, err := c.ask(sr.WithParams(ctx, sr.ShowDeleted), "/subjects/"+url.PathEscape(ref.Subject)+"/versions/"+version)
	if errors.Is(err, ErrUnknown) {
		return a, fmt.Errorf("%w: %v", ErrUnusable, err) //nolint:errorlint // The schema itself is known.
	}
	return a, err
}
