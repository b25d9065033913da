package page

import (
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
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
	name := map[string]string{"to": links.LastDayParam, "period": "from"}[w.Name]
	if name == "" {
		name = w.Name
	}
	if name != field {
		return ""
	}
	return locale.Text(w.Message)
}

// Range reports whether it is a field of the form of the range.
func (w *WrongField) Range() bool { return w.Of("from")+w.Of(links.LastDayParam)+w.Of("tz") != "" }

// or is the value that was sent in a field; own: none was.
func (w *WrongField) or(field, own string) string {
	if w == nil || w.Values[field] == "" || field != w.Name && !w.Range() {
		return own
	}
	return locale.Text(w.Values[field])
}
