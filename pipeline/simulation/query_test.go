package simulation_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Queries of urls and referrers in a simulation: parameters that some processes keep and others do not, and a site that
// has settings of its own.

// simQueries are the settings that processes and rules choose from.
var simQueries = []string{"all", "none", "gclid,utm_*", "page,token"}

// simQuerySite is the one site whose rules name parameters.
const simQuerySite = "site-1"

// personalize gives urls and referrers of some of the records parameters and fragments.
func personalize(dice *rand.Rand, records []record) {
	defer propertied(dice, records)
	tails := []string{"token=t0ken", "token=t0ken&utm_term=t", "page=2&gclid=1", "q=%3F&&utm_term", "gclid=1#token=t0ken"}
	for i := range records {
		var e map[string]any
		if dice.IntN(3) > 0 || json.Unmarshal(records[i].Value, &e) != nil {
			continue
		}
		for _, field := range []string{"url", "referrer"} {
			text, ok := e[field].(string)
			if !ok || dice.IntN(4) == 0 {
				continue
			}
			separator := "?"
			if strings.Contains(text, "?") {
				separator = "&"
			}
			e[field] = text + separator + tails[dice.IntN(len(tails))]
		}
		records[i].Value = mustJSON(e)
	}
}

// simKept returns what a setting keeps of a url.
func simKept(url, setting string) string {
	if setting == "all" {
		return url
	}
	url, _, _ = strings.Cut(url, "#")
	page, query, _ := strings.Cut(url, "?")
	pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return name == "" || !slices.ContainsFunc(strings.Split(setting, ","), func(kept string) bool {
			return kept == name || strings.HasSuffix(kept, "*") && strings.HasPrefix(name, strings.TrimSuffix(kept, "*"))
		})
	})
	if len(pairs) == 0 {
		return page
	}
	return page + "?" + strings.Join(pairs, "&")
}

// redoneQueries looks at raw events of a step that is done again: they have what the settings of the step keep.
func (e *eye) redoneQueries(items []sinks.Attrs) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, it := range items {
		if it.Value(sinks.AttrEntity).Str() != sinks.EntityEvent || it.Value(sinks.AttrSiteID).Str() == simQuerySite {
			continue
		}
		source := strings.Split(it.Value("source").Str(), "/")
		partition, _ := strconv.ParseInt(source[1], 10, 32)
		offset, _ := strconv.ParseInt(source[2], 10, 64)
		h := e.heads[sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: e.topic, Partition: int32(partition)})]
		if h == nil || !h.first || !h.accumulating || offset < h.from || offset >= h.to {
			continue
		}
		settings, _ := checkpoint.ParseSettings(h.ver)
		for _, field := range []string{"url", "referrer"} {
			if url := it.Value(field).Str(); url != "" && simKept(url, settings.QueryParameters) != url {
				e.problem("%s: partition %d, offset %d, %s %q: the step keeps %s", e.name, partition, offset, field, url, settings.QueryParameters)
			}
		}
	}
}

// judgeFailedValue compares the value of a failed event with that of its record: but for url and referrer they are
// equal, and of those it has what a process of the seed keeps, under whichever rules.
func (s *simulation) judgeFailedValue(record, entry *kgo.Record, log *sites.Log) {
	var was, is map[string]any
	if json.Unmarshal(record.Value, &was) != nil || json.Unmarshal(entry.Value, &is) != nil || was == nil {
		if string(record.Value) != string(entry.Value) {
			s.problem("failed event of partition %d, offset %d: %q has become %q", record.Partition, record.Offset, record.Value, entry.Value)
		}
		return
	}
	site, _ := was["siteId"].(string)
	var settings []string
	for _, p := range s.used {
		settings = append(settings, p.QueryParameters)
	}
	for _, c := range log.History(site) {
		if c.Rules.QueryParameters != "" {
			settings = append(settings, c.Rules.QueryParameters)
		}
	}
	right := slices.ContainsFunc(settings, func(setting string) bool {
		want := make(map[string]any)
		for name, value := range was {
			if text, ok := value.(string); ok && (name == "url" || name == "referrer") {
				value = simKept(text, setting)
			}
			want[name] = value
		}
		return reflect.DeepEqual(want, is)
	})
	if !right {
		s.problem("failed event of partition %d, offset %d: %s has become %s, and %q are kept", record.Partition, record.Offset,
			record.Value, entry.Value, settings)
	}
	if string(record.Value) != string(entry.Value) {
		s.cover.Hit(onFailedCut)
	}
}
