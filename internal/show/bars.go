package show

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// ticks are the heights of a sparkline, and parts of a bar's last character, in eighths.
var (
	ticks  = []rune("▁▂▃▄▅▆▇█")
	blocks = []rune("▏▎▍▌▋▊▉█")
)

// spark draws values as columns of eight heights, the greatest the highest; 0 is a blank. "": all are 0.
func spark(values []float64) string {
	if len(values) == 0 || slices.Max(values) <= 0 {
		return ""
	}
	most := slices.Max(values)
	var b strings.Builder
	for _, v := range values {
		if v <= 0 {
			b.WriteByte(' ')
		} else {
			b.WriteRune(ticks[min(7, int(8*v/most))])
		}
	}
	return b.String()
}

// bar draws a part of a whole as a line of at most width characters. Any part above 0 is seen.
func bar(part, whole float64, width int) string {
	if part <= 0 || whole <= 0 {
		return ""
	}
	eighths := max(1, int(math.Round(8*float64(width)*part/whole)))
	text := strings.Repeat(string(blocks[7]), eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string(blocks[rest-1])
	}
	return text
}

// sparkColumn is the name of the column of sparklines.
const sparkColumn = "days"

// Bars are at least and at most as wide.
const leastBar, mostBar = 8, 30

// drawn returns the sheet with a bar in each row, as far as a terminal of that width has room for it. The bars are of the numbers of the
// column barOf.
func (s sheet) drawn(width int) sheet {
	of := slices.IndexFunc(s.columns, func(c column) bool { return c.name == s.barOf })
	room := min(mostBar, width-s.width()-padding)
	if s.barOf == "" || of < 0 || s.fixed || room < leastBar {
		return s
	}
	values, most := make([]float64, len(s.rows)), 0.0
	for i, row := range s.rows {
		values[i], _ = strconv.ParseFloat(row[of].csv, 64) // Unknown: no bar.
		most = max(most, values[i])
	}
	if most <= 0 {
		return s
	}
	columns := make([]int, len(s.columns))
	for i := range columns {
		columns[i] = i
	}
	s = s.at(columns)
	s.columns = append(s.columns, column{})
	for i := range s.rows {
		s.rows[i] = append(s.rows[i], cell{"", bar(values[i], most, room)})
	}
	for i := range s.footers {
		s.footers[i] = append(s.footers[i], cell{})
	}
	return s
}
