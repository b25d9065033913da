package query

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Answers and their rows print what %v and %+v of fmt would, but that they follow pointers, spell instants in RFC 3339, and leave out
// fields that are zero. This is for people who debug; programs read the fields, or JSON.

func (a SitesAnswer) String() string        { return readable(a) }
func (a SitesFiguresAnswer) String() string { return readable(a) }
func (a SiteAnswer) String() string         { return readable(a) }
func (a StatsAnswer) String() string        { return readable(a) }
func (a UniquesAnswer) String() string      { return readable(a) }
func (a TopAnswer) String() string          { return readable(a) }
func (a RealtimeAnswer) String() string     { return readable(a) }
func (a SessionsAnswer) String() string     { return readable(a) }
func (a SessionAnswer) String() string      { return readable(a) }
func (a EventsAnswer) String() string       { return readable(a) }
func (a GoalsAnswer) String() string        { return readable(a) }
func (a GoalAnswer) String() string         { return readable(a) }
func (a GoalStatsAnswer) String() string    { return readable(a) }
func (a ConversionsAnswer) String() string  { return readable(a) }
func (a FunnelsAnswer) String() string      { return readable(a) }
func (a FunnelAnswer) String() string       { return readable(a) }
func (a FunnelReportAnswer) String() string { return readable(a) }

func (a FilteredStatsAnswer) String() string   { return readable(a) }
func (a FilteredUniquesAnswer) String() string { return readable(a) }
func (a FilteredTopAnswer) String() string     { return readable(a) }
func (a FilteredGoalsAnswer) String() string   { return readable(a) }
func (g FilteredGoal) String() string          { return readable(g) }
func (r FilteredTopRow) String() string        { return readable(r) }
func (f FilteredFigures) String() string       { return readable(f) }
func (b FilteredBucket) String() string        { return readable(b) }
func (r FilterReport) String() string          { return readable(r) }
func (c FilterCost) String() string            { return readable(c) }

func (f Figures) String() string     { return readable(f) }
func (b Bucket) String() string      { return readable(b) }
func (p Previous) String() string    { return readable(p) }
func (c Changes) String() string     { return readable(c) }
func (r TopRow) String() string      { return readable(r) }
func (c TopCounts) String() string   { return readable(c) }
func (n TopNone) String() string     { return readable(n) }
func (s Site) String() string        { return readable(s) }
func (s SiteFigures) String() string { return readable(s) }
func (s Session) String() string     { return readable(s) }
func (e Event) String() string       { return readable(e) }
func (g Goal) String() string        { return readable(g) }
func (s FunnelStep) String() string  { return readable(s) }

// readable spells a value as the methods above say.
func readable(v any) string {
	var b strings.Builder
	spell(&b, reflect.ValueOf(v))
	return b.String()
}

func spell(b *strings.Builder, v reflect.Value) {
	if t, ok := v.Interface().(time.Time); ok {
		b.WriteString(t.Format(time.RFC3339Nano))
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		spell(b, v.Elem())
	case reflect.Struct:
		b.WriteByte('{')
		spellFields(b, v, "")
		b.WriteByte('}')
	case reflect.Slice:
		if bytes, ok := v.Interface().(interface{ MarshalJSON() ([]byte, error) }); ok { // Raw JSON.
			text, _ := bytes.MarshalJSON()
			b.Write(text)
			return
		}
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			spell(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprint(b, v.Interface())
	}
}

// spellFields writes the exported fields that are not zero, those of embedded structs among them, and returns what comes before the next.
func spellFields(b *strings.Builder, v reflect.Value, between string) string {
	for i := range v.NumField() {
		field, of := v.Type().Field(i), v.Field(i)
		switch {
		case !field.IsExported() || of.IsZero():
		case field.Anonymous && of.Kind() == reflect.Struct:
			between = spellFields(b, of, between)
		default:
			b.WriteString(between + field.Name + ":")
			spell(b, of)
			between = " "
		}
	}
	return between
}
