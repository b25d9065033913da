package mapping

import (
	"strings"
	"unicode"
)

// spelling says how messages name what a [Config] has: as settings of a configuration (event.timeUnit: s) if it is true, and as flags
// (--time-unit s) if not.
type spelling bool

// name spells the name of a flag.
func (s spelling) name(flag string) string {
	if !s {
		return "--" + flag
	}
	var b strings.Builder
	b.WriteString("event.")
	for i, r := range flag {
		switch {
		case r == '-':
		case i > 0 && flag[i-1] == '-':
			b.WriteRune(unicode.ToUpper(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// with spells a flag with its value. A switch has none.
func (s spelling) with(flag, value string) string {
	between := " "
	if s {
		between = ": "
	}
	if value == "" && bool(s) {
		value = "true"
	}
	return strings.TrimSuffix(s.name(flag)+between+value, " ")
}

// record is what messages call what is mapped.
func (s spelling) record() string {
	if s {
		return "record"
	}
	return "line"
}
