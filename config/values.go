package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Lateness is a span that can be Off.
type Lateness time.Duration

// Off is the lateness of a pipeline that rejects nothing as too late. It is spelled off.
const Off Lateness = -1

// String spells the span as a configuration does.
func (l Lateness) String() string {
	if l == Off {
		return "off"
	}
	return spell(time.Duration(l))
}

// Gap is a span that can be NoVisits.
type Gap time.Duration

// NoVisits is the gap of a pipeline that finds no visits. It is spelled off.
const NoVisits Gap = 0

// String spells the span as a configuration does.
func (g Gap) String() string {
	if g == NoVisits {
		return "off"
	}
	return spell(time.Duration(g))
}

// Days is a number of days, or Never.
type Days int64

// Never is the retention of items that do not expire. It is spelled never.
const Never Days = -1

// String spells the days as a configuration does.
func (d Days) String() string {
	if d == Never {
		return "never"
	}
	return strconv.FormatInt(int64(d), 10) + "d"
}

// RawEvents says how raw events are kept: one of the constants below.
type RawEvents string

// How raw events are kept.
const (
	RawItems  RawEvents = "items"  // each is an item
	RawPacked RawEvents = "packed" // those of a flush, a site and a shard lie in compressed items, packs
	RawOff    RawEvents = "off"    // they are not
)

// Kept reports whether raw events are kept.
func (r RawEvents) Kept() bool { return r != RawOff }

func parseList(text string) (list []string, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return nil, fmt.Errorf("%q has an empty entry: leave it out, with its comma", text)
		}
		list = append(list, part)
	}
	return list, nil
}

func parseBool(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("%q is neither true nor false: choose one", text)
	}
	return text == "true", nil
}

func parseRawEvents(text string) (RawEvents, error) {
	switch text {
	case "items", "true":
		return RawItems, nil
	case "packed":
		return RawPacked, nil
	case "off", "false":
		return RawOff, nil
	}
	return "", fmt.Errorf("%q is unknown: choose items, packed or off", text)
}

func parseInt(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number: write one as in 5000", text)
	}
	return n, nil
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration: write one as in 500ms, 60s, 10m or 48h", text)
	}
	return d, nil
}

func parseLateness(text string) (Lateness, error) {
	if text == Off.String() {
		return Off, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration: write one as in 10m or 48h, or off", text)
	}
	return Lateness(d), nil
}

func parseGap(text string) (Gap, error) {
	if text == NoVisits.String() {
		return NoVisits, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a gap: write a duration as in 30m, or off", text)
	}
	return Gap(d), nil
}

func parseDays(text string) (Days, error) {
	if text == Never.String() {
		return Never, nil
	}
	number, unit := strings.CutSuffix(text, "d")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || !unit {
		return 0, fmt.Errorf("%q is not a number of days: write it as in 30d, or never", text)
	}
	return Days(n), nil
}

// spell is Duration.String without zero units at its end: 48h, not 48h0m0s.
func spell(d time.Duration) string {
	s := d.String()
	if d != 0 && d%time.Minute == 0 {
		s = strings.TrimSuffix(s, "0s")
	}
	if d != 0 && d%time.Hour == 0 {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
