package page

import (
	"testing"
	"time"

	"github.com/footfall/footfall/query"
)

// Notes have the numbers that the list shows, from 1 on, and lie on the graph where their instants do.
func TestNotesAreNumberedAndPlaced(t *testing.T) {
	day := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	buckets := []query.Bucket{{Start: day, End: day.AddDate(0, 0, 1)}, {Start: day.AddDate(0, 0, 1), End: day.AddDate(0, 0, 2)}}
	notes := notesOf([]query.Annotation{{At: day.Add(36 * time.Hour), Text: "second"}, {At: day.Add(12 * time.Hour), Text: "first"}},
		buckets, time.UTC)
	if len(notes) != 2 || notes[0].Number != 1 || notes[1].Number != 2 {
		t.Fatalf("notes %+v, want numbers 1 and 2", notes)
	}
	if notes[0].X != 75 || notes[1].X != 25 || notes[0].Instant != "2026-05-13T12:00:00Z" || notes[1].Text != "first" {
		t.Errorf("notes %+v, want the first at 75 %% and the second at 25 %%", notes)
	}
}

// A form shows again what it sent: of a wrong field that field alone, of a wrong range all fields of the range.
func TestWrongFieldsAreShownAsSent(t *testing.T) {
	sent := map[string]string{"from": "2026-13-01", "tz": "Mars/Olympus", "against": "2027"}
	for _, c := range []struct{ wrong, field, want string }{
		{"against", "against", "2027"},
		{"against", "from", "own"},
		{"from", "from", "2026-13-01"},
		{"from", "tz", "Mars/Olympus"},
		{"from", "to", "own"},
	} {
		w := &WrongField{Name: c.wrong, Message: "not a date", Values: sent}
		if have := w.or(c.field, "own"); have != c.want {
			t.Errorf("%s is wrong: field %s shows %q, want %q", c.wrong, c.field, have, c.want)
		}
	}
	if have := (*WrongField)(nil).or("from", "own"); have != "own" {
		t.Errorf("nothing is wrong: %q, want own", have)
	}
}
