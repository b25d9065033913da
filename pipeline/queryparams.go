package pipeline

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/rules"
)

// The query of a url or referrer may hold personal data. What is written of it, to raw events and to failed events, has
// only the parameters that the step's settings, or the rules of the site, keep. All figures are derived from the whole
// url before that. No key and no duplicate depends on it: both go by ids and positions.

// queryCutter cuts urls by settings as they are spelled. It remembers what it has parsed. The worker's alone.
type queryCutter struct{ parsed map[string]*urlquery.Kept }

// maxParsedQueries bounds what a cutter remembers: most sites go by the configuration.
const maxParsedQueries = 1000

// kept returns what a site keeps under the settings of a step.
func (c *queryCutter) kept(s *Settings, site *rules.Site) *urlquery.Kept {
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

// keptQuery returns what the accumulating step of the stats lane keeps of a site's urls.
func (w *worker) keptQuery(site *rules.Site) *urlquery.Kept {
	settings := &w.stats.settings
	if plant.QueryByOwnSettings {
		settings = &w.stats.own
	}
	return w.queries.kept(settings, site)
}

// withoutQueries returns the value of a rejected record with the queries of url and referrer removed. Bytes that are not JSON stay as
// they are, and so does everything outside of the two values. In a value that was read only in part, it removes what is there.
func (w *worker) withoutQueries(raw *kgo.Record) []byte {
	value := raw.Value
	if plant.FailedQueryKept || !bytes.ContainsAny(value, `?#\`) {
		return value
	}
	partial := lengthOf(raw) > int64(len(value))
	if !partial && !jsontext.Value(value).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return value
	}
	var texts topLevelTexts
	texts.find(value)
	kept := w.keptQuery(w.stats.rules.Site(string(texts.site)))
	var cut []byte
	done := 0 // how much of value is in cut
	for _, at := range texts.urls {
		text, _ := jsontext.AppendUnquote(nil, value[at.from:at.to]) // Invalid UTF-8 is replaced.
		short := kept.Cut(text)
		if len(short) == len(text) {
			continue
		}
		cut = append(cut, value[done:at.from]...)
		cut, _ = jsontext.AppendQuote(cut, short)
		done = at.to
	}
	if done == 0 {
		return value
	}
	return append(cut, value[done:]...)
}

// topLevelTexts are the strings of a record that decide about its queries.
type topLevelTexts struct {
	site []byte // the siteId, unquoted; nil: there is none
	urls []byteSpan
}

// byteSpan is a part of a value, [from, to).
type byteSpan struct{ from, to int }

// find looks through the members of the object in value, which is valid JSON or the beginning of it. It finds nothing in any
// other value.
func (t *topLevelTexts) find(value []byte) {
	depth := 0
	for i := 0; i < len(value); {
		switch value[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			key := byteSpan{i, stringEnd(value, i)}
			i = key.to
			if depth != 1 {
				continue
			}
			colon := skipSpace(value, i)
			if colon == len(value) || value[colon] != ':' { // An element of an array.
				continue
			}
			i = skipSpace(value, colon+1)
			if i < len(value) && value[i] == '"' {
				text := byteSpan{i, stringEnd(value, i)}
				t.member(value, key, text)
				i = text.to
			}
			continue
		}
		i++
	}
}

// member takes in a member whose value is a string.
func (t *topLevelTexts) member(value []byte, key, text byteSpan) {
	name, _ := jsontext.AppendUnquote(nil, value[key.from:key.to])
	switch fieldOf(name) {
	case fieldSiteID:
		t.site, _ = jsontext.AppendUnquote(nil, value[text.from:text.to])
	case fieldURL, fieldReferrer:
		t.urls = append(t.urls, text)
	}
}

// stringEnd returns where the string that begins at from ends: at the end of value if that is within it.
func stringEnd(value []byte, from int) int {
	for i := from + 1; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(value)
}
