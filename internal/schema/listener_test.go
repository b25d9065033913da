package schema

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
	"github.com/footfall/footfall/sketch"
)

// A group is the requests of a question that differ in nothing but ids: one for each shard, say.
type group struct {
	request
	count  int     // requests; of BatchGetItem, keys
	strong [2]bool // as it was asked without and with --consistent
}

// A request is what is asked of a table, by templates.
type request struct {
	index sinks.Index
	get   bool   // BatchGetItem; else Query
	item  string // type of the items; "": any
	pk    string
	sk    string // of BatchGetItem the key, of Query the condition, "" for none
	desc  bool
}

// listen puts the question to a Reader, once for each way of reading, and returns what it asked of the table, in order.
func (q pattern) listen(ctx context.Context) ([]group, error) {
	var groups []group
	for way, strong := range []bool{false, true} {
		l := &listener{items: q.askedItems()}
		if err := q.ask(ctx, query.NewOf(l, sinks.Keys{}, func() time.Time { return askNow }), strong); err != nil {
			return nil, err
		}
		for _, h := range l.heard {
			i := slices.IndexFunc(groups, func(g group) bool { return g.request == h.request })
			if i < 0 {
				if way > 0 {
					return nil, fmt.Errorf("%s is asked only with --consistent", h.request)
				}
				i = len(groups)
				groups = append(groups, group{request: h.request})
			}
			if way == 0 {
				groups[i].count++
			}
			groups[i].strong[way] = h.strong
		}
	}
	if q.atOnce {
		sortQueries(groups)
	}
	return groups, nil
}

// sortQueries sorts queries that follow one another by what they ask.
func sortQueries(groups []group) {
	for len(groups) > 0 {
		n := 1
		for !groups[0].get && n < len(groups) && !groups[n].get {
			n++
		}
		slices.SortStableFunc(groups[:n], func(a, b group) int { return cmp.Compare(a.String(), b.String()) })
		groups = groups[n:]
	}
}

// String says the requests on a line.
func (r request) String() string {
	names := keysOf(r.index)
	on := map[sinks.Index]string{sinks.Base: "the table", sinks.GSI1: "GSI1"}[r.index]
	if r.get {
		return "BatchGetItem " + code(r.pk) + " / " + code(r.sk)
	}
	text := fmt.Sprintf("Query %s: %s = %s", on, code(names[0]), code(r.pk))
	if r.sk != "" {
		text += " AND " + code(names[1]) + " " + r.sk
	}
	if r.desc {
		text += ", descending"
	}
	return text
}

// String says the requests with how many they are and how they read.
func (g group) String() string {
	text := g.request.String()
	if g.count > 1 && !g.get {
		text = fmt.Sprintf("%d x ", g.count) + text
	}
	switch g.strong {
	case [2]bool{true, true}:
		return text + "; strong"
	case [2]bool{false, true}:
		return text + "; eventual, strong with `--consistent`"
	}
	return text + "; eventual"
}

// units are the read units of the group where so many items of each type are read.
func (g group) units(rows map[string]int) float64 {
	n := float64(rows[g.item])
	typical := 0
	for _, t := range sinks.Catalogue() {
		if t.Name == g.item {
			typical = t.Size.Typical
		}
	}
	units := float64(g.count) * consumed.ReadUnits(int(math.Ceil(n*float64(typical)/float64(g.count))), false)
	switch {
	case g.get:
		units = max(1, n) * consumed.ReadUnits(typical, false)
	case g.index != sinks.Base:
		units = consumed.ReadUnits(int(math.Ceil(n*indexEntryBytes)), false)
	}
	if g.strong[0] {
		units *= 2
	}
	return units
}

// indexEntryBytes is about what an entry of an index takes: four keys and their names.
const indexEntryBytes = 200

// A listener is a table of a few items that remembers what is asked of it. It cannot be written to. Safe for concurrent use.
type listener struct {
	items []sinks.Item

	mu    sync.Mutex // covers heard
	heard []heard
}

// heard is a request as it was heard.
type heard struct {
	request
	strong bool
}

var errReadOnly = errors.New("this table is only listened to")

func (l *listener) Update(context.Context, sinks.Update) (sinks.Result, error) {
	return sinks.Result{}, errReadOnly
}
func (l *listener) Put(context.Context, sinks.Put) (sinks.Result, error) {
	return sinks.Result{}, errReadOnly
}
func (l *listener) Delete(context.Context, sinks.Delete) (sinks.Result, error) {
	return sinks.Result{}, errReadOnly
}
func (l *listener) BatchPut(context.Context, []sinks.Attrs) (sinks.BatchResult, error) {
	return sinks.BatchResult{}, errReadOnly
}

func (l *listener) hear(h heard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = append(l.heard, h)
}

// BatchGet remembers the keys and answers with those items that there are.
func (l *listener) BatchGet(_ context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	found := make(map[sinks.Key]sinks.Item)
	for _, key := range g.Keys {
		r := request{get: true, pk: key.PK, sk: key.SK}
		if m, ok := sinks.Find(key, nil, sinks.DefaultShards); ok {
			pk, sk := m.Type.Templates()
			r.item, r.pk, r.sk = m.Type.Name, string(pk), string(sk)
		}
		l.hear(heard{r, g.Consistent})
		for _, it := range l.items {
			if it.Key() == key {
				found[key] = it
			}
		}
	}
	return sinks.BatchResult{Items: found}, nil
}

// Query remembers the question and answers with the items that it selects.
func (l *listener) Query(_ context.Context, q sinks.Query) (sinks.Page, error) {
	r, err := templated(q)
	if err != nil {
		return sinks.Page{}, err
	}
	l.hear(heard{r, q.Consistent})
	names := keysOf(q.Index)
	var page sinks.Page
	for _, it := range l.items {
		key := it[names[1]].Str()
		if it[names[0]].Str() == q.PK && strings.HasPrefix(key, q.Prefix) && key >= q.From && (q.To == "" || key <= q.To) {
			page.Items = append(page.Items, it)
		}
	}
	return page, nil
}

// keysOf names the attributes that are the keys of the table or an index.
func keysOf(index sinks.Index) [2]string {
	if names, ok := indexKeys[index]; ok {
		return names
	}
	return [2]string{sinks.AttrPK, sinks.AttrSK}
}

// templated finds the template of a query: that of the type of items which it can select.
func templated(q sinks.Query) (request, error) {
	bound := cmp.Or(q.Prefix, q.From, q.To)
	for _, t := range sinks.Catalogue() {
		pk, sk, ok := t.IndexTemplates(q.Index)
		if !ok {
			continue
		}
		if begins, ok := pk.Begins(q.PK); !ok || begins != pk {
			continue
		}
		if _, ok := sk.Begins(bound); bound != "" && !ok {
			continue
		}
		r := request{index: q.Index, item: t.Name, pk: string(pk), desc: q.Desc}
		prefix, _ := sk.Begins(q.Prefix)
		from, _ := sk.Begins(q.From)
		to, _ := sk.Begins(q.To)
		switch {
		case q.Prefix != "":
			r.sk = "begins_with " + code(string(prefix))
		case q.From != "" && q.To != "":
			r.sk = "BETWEEN " + code(string(from)) + " AND " + code(string(to))
		case q.From != "":
			r.sk = ">= " + code(string(from))
		case q.To != "":
			r.sk = "<= " + code(string(to))
		}
		return r, nil
	}
	return request{}, fmt.Errorf("no type of items lies at %s from %q on", q.PK, bound)
}

// askedItems are the items that questions lead to: without them what is asked next would not be heard. They have no more
// than what a Reader goes by.
func (q pattern) askedItems() []sinks.Item {
	keys, tp := sinks.Keys{}, askTP
	at := askNow.Add(-time.Hour).UnixMilli()
	entry := sinks.SiteEntryItem(keys, askSite)
	raw := sinks.AttrRawPacks
	if q.items {
		raw = sinks.AttrRawItems
	}
	entry[raw] = sinks.Int(1)
	items := []sinks.Item{entry}
	add := func(key sinks.Key, more sinks.Item) {
		more[sinks.AttrPK], more[sinks.AttrSK], more[sinks.AttrSiteID] = sinks.Str(key.PK), sinks.Str(key.SK), sinks.Str(askSite)
		items = append(items, more)
	}
	add(keys.Metadata(askSite), sinks.Item{
		sinks.AttrGSI1PK: sinks.Str(keys.Owner(askOwner)), sinks.AttrGSI1SK: sinks.Str(keys.Site(askSite))})
	order := sinks.Str(sinks.SessionOrder(at, askSession, tp))
	s := state.Session{OpenedAt: at, StartedAt: at, EndedAt: at, Events: 1}
	cur := sinks.Bytes(s.AppendBinary(nil, &state.Session{}))
	add(keys.Session(askSite, askSession, tp, sinks.DefaultShards), sinks.Item{
		sinks.AttrCur:    cur,
		sinks.AttrGSI1PK: sinks.Str(keys.User(askSite, askUser)), sinks.AttrGSI1SK: order,
		sinks.AttrVisitorID: sinks.Str(sinks.CompactID(askVisitor))})
	add(keys.Session(askSite, askVisit, tp, sinks.DefaultShards), sinks.Item{
		sinks.AttrCur: cur})
	definition := sites.Goal{ID: askGoal, N: 1, DurationMs: 1}
	add(keys.Goal(askSite, askGoal), sinks.Item{sinks.AttrDefinition: sinks.Str(definition.String())})
	add(keys.Conversion(askSite, 1, askSession, tp, sinks.DefaultShards), sinks.Item{
		sinks.AttrSessionID: sinks.Str(askSession), sinks.AttrAt: sinks.Int(at), sinks.AttrGSI1SK: order,
		sinks.AttrGSI1PK: sinks.Str(keys.GoalConversions(askSite, 1, sinks.ShardOf(askSession, sinks.DefaultShards)))})
	add(keys.Recent(askSite, at, tp, 1, 0), sinks.Item{sinks.AttrSessionIDs: sinks.Strings([]string{askSession})})
	visitor, opened := sinks.VisitorHash(askVisitor), at-at%time.Hour.Milliseconds()
	listed := []state.ListedSession{{Visitor: visitor, OpenedAt: at, Session: askSession}}
	add(keys.NewSessions(askSite, at, tp, 1), sinks.Item{sinks.AttrListed: sinks.Bytes(state.AppendListed(nil, listed, opened, tp))})
	add(keys.VisitorSessions(askSite, sinks.VisitorBucket{}, opened, tp, 1, 0), sinks.Item{
		sinks.AttrListed: sinks.Bytes(state.AppendListed(nil, listed, opened, tp))})
	add(keys.Topic("{topic}"), sinks.Item{"topic": sinks.Str("{topic}"), "number": sinks.Int(tp.Topic)})
	add(keys.Funnel(askSite, askFunnel), sinks.Item{sinks.AttrFunnelID: sinks.Str(askFunnel), sinks.AttrWindowMs: sinks.Int(60_000),
		sinks.AttrSteps: sinks.Str(`[{"on":"event","type":"a"},{"on":"event","type":"b"}]`)})
	hour := at - at%time.Hour.Milliseconds()
	add(keys.HourStats(askSite, hour), sinks.Item{sinks.AttrEvents: sinks.Int(1)})
	add(keys.DayStats(askSite, hour), sinks.Item{sinks.AttrEvents: sinks.Int(1)})
	marks := sinks.MarksDigest(sinks.Item{})
	days := sinks.SealedDays{sealedDay.Day(): {Marks: marks, Whole: true}}
	add(keys.DayStats(askSite, sealedDay.UnixMilli()), sinks.Item{})
	add(keys.MonthStats(askSite, sealedMonth.UnixMilli()), sinks.Item{sinks.AttrDays: sinks.Str(days.String()),
		sinks.AttrClosed: sinks.Int(1)})
	for _, k := range []struct {
		day, month sinks.Key
		part       []byte
	}{
		{keys.DayUniques(askSite, sealedDay.UnixMilli()), keys.MonthUniques(askSite, sealedMonth.UnixMilli()),
			encoded(sketch.NewHour().AppendBinary(nil))},
		{keys.DayBreakdown(askSite, sealedDay.UnixMilli()), keys.MonthBreakdown(askSite, sealedMonth.UnixMilli()),
			encoded(sketch.PackBreakdown(sketch.NewBreakdown(0)))},
	} {
		add(k.day, sinks.Item{sinks.AttrPart: sinks.Bytes(k.part), sinks.AttrHours: sinks.Int(1), sinks.AttrMarks: sinks.Str(marks)})
		add(k.month, sinks.Item{sinks.AttrPart: sinks.Bytes(k.part), sinks.AttrHours: sinks.Int(1), sinks.AttrMarks: sinks.Str(days.Digest())})
	}
	add(keys.Realtime(askSite, askNow.Add(-time.Minute).UnixMilli(), tp), sinks.Item{})
	return items
}

// encoded returns the bytes of an empty sketch.
func encoded(b []byte, err error) []byte {
	if err != nil {
		panic(err) // Sketches encode.
	}
	return b
}
