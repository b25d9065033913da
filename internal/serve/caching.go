package serve

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/url"
	"regexp"
	"strings"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/query"
)

// How answers may be cached. A cache always asks again, with the answer's ETag, except about ranges that no record can change any more.
const (
	cacheNever  = "no-store"                              // sessions, events and conversions, which name visitors, and annotations, which may
	cacheAsk    = "private, no-cache"                     // figures that change with flushes
	cacheSealed = "private, max-age=600, must-revalidate" // final figures of a range that is named by dates
)

// caching returns the Cache-Control of an answer.
func caching(u *url.URL, answer any) string {
	switch a := answer.(type) {
	case query.SessionsAnswer, query.SessionAnswer, query.EventsAnswer, query.ConversionsAnswer, query.AnnotationsAnswer:
		return cacheNever
	case interface{ Covered() query.Coverage }:
		if a.Covered().Final && absolute(u) {
			return cacheSealed
		}
	}
	return cacheAsk
}

// date matches a date, a month or a year, or an instant of RFC 3339: what means the same at any time.
var date = regexp.MustCompile(`^\d{4}(-\d\d){0,2}(T.*)?$`)

// absolute reports whether an address names its range by dates, and no segment, which may change. It then means the same tomorrow.
func absolute(u *url.URL) bool {
	if u == nil {
		return false
	}
	v := u.Query()
	if v.Has(links.SegmentParam) {
		return false
	}
	for _, end := range strings.Split(v.Get("compare"), "..") {
		if end != "" && end != query.AgainstPrevious && end != query.AgainstYear && !date.MatchString(end) {
			return false
		}
	}
	return date.MatchString(v.Get("period")) || date.MatchString(v.Get("from")) && date.MatchString(v.Get("to"))
}

// etagOf returns the ETag of an answer in a format: a hash of all of it. What it was read from may have changed without a change of the
// answer, and time changes answers without a flush, so marks alone would say too little and too much.
func etagOf(answer any, format string) (string, error) {
	h := fnv.New128a()
	if err := json.NewEncoder(h).Encode(answer); err != nil {
		return "", fmt.Errorf("encode the answer: %w", err)
	}
	h.Write([]byte(format))
	return fmt.Sprintf(`"%x"`, h.Sum(nil)), nil
}

// matches reports whether an If-None-Match header has an ETag, by weak comparison.
func matches(header, etag string) bool {
	for _, tag := range strings.Split(header, ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == "*" || tag == etag {
			return true
		}
	}
	return false
}
