// Package strptime reads layouts of times as the C library has them.
package strptime

import (
	"fmt"
	"strings"
)

// directives are those of strptime, as Go writes them.
var directives = map[byte]string{'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05",
	'p': "PM", 'b': "Jan", 'h': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday", 'j': "002", 'z': "-0700", 'Z': "MST", 'f': "000000",
	'F': "2006-01-02", 'T': "15:04:05", 'D': "01/02/06", 'R': "15:04", '%': "%"}

// Layout is a layout with the directives of strptime (%Y-%m-%d %H:%M:%S), as Go has it.
func Layout(layout string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			b.WriteByte(layout[i])
			continue
		}
		i++
		if i == len(layout) || directives[layout[i]] == "" {
			return "", fmt.Errorf("%q: %q is no directive that is read: choose of %%Y %%m %%d %%H %%M %%S %%f %%b %%B %%p %%I %%j "+
				"%%z %%Z", layout, layout[i-1:min(i+1, len(layout))])
		}
		b.WriteString(directives[layout[i]])
	}
	return b.String(), nil
}
