package sinks

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
)

// InstantBound spells an instant, milliseconds since the epoch, so that it sorts by time; it begins the sort keys
// made by SessionOrder, and serves as a bound on them.
func InstantBound(ms int64) string { return string(appendInstant(nil, min(max(ms, 0), maxInstant))) }

// An instant is spelled as a ULID spells its time: 48 bits in Crockford's base 32, ten digits.
const (
	instantBytes  = 10
	maxInstant    = 1<<48 - 1
	instantDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)

// appendInstant appends an instant from 1970 to the year 10889.
func appendInstant(b []byte, ms int64) []byte {
	for shift := 5 * (instantBytes - 1); shift >= 0; shift -= 5 {
		b = append(b, instantDigits[ms>>shift&31])
	}
	return b
}

// ParseInstant reads what InstantBound spelled.
func ParseInstant(s string) (ms int64, err error) {
	if len(s) != instantBytes || s[0] > '7' {
		return 0, fmt.Errorf("%q is no instant", s)
	}
	for i := range len(s) {
		digit := strings.IndexByte(instantDigits, s[i])
		if digit < 0 {
			return 0, fmt.Errorf("%q is no instant", s)
		}
		ms = ms<<5 | int64(digit)
	}
	return ms, nil
}

// tieBytes are the characters that order sessions of the same instant: base64url of the first 6 bytes of a hash.
const tieBytes = 8

// appendTie appends the first 48 bits of the SHA-256 of the sessionId, "#" and the partition. Ids are chosen by visitors: with another hash
// one could make any number of sessions share a sort key.
func appendTie(b []byte, session string, tp TP) []byte {
	var room [128]byte
	id := append(append(room[:0], session...), '#')
	id = append(strconv.AppendInt(id, tp.Topic, 10), '_')
	hash := sha256.Sum256(strconv.AppendInt(id, int64(tp.Partition), 10))
	return base64.RawURLEncoding.AppendEncode(b, hash[:6])
}

// Hour spells an hour's start, in milliseconds since the epoch: 2026-05-12T14, or 2026-05-12T14:30 in a zone
// that is off by half an hour, with seconds in one that is off by some of them. Names sort as hours do.
func Hour(start int64) string {
	var room [keyRoom]byte
	return string(appendHour(room[:0], start))
}

func appendHour(b []byte, start int64) []byte {
	t := time.UnixMilli(start).UTC()
	switch {
	case t.Second() != 0:
		return t.AppendFormat(b, "2006-01-02T15:04:05")
	case t.Minute() != 0:
		return t.AppendFormat(b, "2006-01-02T15:04")
	}
	return t.AppendFormat(b, "2006-01-02T15")
}

// ParseHour reads what Hour spelled and returns milliseconds since the epoch.
func ParseHour(s string) (int64, error) {
	layout := "2006-01-02T15:04:05"
	if n := len("2006-01-02T15"); len(s) == n || len(s) == n+len(":04") {
		layout = layout[:len(s)]
	}
	t, err := time.Parse(layout, s)
	return t.UnixMilli(), err
}

// Day spells a day: 2026-05-12.
func Day(start int64) string { return time.UnixMilli(start).UTC().Format(time.DateOnly) }

// DaysOfHours yields the dates in UTC, each as its first instant, of the hours that begin in [from, to), in order.
func DaysOfHours(from, to int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		const dayMs = 24 * 60 * 60 * 1000
		for day := from - (from%dayMs+dayMs)%dayMs; day < to && yield(day); day += dayMs {
		}
	}
}

// ParseDay reads what Day spelled and returns milliseconds since the epoch.
func ParseDay(s string) (int64, error) {
	t, err := time.Parse(time.DateOnly, s)
	return t.UnixMilli(), err
}

// Month spells a month: 2026-05.
func Month(start int64) string { return time.UnixMilli(start).UTC().Format("2006-01") }

// ParseMonth reads what Month spelled and returns milliseconds since the epoch.
func ParseMonth(s string) (int64, error) {
	t, err := time.Parse("2006-01", s)
	return t.UnixMilli(), err
}

// Minute spells a minute: 2026-05-12T14:03.
func Minute(start int64) string {
	var room [keyRoom]byte
	return string(appendMinute(room[:0], start))
}

func appendMinute(b []byte, start int64) []byte {
	return time.UnixMilli(start).UTC().AppendFormat(b, "2006-01-02T15:04")
}

// ParseMinute reads what Minute spelled and returns milliseconds since the epoch.
func ParseMinute(s string) (int64, error) {
	t, err := time.Parse("2006-01-02T15:04", s)
	return t.UnixMilli(), err
}
