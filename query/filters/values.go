package filters

import (
	"slices"
	"strings"
)

// splitValues reads the values that follow an operator, separated by commas. A value in quotation marks may have commas, and doubles
// its own quotation marks. remedy says what is wrong; "": nothing.
func splitValues(text string) (values []string, remedy string) {
	several := false
	for {
		var value, rest string
		var more bool
		quoted := strings.HasPrefix(text, `"`)
		if quoted {
			value, rest = cutQuoted(text[1:])
			if more = strings.HasPrefix(rest, ","); !more && rest != "" || len(value)+len(rest)+1 == len(text) {
				return nil, `a quotation mark is missing: write "a,b" for a value with a comma, and "" for a quotation mark in it`
			}
			value, rest = strings.ReplaceAll(value, `""`, `"`), strings.TrimPrefix(rest, ",")
		} else {
			value, rest, more = strings.Cut(text, ",")
		}
		several = several || more
		switch {
		case quoted || !several:
		case value == "":
			return nil, `a comma separates values, and one is missing: write "" for what has none, or leave the comma out`
		case strings.TrimSpace(value) != value:
			return nil, `a comma separates values: quote a value with a comma, as in "a, b", or leave the blank out`
		}
		if values = append(values, value); !more {
			slices.Sort(values)
			return slices.Compact(values), ""
		}
		text = rest
	}
}

// cutQuoted returns what comes before the quotation mark that ends a value, and after it. Without one, it returns the whole text twice.
func cutQuoted(text string) (value, rest string) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '"':
		case strings.HasPrefix(text[i+1:], `"`):
			i++
		default:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// joinValues spells values as splitValues reads them: each once, in the order of their bytes.
func joinValues(values []string) string {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	spelled := make([]string, len(values))
	for i, v := range values {
		if strings.Contains(v, ",") || strings.HasPrefix(v, `"`) || strings.TrimSpace(v) != v || v == "" && len(values) > 1 {
			v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
		}
		spelled[i] = v
	}
	return strings.Join(spelled, ",")
}
