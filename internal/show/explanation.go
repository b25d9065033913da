package show

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

func (a explanationView) notes() []string {
	notes := make([]string, len(a.Notes))
	for i, n := range a.Notes {
		notes[i] = clean(n) // They quote keys, which come from producers.
	}
	return notes
}

func (a explanationView) sheets() []sheet {
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
		say("folded", fmt.Sprintf("partition %d of topic %d, lane %s: up to flush %d", m.Partition, m.Topic, m.Lane, m.Step))
	}
	switch {
	case a.ExpiresAt == nil:
		say("expires", "never")
	case a.Expired:
		say("expires", "expired at "+a.ExpiresAt.Format(time.RFC3339)+"; readers leave it out")
	default:
		say("expires", a.ExpiresAt.Format(time.RFC3339))
	}
	units := fmt.Sprintf("%d bytes; write units: %g", a.Bytes, a.WriteUnits)
	if a.IndexUnits > 0 {
		units += fmt.Sprintf(", and %g more when it comes into its index", a.IndexUnits)
	}
	say("size", units)

	attributes := sheet{title: "Attributes", none: "None.", columns: []column{{"name", "Name", false},
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
