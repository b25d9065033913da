package query

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/rules"
	"github.com/footfall/footfall/sinks"
)

// An Explanation says in words what an item of the table means. Package schema makes it.
type Explanation struct {
	PK         string     `json:"pk"`
	SK         string     `json:"sk"`
	Item       string     `json:"item"`   // type of the item; "": none that this footfall knows
	Entity     string     `json:"entity"` // as the item says, otherwise as the key says
	About      string     `json:"about"`
	Generation int        `json:"generation"` // of the items, 1 unless they were rebuilt
	Key        []Fact     `json:"key"`        // what the key says, ids decoded
	Marks      []Mark     `json:"marks"`      // the steps that are folded into the item
	Attributes []Fact     `json:"attributes"` // all of them, by name
	ExpiresAt  *time.Time `json:"expiresAt"`  // null: never
	Expired    bool       `json:"expired"`    // readers leave it out, whether the store has deleted it or not
	Bytes      int        `json:"bytes"`
	WriteUnits float64    `json:"writeUnits"` // of a write to the table
	IndexUnits float64    `json:"indexUnits"` // besides, when it comes into its indexes
	Notes      []string   `json:"notes"`      // what is odd about it
}

// A Fact is a part of an item. The value is spelled as the store has it: a number in digits, bytes in base64, a list as one.
type Fact struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`  // S, N, B or L; "": a part of the key
	Value   any    `json:"value"`           // a string or a list of strings; null: it is a secret
	Meaning string `json:"meaning"`         // of the value; "": it speaks for itself
	About   string `json:"about,omitempty"` // what the attribute is; "": part of the key, or not known
}

// A Mark is the last flush of a partition and lane that an item contains.
type Mark struct {
	Lane      string `json:"lane"`
	Topic     int64  `json:"topic"` // its number in the table
	Partition int32  `json:"partition"`
	Step      int64  `json:"flush"`
}

// Item reads one item of the table, strongly, whether it has expired or not; nil when it is absent.
func (r *Reader) Item(ctx context.Context, key sinks.Key) (sinks.Item, error) {
	for _, k := range []struct {
		param, value string
		most         int
	}{{"pk", key.PK, sinks.MaxPartitionKey}, {"sk", key.SK, sinks.MaxSortKey}} {
		if err := checkID(k.param, k.value); err != nil {
			return nil, err
		}
		if len(k.value) > k.most {
			return nil, &ParamError{Param: k.param, Remedy: fmt.Sprintf("has %d bytes: keys have %d at most", len(k.value), k.most)}
		}
	}
	return r.get(ctx, key, true)
}

// SessionShards returns over how many shards the table spreads the sessions of a site.
func (r *Reader) SessionShards(ctx context.Context) (int, error) { return r.sessionShards(ctx) }

// Rules returns the last rules of a site, nil where nothing was decided about it.
func (r *Reader) Rules(ctx context.Context, site string) (*rules.Site, error) {
	k, _, err := r.stored(ctx, site)
	if err != nil {
		return nil, fmt.Errorf("rules of site %q: %w", site, err)
	}
	return k.rules, nil
}

func (a Explanation) notes() []string {
	notes := make([]string, len(a.Notes))
	for i, n := range a.Notes {
		notes[i] = clean(n) // They quote keys, which come from producers.
	}
	return notes
}

func (a Explanation) sheets() []sheet {
	kind := a.Item
	if kind == "" {
		kind = "unknown item"
	}
	summary := sheet{title: fmt.Sprintf("%s / %s: %s", a.PK, a.SK, kind),
		columns: []column{{"name", "What", false}, {"meaning", "Meaning", false}}}
	say := func(name, meaning string) {
		summary.rows = append(summary.rows, []cell{textCell(name), wholeCell(meaning)})
	}
	if a.Entity != "" {
		say("entity", a.Entity)
	}
	if a.About != "" {
		say("about", a.About)
	}
	if a.Generation > 1 {
		say("generation", fmt.Sprint(a.Generation))
	}
	for _, f := range a.Key {
		say(f.Name, cmp.Or(f.Meaning, valueText(f.Value)))
	}
	for _, m := range a.Marks {
		say("folded", fmt.Sprintf("partition %d of topic %d, lane %s: up to step %d", m.Partition, m.Topic, m.Lane, m.Step))
	}
	switch {
	case a.ExpiresAt == nil:
		say("expires", "never")
	case a.Expired:
		say("expires", "it expired at "+a.ExpiresAt.Format(time.RFC3339)+": readers leave it out")
	default:
		say("expires", a.ExpiresAt.Format(time.RFC3339))
	}
	units := fmt.Sprintf("%d bytes; write units: %g", a.Bytes, a.WriteUnits)
	if a.IndexUnits > 0 {
		units += fmt.Sprintf(", and %g more when it comes into its indexes", a.IndexUnits)
	}
	say("size", units)

	attributes := sheet{title: "Attributes", none: "There are none.", columns: []column{{"name", "Name", false},
		{"type", "Type", false}, {"value", "Value", false}, {"about", "What", false}, {"meaning", "Meaning", false}}}
	for _, f := range a.Attributes {
		attributes.rows = append(attributes.rows, []cell{textCell(f.Name), textCell(f.Type), textCell(valueText(f.Value)),
			wholeCell(f.About), wholeCell(f.Meaning)})
	}
	return []sheet{summary, attributes}
}

// valueText spells a fact's value on a line.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, ", ")
	}
	return "(secret)"
}

// wholeCell shows a text that a table must not cut.
func wholeCell(s string) cell { return cell{s, clean(s)} }
