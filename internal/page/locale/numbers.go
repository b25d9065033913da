package locale

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Unknown is a figure that is not known, or that there is none of.
const Unknown = "–"

// Count spells a whole number with its thousands apart.
func Count(n int64) string {
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

// Decimal spells an exact decimal with the thousands of its whole part apart.
func Decimal(s string) string {
	whole, rest, fraction := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || whole == "-0" {
		return strings.Replace(s, ".", markPoint, 1)
	}
	if fraction {
		return Count(n) + markPoint + rest
	}
	return Count(n)
}

// Estimate spells a number of visitors, with a tilde if it is an estimate.
func Estimate(n uint64, standardError float64) string {
	if standardError > 0 {
		return "~" + Count(int64(n))
	}
	return Count(int64(n))
}

// Percent spells a part of 1.
func Percent(r float64) string { return Decimals(100*r, 1) + " %" }

// Decimals spells a number to a number of decimal places.
func Decimals(x float64, places int) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', places, 64)
	sign := ""
	if x < 0 && strings.Trim(s, "0.") != "" {
		sign = "−"
	}
	return sign + strings.Replace(s, ".", markPoint, 1)
}

// Units spells a number of read units.
func Units(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), ".", markPoint, 1)
}

// Span spells milliseconds in the two largest units.
func Span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < 10*time.Second {
		return Decimals(d.Seconds(), 1) + "s"
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

// Signed puts a plus before what has grown.
func Signed(x float64, spelled string) string {
	if x > 0 {
		return "+" + spelled
	}
	return spelled
}

// Change spells a relative change in whole percent, where there is little room.
func Change(by float64) (spelled, trend string) {
	spelled = Signed(by, Decimals(100*by, 0)+" %")
	switch {
	case by >= 0.005:
		return spelled, "better"
	case by <= -0.005:
		return spelled, "worse"
	}
	return "0 %", "same"
}
