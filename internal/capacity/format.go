package capacity

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// clean makes a key fit for a terminal: sites name themselves, and must not move the cursor.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// count spells a number of things, thousands apart.
func count(n float64) string {
	s := strconv.FormatFloat(n, 'f', 0, 64)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// rate spells a rate with as many digits as it has meaning.
func rate(n float64) string {
	if n >= 100 {
		return count(n)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}

// millionth spells dollars by a million events; a dash where there are none.
func millionth(dollars *float64) string {
	if dollars == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *dollars)
}
