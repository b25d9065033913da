package page

import (
	"maps"
	"net/url"
	"slices"
)

// A WrongField is a field of a form whose value cannot be used, and why. The page shows what it showed before.
type WrongField struct {
	Name    string            // the parameter
	Message string            // what to write instead
	Values  map[string]string // that the form sent
}

// Of says what is wrong with a field; "": nothing. A range that was named in another way is the first day's fault.
func (w *WrongField) Of(field string) string {
	if w == nil {
		return ""
	}
	name := map[string]string{"to": LastDayParam, "period": "from"}[w.Name]
	if name == "" {
		name = w.Name
	}
	if name != field {
		return ""
	}
	return text(w.Message)
}

// Range reports whether it is a field of the form of the range.
func (w *WrongField) Range() bool { return w.Of("from")+w.Of(LastDayParam)+w.Of("tz") != "" }

// or is the value that was sent in a field; own: none was.
func (w *WrongField) or(field, own string) string {
	if w == nil || w.Values[field] == "" || field != w.Name && !w.Range() {
		return own
	}
	return text(w.Values[field])
}

// shown is the range of the address, as ShownParam has it.
func (a Address) shown() string {
	values := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		if slices.Contains([]string{"from", "to", "period", "tz", "by"}, name) && a.Values[name] != "" {
			values.Set(name, a.Values[name])
		}
	}
	return values.Encode()
}
