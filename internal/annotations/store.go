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

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/sinks"
)

var kind = entered.Kind[Annotation]{Name: "annotation", Command: "annotate", Max: MaxPerSite, Key: sinks.Keys{}.Annotation,
	List: sinks.Keys{}.Annotations, Item: Annotation.Item, Read: Read}

// Store writes the annotations of a table. Safe for concurrent use.
type Store entered.Writer

// Create keeps a new annotation of a site that is known, unless the site has MaxPerSite, which is an *entered.FullError.
func (s *Store) Create(ctx context.Context, site string, at time.Time, text string) (Annotation, error) {
	a := Annotation{Site: site, At: entered.Instant(at), Text: text, CreatedAt: entered.Instant(s.Now()), CreatedBy: s.By}
	if err := a.Validate(); err != nil {
		return Annotation{}, err
	}
	id, err := ulid.New(uint64(a.At.UnixMilli()), rand.Reader) //nolint:gosec // Validate has refused instants before 1970.
	if err != nil {
		return Annotation{}, fmt.Errorf("create an annotation: %w", err)
	}
	a.ID = id.String()
	return kind.Create(ctx, s.Table, site, a.ID, a)
}

// Delete removes an annotation. One that is not there is an *entered.UnknownError.
func Delete(ctx context.Context, t sinks.Table, site, id string) error {
	return kind.Delete(ctx, t, site, id)
}

// DeleteAll removes all annotations of a site, and says how many. Repeating it is safe.
func DeleteAll(ctx context.Context, t sinks.Table, site string) (n int64, err error) {
	return kind.DeleteAll(ctx, t, site, nil)
}

// DeleteNaming removes the annotations of a site whose text names an id of a person, and says how many. Repeating it is safe.
func DeleteNaming(ctx context.Context, t sinks.Table, site, id string) (n int64, err error) {
	return kind.DeleteAll(ctx, t, site, func(it sinks.Item) bool { return names(it[sinks.AttrText].Str(), id) })
}

// Naming returns the items of the annotations that DeleteNaming would remove.
func Naming(ctx context.Context, t sinks.Table, site, id string) iter.Seq2[sinks.Item, error] {
	return func(yield func(sinks.Item, error) bool) {
		for it, err := range kind.Items(ctx, t, site, true) {
			if (err != nil || names(it[sinks.AttrText].Str(), id)) && !yield(it, err) {
				return
			}
		}
	}
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
