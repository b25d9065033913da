package event

import (
	"bytes"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
)

func TestTimestamps(t *testing.T) {
	number := func(s string) jsonToken { return jsonToken{kind: '0', text: []byte(s)} }
	text := func(s string) jsonToken { return jsonToken{kind: '"', text: []byte(s)} }
	const refused = -1
	cases := []struct {
		name  string
		token jsonToken
		want  int64
	}{
		{"UTC", text("2026-05-12T14:03:07Z"), 1778594587000},
		{"lower case", text("2026-05-12t14:03:07z"), 1778594587000},
		{"one digit of a fraction", text("2026-05-12T14:03:07.2Z"), 1778594587200},
		{"milliseconds", text("2026-05-12T14:03:07.250Z"), 1778594587250},
		{"nanoseconds are floored", text("2026-05-12T14:03:07.250999999Z"), 1778594587250},
		{"more than nanoseconds too", text("2026-05-12T14:03:07.2509999999999999Z"), 1778594587250},
		{"an offset ahead of UTC", text("2026-05-12T19:33:07+05:30"), 1778594587000},
		{"an offset behind UTC", text("2026-05-12T10:03:07-04:00"), 1778594587000},
		{"an unknown offset", text("2026-05-12T14:03:07-00:00"), 1778594587000},
		{"the largest offset", text("2026-05-13T14:02:07+23:59"), 1778594587000},
		{"a leap day", text("2024-02-29T00:00:00Z"), 1709164800000},
		{"a leap day of a year divisible by 400", text("2000-02-29T00:00:00Z"), 951782400000},
		{"the epoch", text("1970-01-01T00:00:00Z"), 0},
		{"the epoch elsewhere", text("1969-12-31T23:00:00-01:00"), 0},
		{"the last instant", text("9999-12-31T23:59:59.999Z"), MaxTimestamp},
		{"a leap second ends its day", text("2016-12-31T23:59:60Z"), 1483228799999},
		{"a leap second with a fraction", text("2016-12-31T23:59:60.5Z"), 1483228799999},
		{"a leap second elsewhere", text("2017-01-01T00:59:60+01:00"), 1483228799999},

		{"a leap second in the middle of a day", text("2016-12-31T12:59:60Z"), refused},
		{"a leap second at another place's midnight", text("2016-12-31T23:59:60+01:00"), refused},
		{"second 61", text("2016-12-31T23:59:61Z"), refused},
		{"no zone", text("2026-05-12T14:03:07"), refused},
		{"a space for the T", text("2026-05-12 14:03:07Z"), refused},
		{"no seconds", text("2026-05-12T14:03Z"), refused},
		{"a date", text("2026-05-12"), refused},
		{"a fraction without digits", text("2026-05-12T14:03:07.Z"), refused},
		{"a comma", text("2026-05-12T14:03:07,5Z"), refused},
		{"a fraction without a zone", text("2026-05-12T14:03:07.5"), refused},
		{"an offset without a colon", text("2026-05-12T14:03:07+0200"), refused},
		{"an offset without minutes", text("2026-05-12T14:03:07+02"), refused},
		{"offset 24:00", text("2026-05-12T14:03:07+24:00"), refused},
		{"offset 00:60", text("2026-05-12T14:03:07+00:60"), refused},
		{"an offset with a letter", text("2026-05-12T14:03:07+0x:00"), refused},
		{"something behind the zone", text("2026-05-12T14:03:07Z "), refused},
		{"hour 24", text("2026-05-12T24:00:00Z"), refused},
		{"minute 60", text("2026-05-12T14:60:00Z"), refused},
		{"month 0", text("2026-00-12T14:03:07Z"), refused},
		{"month 13", text("2026-13-12T14:03:07Z"), refused},
		{"day 0", text("2026-05-00T14:03:07Z"), refused},
		{"30 February", text("2024-02-30T14:03:07Z"), refused},
		{"29 February of a common year", text("2023-02-29T14:03:07Z"), refused},
		{"29 February 2100", text("2100-02-29T14:03:07Z"), refused},
		{"31 April", text("2026-04-31T14:03:07Z"), refused},
		{"a sign before the year", text("-026-05-12T14:03:07Z"), refused},
		{"digits of another script", text("２026-05-12T14:03:07Z"), refused},
		{"a millisecond before the epoch", text("1969-12-31T23:59:59.999Z"), refused},
		{"before the epoch by its offset", text("1970-01-01T00:00:00+00:01"), refused},
		{"after the last instant by its offset", text("9999-12-31T23:59:59-00:01"), refused},
		{"year 0", text("0000-01-01T00:00:00Z"), refused},
		{"empty", text(""), refused},

		{"epoch milliseconds", number("1778594587250"), 1778594587250},
		{"the epoch in milliseconds", number("0"), 0},
		{"whole with a point", number("1778594587250.000"), 1778594587250},
		{"whole with an exponent", number("1.77859458725e12"), 1778594587250},
		{"the last millisecond", number("253402300799999"), MaxTimestamp},
		{"beyond it", number("253402300800000"), refused},
		{"far beyond it", number("9223372036854775808"), refused},
		{"a negative number", number("-1"), refused},
		{"half a millisecond", number("1778594587250.5"), refused},
		{"a huge exponent", number("1e400"), refused},
		{"digits in a string", text("1778594587250"), refused},
		{"true", jsonToken{kind: 't', text: []byte("true")}, refused},
	}
	for _, c := range cases {
		spelled := string(c.token.text)
		if c.token.kind == '"' {
			spelled = quoted(spelled)
		}
		decodeBothWays(t, recordWith("timestamp", spelled))
		got, ok := parseTimestamp(c.token)
		if !ok {
			got = refused
		}
		if got != c.want {
			t.Errorf("%s: %s is %d, want %d", c.name, c.token.text, got, c.want)
		}
	}
}

func TestEveryDayAgreesWithPackageTime(t *testing.T) {
	step := slow.Every(t, 11) // It meets each day of each month, too.
	end := time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	for day := time.Date(1970, 1, 1, 11, 59, 58, 999e6, time.UTC); day.Before(end); day = day.AddDate(0, 0, step) {
		if got, ok := parseRFC3339(day.AppendFormat(nil, time.RFC3339Nano)); !ok || got != day.UnixMilli() {
			t.Fatalf("%v is %d, %t, want %d", day, got, ok, day.UnixMilli())
		}
	}
	for year := range 10_000 {
		for month := 1; month <= 12; month++ {
			if got, want := daysIn(year, month), time.Date(year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day(); got != want {
				t.Fatalf("%d-%d has %d days, want %d", year, month, got, want)
			}
		}
	}
}

// FuzzRFC3339 holds the parser to time.Parse, which is laxer in some forms but never means another instant.
func FuzzRFC3339(f *testing.F) {
	for _, s := range []string{"2026-05-12T14:03:07.250Z", "2024-02-29t23:59:60+14:00", "1969-12-31T23:59:59.9999-00:00",
		"2026-05-12T14:03:07,5z", "0000-01-01T00:00:00Z"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		got, ok := parseRFC3339(s)
		if len(s) > 19 && bytes.Equal(s[17:19], []byte("60")) {
			return // time.Parse knows no leap seconds.
		}
		want, err := time.Parse(time.RFC3339, string(bytes.ToUpper(s)))
		if ok && (err != nil || want.UnixMilli() != got) {
			t.Fatalf("%q is %d, but time.Parse says %v, %v", s, got, want, err)
		}
		if canonical := want.Format(time.RFC3339Nano); err == nil && !ok && canonical == string(s) {
			t.Fatalf("%q is refused, but is what package time writes", s)
		}
	})
}
