package rawevents

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// exportedTexts are the text fields of an event, in the order in which they are written after its time.
var exportedTexts = func() []string {
	all := []string{"id", sinks.AttrVisitorID, sinks.AttrSessionID, sinks.AttrUserID, "url", "referrer", "title", "userAgent", sinks.AttrName}
	for _, d := range figures.Given {
		all = append(all, figures.Dimensions[d].Name)
	}
	return all
}()

// AppendJSON appends the event of an item as a line of JSON: its time in RFC 3339 to the millisecond, its value as the number
// that was summed, exact, its properties as they came, but for ends of lines between them, which become blanks. Fields that it
// has not are left out.
func AppendJSON(b []byte, it sinks.Item) ([]byte, error) {
	text := func(name, value string) (err error) {
		b = append(append(append(b, '"'), name...), `":`...)
		b, err = jsontext.AppendQuote(b, value)
		b = append(b, ',')
		return err
	}
	b = append(b, '{')
	for _, f := range [...][2]string{{"siteId", it[sinks.AttrSiteID].Str()}, {"type", it["type"].Str()},
		{"timestamp", calendar.Instant(it["timestamp"].Int()).Format("2006-01-02T15:04:05.000Z07:00")}} {
		if err := text(f[0], f[1]); err != nil {
			return b, unreadable(it, f[0], err)
		}
	}
	for _, name := range exportedTexts {
		if it[name].Kind() == sinks.None {
			continue
		}
		if err := text(name, it[name].Str()); err != nil {
			return b, unreadable(it, name, err)
		}
	}
	for _, name := range [...]string{"value", "properties"} {
		if it[name].Kind() == sinks.None {
			continue
		}
		raw := it[name].Str()
		if !json.Valid([]byte(raw)) {
			return b, unreadable(it, name, fmt.Errorf("%.32q is no JSON", raw))
		}
		b = append(append(append(b, '"'), name...), `":`...)
		b = append(append(b, oneLine.Replace(raw)...), ',')
	}
	b[len(b)-1] = '}'
	return append(b, '\n'), nil
}

// oneLine takes ends of lines from JSON. They cannot be in its texts, which spell them \n.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

func unreadable(it sinks.Item, field string, err error) error {
	return fmt.Errorf("%s of the event at %s / %s: %w", field, it.Key().PK, it.Key().SK, err)
}
