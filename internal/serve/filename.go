package serve

import (
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/page/links"
)

// longestName is how many bytes of a site's id, and of what is asked of it, the name of a file has.
const longestName = 80

// disposition has a browser keep an answer as CSV in a file named SITE-LIST-FROM-TO.csv; "": the answer has another format. FROM and TO are
// the first and last day of the range, if the answer has one.
func (a asked) disposition(answer any) string {
	if !strings.HasPrefix(a.accept, formats["csv"]) {
		return ""
	}
	var segments []string
	for _, s := range strings.Split(strings.TrimPrefix(a.url.EscapedPath(), base+"/"), "/") {
		if plain, err := url.PathUnescape(s); err == nil {
			s = plain
		}
		segments = append(segments, links.Unspelled(s))
	}
	names := []string{strings.Join(segments, "-")}
	if segments[0] == "sites" && len(segments) > 1 {
		names = []string{segments[1], strings.Join(segments[2:], "-")}
	}
	from, to, ok := rangeDates(answer)
	if ok {
		names = append(names, from, to)
	}
	var parts []string
	for _, name := range names {
		if name != "" {
			parts = append(parts, safeName(name))
		}
	}
	return `attachment; filename="` + strings.Join(parts, "-") + `.csv"`
}

// rangeDates returns the first and last day of an answer's range, with times if it begins within a day.
func rangeDates(answer any) (from, to string, ok bool) {
	v := reflect.ValueOf(answer)
	if v.Kind() != reflect.Struct {
		return "", "", false
	}
	instant := func(name string) (t time.Time) {
		if f := v.FieldByName(name); f.IsValid() && f.CanInterface() {
			t, _ = f.Interface().(time.Time)
		}
		return t
	}
	first, end := instant("From"), instant("To")
	if first.IsZero() || !first.Before(end) {
		return "", "", false
	}
	if first.Equal(time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, first.Location())) {
		return first.Format(time.DateOnly), end.Add(-time.Nanosecond).Format(time.DateOnly), true
	}
	const minutes = time.DateOnly + "T1504"
	return first.Format(minutes), end.Format(minutes), true
}

// safeName is a text as every file system takes it: letters and digits of ASCII, dots, hyphens and underscores, not hidden.
func safeName(s string) string {
	safe := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-_", r) {
			return r
		}
		return '_'
	}, s)
	if strings.HasPrefix(safe, ".") || strings.HasPrefix(safe, "-") {
		safe = "_" + safe[1:]
	}
	return safe[:min(len(safe), longestName)]
}
