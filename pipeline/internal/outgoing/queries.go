package outgoing

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// The query of a url or referrer may hold personal data. What is written of it, to raw events and to failed events, has
// only the parameters that the step's settings, or the rules of the site, keep. All figures are derived from the whole
// url before that. No key and no duplicate depends on it: both go by ids and positions.

// QueryCutter cuts urls by settings as they are spelled. It remembers what it has parsed. The worker's alone.
type QueryCutter struct{ parsed map[string]*urlquery.Kept }

// maxParsedQueries bounds what a cutter remembers: most sites go by the configuration.
const maxParsedQueries = 1000

// Kept returns what a site keeps under the settings of a step.
func (c *QueryCutter) Kept(s *checkpoint.Settings, site *sites.Rules) *urlquery.Kept {
	text := site.QueryParametersOr(s.QueryParameters)
	if k, ok := c.parsed[text]; ok {
		return k
	}
	k, err := urlquery.Parse(text)
	if err != nil {
		k = urlquery.Kept{} // Settings and rules are validated before they are recorded. None is the safe side.
	}
	if c.parsed == nil || len(c.parsed) >= maxParsedQueries {
		c.parsed = make(map[string]*urlquery.Kept)
	}
	c.parsed[text] = &k
	return &k
}

// WithoutQueries returns the value of a rejected record with the queries of url and referrer removed. Bytes that are not JSON stay as
// they are, and so does everything outside of the two values. keptOf says what a site keeps. In a value that was read only in part, it
// removes what is there.
func WithoutQueries(raw *kgo.Record, keptOf func(siteID string) *urlquery.Kept) []byte {
	value := raw.Value
	if !bytes.ContainsAny(value, `?#\`) {
		return value
	}
	partial := batch.Length(raw) > int64(len(value))
	if !partial && !jsontext.Value(value).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return value
	}
	siteID, urls := event.URLs(value)
	kept := keptOf(string(siteID))
	var cut []byte
	done := 0 // how much of value is in cut
	for _, at := range urls {
		text, _ := jsontext.AppendUnquote(nil, value[at.From:at.To]) // Invalid UTF-8 is replaced.
		short := kept.Cut(text)
		if len(short) == len(text) {
			continue
		}
		cut = append(cut, value[done:at.From]...)
		cut, _ = jsontext.AppendQuote(cut, short)
		done = at.To
	}
	if done == 0 {
		return value
	}
	return append(cut, value[done:]...)
}
