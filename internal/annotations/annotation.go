package annotations

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/sinks"
)

// MaxText is the greatest size of a text in bytes.
const MaxText = 1000

// MaxPerSite is how many annotations a site has at most. All of them together are at most some 1.3 MB: who erases a person reads them all.
const MaxPerSite = 1000

// An Annotation is a note about an instant of a site.
type Annotation struct {
	Site      string
	ID        string    // a ULID that begins with At
	At        time.Time // to the millisecond, 1970 to 9999
	Text      string    // valid UTF-8, 1 to MaxText bytes; any characters: readers show them as text
	CreatedAt time.Time
	CreatedBy string // for people
}

// Validate reports what is wrong with an annotation that is to be created.
func (a Annotation) Validate() error {
	switch {
	case a.Site == "":
		return errors.New("no site is named: name one")
	case a.Text == "":
		return errors.New("text: it is empty: write what happened")
	case len(a.Text) > MaxText:
		return fmt.Errorf("text: it has %d bytes: write at most %d", len(a.Text), MaxText)
	case !utf8.ValidString(a.Text):
		return errors.New("text: it is not valid UTF-8: write it in that encoding")
	case a.At.Year() < 1970 || a.At.Year() > 9999:
		return fmt.Errorf("at %s: outside the years 1970 to 9999: name an instant within them", a.At.Format(time.RFC3339))
	}
	return nil
}

// Item is the item of an annotation.
func (a Annotation) Item() sinks.Item {
	it := entered.Head(sinks.Keys{}.Annotation(a.Site, a.ID), sinks.EntityAnnotation, a.Site)
	it[sinks.AttrAnnotationID], it[sinks.AttrAt], it[sinks.AttrText] = sinks.Str(a.ID), sinks.Int(a.At.UnixMilli()), sinks.Str(a.Text)
	it[sinks.AttrCreatedAt], it[sinks.AttrCreatedBy] = sinks.Int(a.CreatedAt.UnixMilli()), sinks.Str(a.CreatedBy)
	return it
}

// Read reads the item of an annotation. One that does not fit its id is an error.
func Read(it sinks.Item) (Annotation, error) {
	a := Annotation{Site: it[sinks.AttrSiteID].Str(), ID: it[sinks.AttrAnnotationID].Str(), At: time.UnixMilli(it[sinks.AttrAt].Int()).UTC(),
		Text: it[sinks.AttrText].Str(), CreatedAt: time.UnixMilli(it[sinks.AttrCreatedAt].Int()).UTC(), CreatedBy: it[sinks.AttrCreatedBy].Str()}
	err := a.Validate()
	if id, wrong := ulid.ParseStrict(a.ID); err == nil && (wrong != nil || int64(id.Time()) != a.At.UnixMilli()) {
		err = fmt.Errorf("id %q is not one of %s", a.ID, a.At.Format(time.RFC3339Nano))
	}
	if err != nil {
		return Annotation{}, fmt.Errorf("annotation %s: %w; footfall annotate delete removes it", it.Key().SK, err)
	}
	return a, nil
}
