package show

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxCell is how much of a text a table shows, in characters.
const maxCell = 60

// clean makes a text safe for a terminal: ids and pages come from producers, and must neither move the cursor nor
// reverse the line. Unprintable characters are escaped, long texts truncated.
func clean(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == ' ' || unicode.IsPrint(r) && r != unicode.ReplacementChar {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

func textCell(s string) cell {
	shown := []rune(clean(s))
	if len(shown) > maxCell {
		shown = append(shown[:maxCell-1], '…')
	}
	return cell{s, string(shown)}
}

// whole returns a cell of a text or number that people see as whole as programs do; one without a text says so.
func (c cell) whole() cell {
	if c.csv == "" {
		return unknown
	}
	return cell{c.csv, clean(c.csv)}
}

func intCell[N int | int64 | uint64](n N) cell {
	s := fmt.Sprint(n)
	return cell{s, s}
}

// unknown is a figure that there is none of.
var unknown = cell{"", "-"}

// knownCell shows a number that may not be known: nil.
func knownCell(n *int64) cell {
	if n == nil {
		return unknown
	}
	return intCell(*n)
}

// estimateCell shows a number of visitors, nil where it is not known, and marks for people one that is an estimate, with an
// error above 0.
func estimateCell(n *uint64, standardError float64) cell {
	if n == nil {
		return unknown
	}
	c := intCell(*n)
	if standardError > 0 {
		c.table = "~" + c.table
	}
	return c
}

// aboutEstimates says what estimateCell marks, given the greatest error; "": it has marked nothing.
func aboutEstimates(standardError float64) string {
	if standardError == 0 {
		return ""
	}
	percent := math.Round(1e4*standardError) / 100 // 1.63 for 1.625, where %.2f prints 1.62
	return fmt.Sprintf(estimatesBegin+" are estimates with a standard error of %.2f %%.", percent)
}

// estimatesBegin begins what aboutEstimates says, which ends a legend.
const estimatesBegin = "Some numbers of visitors (~)"

// withUsedLegend leaves out of the legend what it says about estimates, if no column that people see has one.
func (s sheet) withUsedLegend() sheet {
	before, _, found := strings.Cut(s.legend, estimatesBegin)
	if !found || slices.ContainsFunc(slices.Concat(s.rows, s.footers), s.shownEstimate) {
		return s
	}
	s.legend = strings.TrimSpace(before)
	return s
}

// shownEstimate reports whether people see an estimate in a row.
func (s sheet) shownEstimate(row []cell) bool {
	for i, c := range row {
		if s.columns[i].title != "" && strings.HasPrefix(c.table, "~") {
			return true
		}
	}
	return false
}

func percentCell(r *float64) cell {
	if r == nil {
		return unknown
	}
	return cell{strconv.FormatFloat(*r, 'f', -1, 64), strconv.FormatFloat(*r*100, 'f', 1, 64) + " %"}
}

func ratioCell(r *float64) cell {
	if r == nil {
		return unknown
	}
	return cell{strconv.FormatFloat(*r, 'f', -1, 64), strconv.FormatFloat(*r, 'f', 2, 64)}
}

func durationCell(ms *int64) cell {
	if ms == nil {
		return unknown
	}
	d := time.Duration(*ms) * time.Millisecond
	shown := d.Round(time.Second).String()
	if d < 10*time.Second {
		shown = d.Round(100 * time.Millisecond).String()
	}
	return cell{strconv.FormatInt(*ms, 10), shown}
}

// exactDuration shows a duration to the millisecond.
func exactDuration(ms int64) cell {
	return cell{strconv.FormatInt(ms, 10), (time.Duration(ms) * time.Millisecond).String()}
}

// timeCell shows an instant in its zone; layout is for people.
func timeCell(t *time.Time, layout string) cell {
	if t == nil {
		return unknown
	}
	return cell{t.Format(time.RFC3339Nano), t.Format(layout)}
}

// parametersCell shows the query parameters that are kept; nil: as configured.
func parametersCell(names *string) cell {
	if names == nil {
		return unknown
	}
	return textCell(*names)
}

// daysCell shows a retention in days; nil: as configured, less than 0: for ever.
func daysCell(days *int64) cell {
	switch {
	case days == nil:
		return unknown
	case *days < 0:
		return cell{strconv.FormatInt(*days, 10), "never"}
	}
	return intCell(*days)
}

func boolCell(b bool) cell {
	if b {
		return cell{"true", "yes"}
	}
	return cell{"false", "no"}
}
