package rawlog

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/sinks"
)

// appendValue appends the value of a record that has the event of an item. A producer may have spelled it in another way.
func appendValue(b []byte, it sinks.Item) ([]byte, error) {
	b = append(b, `{"siteId":`...)
	b, err := jsontext.AppendQuote(b, it[sinks.AttrSiteID].Str())
	if err != nil {
		return b, unreadable(it, sinks.AttrSiteID, err)
	}
	b = append(b, `,"timestamp":`...)
	b = strconv.AppendInt(b, it["timestamp"].Int(), 10)
	for _, name := range pack.Names {
		text := it[name]
		if text.Kind() == sinks.None || name == sinks.AttrBot {
			continue
		}
		b = append(append(append(b, `,"`...), name...), `":`...)
		if name == "value" || name == "properties" { // They are JSON.
			b = append(b, text.Str()...)
		} else if b, err = jsontext.AppendQuote(b, text.Str()); err != nil {
			return b, unreadable(it, name, err)
		}
	}
	return append(b, '}'), nil
}

func unreadable(it sinks.Item, field string, err error) error {
	return fmt.Errorf("%s of the raw event at %s / %s: %w", field, it.Key().PK, it.Key().SK, err)
}
