package annotations

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/sinks"
)

// Store writes the annotations of a table. Safe for concurrent use.
type Store struct {
	Table sinks.Table
	Keys  sinks.Keys
	By    string // who writes, for people
	Now   func() time.Time
}

// UnknownError reports that a site has no annotation of that id.
type UnknownError struct{ Site, ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("site %q has no annotation %q: `footfall annotate list` lists the ids", e.Site, e.ID)
}

// FullError reports that a site has as many annotations as it may have.
type FullError struct{ Site string }

func (e *FullError) Error() string {
	return fmt.Sprintf("site %q has %d annotations, which is as many as a site may have: delete some; `footfall annotate list` lists them",
		e.Site, MaxPerSite)
}

// Create keeps a new annotation, unless the site has MaxPerSite, which is a *FullError. Calls at the same time may exceed the bound by as
// many as they are.
func (s *Store) Create(ctx context.Context, site string, at time.Time, text string) (Annotation, error) {
	a := Annotation{Site: site, At: time.UnixMilli(at.UnixMilli()).UTC(), Text: text, CreatedAt: time.UnixMilli(s.Now().UnixMilli()).UTC(),
		CreatedBy: s.By}
	if err := a.Validate(); err != nil {
		return Annotation{}, err
	}
	if err := s.checkRoom(ctx, site); err != nil {
		return Annotation{}, err
	}
	id, err := ulid.New(uint64(a.At.UnixMilli()), rand.Reader) //nolint:gosec // Validate has refused instants before 1970.
	if err != nil {
		return Annotation{}, fmt.Errorf("create an annotation: %w", err)
	}
	a.ID = id.String()
	if _, err := s.Table.Put(ctx, sinks.Put{Item: a.Item(s.Keys)}); err != nil { // Nothing else has that id: a repetition writes the same.
		return Annotation{}, fmt.Errorf("create an annotation: %w", err)
	}
	return a, nil
}

// checkRoom returns an error if the site has as many annotations as it may have.
func (s *Store) checkRoom(ctx context.Context, site string) error {
	n := 0
	for _, err := range s.of(ctx, site) {
		if err != nil {
			return fmt.Errorf("count the annotations of site %q: %w", site, err)
		}
		if n++; n >= MaxPerSite {
			return &FullError{site}
		}
	}
	return nil
}

// Delete removes an annotation. One that is not there is an *UnknownError, also when an earlier call has removed it.
func (s *Store) Delete(ctx context.Context, site, id string) error {
	r, err := s.Table.Delete(ctx, sinks.Delete{Key: s.Keys.Annotation(site, id), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}})
	switch {
	case err != nil:
		return fmt.Errorf("delete annotation %q: %w: repeating it is safe", id, err)
	case r.Refused:
		return &UnknownError{site, id}
	}
	return nil
}

// DeleteAll removes all annotations of a site, and says how many. Repeating it is safe.
func (s *Store) DeleteAll(ctx context.Context, site string) (n int64, err error) {
	return s.deleteWhere(ctx, site, func(sinks.Item) bool { return true })
}

// DeleteNaming removes the annotations of a site whose text names an id of a person, and says how many. Repeating it is safe.
func (s *Store) DeleteNaming(ctx context.Context, site, id string) (n int64, err error) {
	return s.deleteWhere(ctx, site, func(it sinks.Item) bool { return names(it[sinks.AttrText].Str(), id) })
}

// Naming returns the items of the annotations that DeleteNaming would remove.
func (s *Store) Naming(ctx context.Context, site, id string) iter.Seq2[sinks.Item, error] {
	return func(yield func(sinks.Item, error) bool) {
		for it, err := range s.of(ctx, site) {
			if err != nil {
				yield(nil, fmt.Errorf("read the annotations of site %q: %w", site, err))
				return
			}
			if names(it[sinks.AttrText].Str(), id) && !yield(it, nil) {
				return
			}
		}
	}
}

func (s *Store) of(ctx context.Context, site string) iter.Seq2[sinks.Item, error] {
	pk, prefix := s.Keys.Annotations(site)
	return sinks.Items(ctx, s.Table, sinks.Query{PK: pk, Prefix: prefix, Consistent: true})
}

func (s *Store) deleteWhere(ctx context.Context, site string, chosen func(sinks.Item) bool) (n int64, err error) {
	for it, err := range s.of(ctx, site) {
		if err != nil {
			return n, fmt.Errorf("read the annotations of site %q: %w", site, err)
		}
		if !chosen(it) {
			continue
		}
		if _, err := s.Table.Delete(ctx, sinks.Delete{Key: it.Key()}); err != nil {
			return n, fmt.Errorf("delete the annotations of site %q: %w", site, err)
		}
		n++
	}
	return n, nil
}

// names reports whether a text has an id that is no part of a longer word.
func names(text, id string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], id)
		if i < 0 || id == "" {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(id):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		from = i + size
	}
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
