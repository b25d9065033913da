package lists

import (
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/page/locale"
)

// NoneText is what a list calls events without a value. Without a referrer, visits are direct, or their source is not known.
func NoneText(dimension string) string {
	if dimension == "referrer" {
		return locale.Say(DirectRow)
	}
	return locale.Say(NoneRow)
}

// RowText is a value as a list of a dimension shows it; "" are events without a value.
func RowText(dimension, value string) string {
	if value == "" {
		return NoneText(dimension)
	}
	if dimension == "country" && locale.IsCountry(value) {
		return locale.Country(value)
	}
	if IsHost(dimension) && strings.Contains(value, "xn--") {
		return locale.Host(value)
	}
	return ValueText(value)
}

// IsHost reports whether the values of a dimension are hosts.
func IsHost(dimension string) bool { return dimension == "referrer" || dimension == "hostname" }

// CodeOf is the code that a list has beside the name of a value; "": it has none.
func CodeOf(dimension, value string) string {
	if dimension == "country" && locale.IsCountry(value) {
		return value
	}
	return ""
}

// What lists have in the place of a value: values that are not shown, and events without a value.
const OthersRow, NoneRow, DirectRow = "(others)", "(none)", "Direct / none"

// ValueText is a value as a list shows it. One that is spelled as a row of several values is quoted.
func ValueText(value string) string {
	if value == OthersRow || value == NoneRow || value == DirectRow {
		return strconv.Quote(value)
	}
	return locale.Text(value)
}
