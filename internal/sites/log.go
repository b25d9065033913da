package sites

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/footfall/footfall/sinks"
)

// Revision is one revision: the rules of one site from it on.
type Revision struct {
	Rev   int64
	At    int64 // when it was decided, ms since the epoch; decides nothing
	Site  string
	Rules *Rules

	// Always says that nobody had counted the site before: it is the site's first revision, and holds for steps of earlier
	// revisions, too.
	Always bool

	// Erase says whose data the revision erases; the rules are those before it. Nil: nobody's.
	Erase *Erasure

	// Purge says that the revision removes the site with all that was counted of it before: see [View.Purged]. The rules say that the
	// site is deleted.
	Purge bool
}

// Log is what is known of the log up to a revision. It does not change: reading on makes another one. A nil Log is an empty
// one. Safe for concurrent use.
type Log struct {
	rev    int64
	sites  map[string][]Revision // by revision, the least first
	erased map[string]tombstones // by site
}

// Rev returns the last revision that is known, 0 when there is none.
func (l *Log) Rev() int64 {
	if l == nil {
		return 0
	}
	return l.rev
}

// History returns the revisions of a site, the first one first.
func (l *Log) History(site string) []Revision {
	if l == nil {
		return nil
	}
	return l.sites[site]
}

// Sites calls each with every site that has rules, in no order.
func (l *Log) Sites(each func(site string)) {
	if l != nil {
		for site := range l.sites {
			each(site)
		}
	}
}

// Since yields the last revision of every site that has one after rev, in no order.
func (l *Log) Since(rev int64) iter.Seq[Revision] {
	return func(yield func(Revision) bool) {
		if l == nil {
			return
		}
		for _, history := range l.sites {
			if last := history[len(history)-1]; last.Rev > rev && !yield(last) {
				return
			}
		}
	}
}

// View is the rules of all sites as of one revision. The zero View is that of no revision.
type View struct {
	Rev  int64
	past int64 // the revision of the rules, if it is another; 0: it is not; NoRules
	then int64 // the revision under which the records were counted first, if it is not that of the rules; 0: it is; NoRules: none
	log  *Log
}

// NoRules stands for the revision before the first.
const NoRules = -1

// As returns the rules as of an earlier revision, or NoRules, with the erasures of the view's own: what was erased since stays so where
// records are counted again under the rules of then. Revision 0 stands for the view's own.
func (v View) As(rev int64) View {
	v.past = rev
	return v
}

// Ruled is the revision of the rules.
func (v View) Ruled() int64 {
	if v.past == 0 {
		return v.Rev
	}
	return max(0, v.past)
}

// At returns the rules as of a revision that is known.
func (l *Log) At(rev int64) View {
	if rev < 0 || rev > l.Rev() {
		panic(fmt.Sprintf("rules as of revision %d, of which %d are known", rev, l.Rev()))
	}
	return View{Rev: rev, log: l}
}

// Site returns the rules of a site; nil, which may be used, where it has none.
func (v View) Site(site string) *Rules {
	history := v.log.History(site)
	for _, c := range slices.Backward(history) {
		if c.Rev <= v.Ruled() {
			return c.Rules
		}
	}
	return FirstRules(history)
}

// FirstRules returns the rules of a site as of all revisions before those of its history: nil, but where the first of them holds
// always.
func FirstRules(history []Revision) *Rules {
	if len(history) > 0 && history[0].Always {
		return history[0].Rules
	}
	return nil
}

// DaySpan returns the span of a day of a site whose entry fixes a zone: see [Rules.DaySpan] and [EntryZone]. It is that of the last
// revision; what is over is cut the same by all, since they decide from a day ahead.
func (l *Log) DaySpan(site string, zone Zone, day int64) (from, to int64) {
	return l.At(l.Rev()).Site(site).In(zone).DaySpan(day)
}

// with returns a log that continues l.
func (l *Log) with(changes []Revision) *Log {
	if len(changes) == 0 {
		if l == nil {
			return new(Log)
		}
		return l
	}
	next := &Log{rev: l.Rev(), sites: make(map[string][]Revision)}
	if l != nil {
		maps.Copy(next.sites, l.sites)
		next.erased = l.erased
	}
	next.erased = addErasures(next.erased, changes)
	for _, c := range changes {
		next.rev = c.Rev
		next.sites[c.Site] = append(slices.Clip(next.sites[c.Site]), c) // Others go on reading the shorter one.
	}
	return next
}

// ReadLog returns the log as it is now, given what is known of it, which may be nil: one strong read where nothing was appended,
// a few pages for thousands of revisions. It does not repeat reads that fail. A revision that is missing is an error.
func ReadLog(ctx context.Context, t sinks.Table, keys sinks.Keys, known *Log) (*Log, error) {
	log, ahead, err := readOn(ctx, t, keys, known)
	if err == nil && ahead {
		// A query is no snapshot: it may have passed a revision that was being put, and met the next. Now it is there.
		if log, ahead, err = readOn(ctx, t, keys, log); err == nil && ahead {
			err = fmt.Errorf("revision %d of the site settings is missing, although later ones exist: restore it from a backup", log.Rev()+1)
		}
	}
	if err != nil {
		return nil, err
	}
	return log, nil
}

// readOn reads the revisions after those already read, up to the first that is missing; ahead says that there is one.
func readOn(ctx context.Context, t sinks.Table, keys sinks.Keys, known *Log) (log *Log, ahead bool, err error) {
	var changes []Revision
	last := known.Rev()
	pk, from := keys.RulesAfter(last)
	for it, err := range sinks.Items(ctx, t, sinks.Query{PK: pk, From: from, To: keys.RulesEnd(), Consistent: true}) {
		if err != nil {
			return nil, false, fmt.Errorf("read the site settings after revision %d: %w", last, err)
		}
		c, err := readRevision(it)
		if err != nil {
			return nil, false, err
		}
		if c.Rev != last+1 {
			return known.with(changes), true, nil
		}
		last = c.Rev
		changes = append(changes, c)
	}
	return known.with(changes), false, nil
}

func readRevision(it sinks.Item) (c Revision, err error) {
	c = Revision{Rev: it[sinks.AttrRev].Int(), At: it[sinks.AttrCreatedAt].Int(), Site: it[sinks.AttrSiteID].Str(),
		Always: it[sinks.AttrAlways].Int() == 1, Purge: it[sinks.AttrPurge].Int() == 1}
	if c.Rules, err = parseRules(it[sinks.AttrRules].Str()); err != nil {
		return c, fmt.Errorf("revision %d of the rules, of site %q: %w: does a newer footfall write them?", c.Rev, c.Site, err)
	}
	if text := it[sinks.AttrErase].Str(); text != "" {
		if c.Erase, err = parseErasure(text); err != nil {
			return c, fmt.Errorf("revision %d of the rules, of site %q: %w: does a newer footfall write them?", c.Rev, c.Site, err)
		}
	}
	return c, nil
}

// item makes the item of a revision.
func (c Revision) item(keys sinks.Keys) sinks.Item {
	key := keys.Rules(c.Rev)
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityRules), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrRev: sinks.Int(c.Rev), sinks.AttrCreatedAt: sinks.Int(c.At), sinks.AttrSiteID: sinks.Str(c.Site),
		sinks.AttrRules: sinks.Str(c.Rules.String()),
	}
	if c.Always {
		it[sinks.AttrAlways] = sinks.Int(1)
	}
	if c.Purge {
		it[sinks.AttrPurge] = sinks.Int(1)
	}
	if c.Erase != nil {
		it[sinks.AttrErase] = sinks.Str(c.Erase.String())
	}
	return it
}

// ErrBehind reports that another revision was appended since the log was read.
var ErrBehind = errors.New("the site settings were changed at the same time")

// AppendLog appends c as the revision after those of l, which must have been read just now. ErrBehind reports that someone
// else has appended that revision; nothing was written. After any other error, repeat it with the same c: that also shows whether the first
// attempt succeeded.
func AppendLog(ctx context.Context, t sinks.Table, keys sinks.Keys, l *Log, c Revision) (*Log, error) {
	c.Rev, c.Rules = l.Rev()+1, c.Rules.Clone()
	it := c.item(keys)
	r, err := t.Put(ctx, sinks.Put{Item: it, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return nil, fmt.Errorf("site %q: append revision %d of the rules: %w", c.Site, c.Rev, err)
	}
	if r.Refused && !maps.EqualFunc(it, r.Item, sinks.Value.Equal) {
		return nil, fmt.Errorf("site %q: revision %d is that of site %q: %w", c.Site, c.Rev, r.Item[sinks.AttrSiteID].Str(), ErrBehind)
	}
	return l.with([]Revision{c}), nil
}

// PublishSite publishes all that follows from a site's history: its goals, then the rest, so that who finds the metadata up to date
// may take the goals to be so, too. Of a site whose last rules say nothing, or that was purged, there is nothing to be seen. It may be
// repeated at any time.
func PublishSite(ctx context.Context, t sinks.Table, keys sinks.Keys, site string, history []Revision) error {
	if len(history) == 0 || history[len(history)-1].Rules.Empty() || Gone(history) > 0 {
		return nil
	}
	if err := PublishGoals(ctx, t, keys, site, SincePurge(history)); err != nil {
		return err
	}
	return Publish(ctx, t, keys, history[len(history)-1])
}

// Publish writes what readers look at where they need the present rules of one site: its entry in the list of sites, and its
// metadata. Both follow from the log, and a view that is newer is left alone, so it may be repeated at any time.
func Publish(ctx context.Context, t sinks.Table, keys sinks.Keys, c Revision) error {
	if _, err := sinks.EnsureSiteEntry(ctx, t, keys, c.Site); err != nil {
		return err
	}
	_, err := t.Put(ctx, sinks.Put{Item: c.metadata(keys), If: []sinks.Cond{{Attr: sinks.AttrRev, Op: sinks.AbsentOrLess,
		Value: sinks.Int(c.Rev)}}})
	if err != nil {
		return fmt.Errorf("site %q: put its metadata: %w", c.Site, err)
	}
	return nil
}

// metadata makes the site's metadata as of the revision.
func (c Revision) metadata(keys sinks.Keys) sinks.Item {
	key, s := keys.Metadata(c.Site), c.Rules
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntitySite), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrSiteID: sinks.Str(c.Site), sinks.AttrName: sinks.Str(s.Name), sinks.AttrDomains: sinks.Strings(s.Domains),
		sinks.AttrCreatedAt: sinks.Int(s.CreatedAt), sinks.AttrRev: sinks.Int(c.Rev), sinks.AttrRules: sinks.Str(s.String()),
	}
	if s.Owner != "" {
		it[sinks.AttrOwner] = sinks.Str(s.Owner)
		it[sinks.AttrGSI1PK] = sinks.Str(keys.Owner(s.Owner))
		it[sinks.AttrGSI1SK] = sinks.Str(sinks.Decided(c.Site))
	}
	s.plain(it)
	return it
}

// plain adds what was decided last as attributes that need no reader of rules.
func (s *Rules) plain(it sinks.Item) {
	if n := len(s.Zones); n > 0 {
		last := s.Zones[n-1]
		it[sinks.AttrTimeZone] = sinks.Str(last.Name)
		setFrom(it, sinks.AttrTimeZoneFrom, last.From)
	}
	it[sinks.AttrShards] = sinks.Int(sinks.DefaultShards)
	if n := len(s.Shards); n > 0 {
		last := s.Shards[n-1]
		it[sinks.AttrShards] = sinks.Int(int64(last.N))
		setFrom(it, sinks.AttrShardsFrom, last.From)
	}
	for attr, days := range s.Days {
		it[attr] = sinks.Int(days)
	}
	var goals []string
	for _, g := range s.Goals {
		goals = append(goals, fmt.Sprint(g.N, " ", g.ID))
	}
	if len(goals) > 0 {
		it[sinks.AttrGoals] = sinks.Strings(goals)
	}
}

// setFrom adds when something begins that has not always held.
func setFrom(it sinks.Item, attr string, from int64) {
	if from > 0 {
		it[attr] = sinks.Int(from)
	}
}
