package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/show"
)

// unknown is a figure that is not known, or that there is none of.
const unknown = "–"

// Text is what a producer or an owner wrote, for what is made elsewhere of it.
func Text(s string) string { return text(s) }

// text is what a producer or an owner wrote, with hidden characters spelled out, and what is a mark in this package.
func text(s string) string { return spelledMarks.Replace(show.Plain(s)) }

// count spells a whole number with its thousands apart.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	mark := markThousands
	if len(digits) == 1 && len(parts) == 1 {
		mark = markThousand
	}
	return sign + strings.Join(append([]string{digits}, parts...), mark)
}

// decimal spells an exact decimal with the thousands of its whole part apart.
func decimal(s string) string {
	whole, rest, fraction := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || whole == "-0" {
		return strings.Replace(s, ".", markPoint, 1)
	}
	if fraction {
		return count(n) + markPoint + rest
	}
	return count(n)
}

// estimate spells a number of visitors, with a tilde if it is an estimate.
func estimate(n uint64, standardError float64) string {
	if standardError > 0 {
		return "~" + count(int64(n))
	}
	return count(int64(n))
}

// percent spells a part of 1.
func percent(r float64) string { return decimals(100*r, 1) + " %" }

// decimals spells a number to a number of decimal places.
func decimals(x float64, places int) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', places, 64)
	sign := ""
	if x < 0 && strings.Trim(s, "0.") != "" {
		sign = "−"
	}
	return sign + strings.Replace(s, ".", markPoint, 1)
}

// units spells a number of read units.
func units(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), ".", markPoint, 1)
}

// span spells milliseconds in the two largest units.
func span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < 10*time.Second {
		return decimals(d.Seconds(), 1) + "s"
	}
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh %02dm", int(d.Hours()), int(d.Minutes())%60)
}

// signed puts a plus before what has grown.
func signed(x float64, spelled string) string {
	if x > 0 {
		return "+" + spelled
	}
	return spelled
}
