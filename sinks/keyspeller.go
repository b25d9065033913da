package sinks

// Speller spells keys of what a partition keeps of its sites' minutes, hours and days. They are those that [Keys] spells. It remembers the
// last sort key of each kind, since all sites are at about the same time and share it. Not safe for concurrent use.
type Speller struct {
	keys Keys
	tp   TP

	realtime, stats, part, days, recent remembered
	step                                int64 // of recent
}

// remembered is a text of an instant; "": none.
type remembered struct {
	at   int64
	text string
}

// NewSpeller returns a Speller for a partition.
func NewSpeller(k Keys, tp TP) Speller { return Speller{keys: k, tp: tp} }

// SiteNames remembers partition keys of a site. The zero value remembers none.
type SiteNames struct {
	site               string // as Keys.Site
	at                 int64  // the hour that the others are of
	uniques, breakdown string
}

// of returns the text of an instant, which make makes if it is another than the last one.
func (r *remembered) of(at int64, make func(b []byte) []byte) string {
	if r.text == "" || r.at != at {
		var room [keyRoom]byte
		r.at, r.text = at, string(make(room[:0]))
	}
	return r.text
}

// Site is Keys.Site.
func (s *Speller) Site(site string, n *SiteNames) string {
	if n.site == "" {
		n.site = s.keys.Site(site)
	}
	return n.site
}

// Realtime is Keys.Realtime.
func (s *Speller) Realtime(site string, n *SiteNames, minute int64) Key {
	return Key{s.Site(site, n), s.realtime.of(minute, func(b []byte) []byte { return appendRealtime(b, minute, s.tp) })}
}

// HourStats is Keys.HourStats.
func (s *Speller) HourStats(site string, n *SiteNames, hour int64) Key {
	return Key{s.Site(site, n), s.stats.of(hour, func(b []byte) []byte { return appendHour(append(b, HourStatsPrefix...), hour) })}
}

// DayStats is Keys.DayStats.
func (s *Speller) DayStats(site string, n *SiteNames, day int64) Key {
	return Key{s.Site(site, n), s.days.of(day, func(b []byte) []byte { return append(append(b, DayStatsPrefix...), Day(day)...) })}
}

// Uniques is Keys.Uniques.
func (s *Speller) Uniques(site string, n *SiteNames, hour int64) Key {
	s.spellDay(site, n, hour)
	return Key{n.uniques, s.hourPart(hour)}
}

// Breakdown is Keys.Breakdown.
func (s *Speller) Breakdown(site string, n *SiteNames, hour int64) Key {
	s.spellDay(site, n, hour)
	return Key{n.breakdown, s.hourPart(hour)}
}

// hourPart is the sort key of Keys.Uniques and Keys.Breakdown.
func (s *Speller) hourPart(hour int64) string {
	return s.part.of(hour, func(b []byte) []byte { return appendHourPart(b, hour, s.tp) })
}

// spellDay spells the partition keys of an hour's date, in one text.
func (s *Speller) spellDay(site string, n *SiteNames, hour int64) {
	if n.uniques != "" && n.at == hour {
		return
	}
	var room [2 * keyRoom]byte
	name, day := s.Site(site, n), Day(hour)
	b := append(append(append(append(room[:0], name...), uniquesSuffix...), '#'), day...)
	uniques := len(b)
	b = append(append(append(append(b, name...), breakdownSuffix...), '#'), day...)
	text := string(b)
	n.at, n.site, n.uniques, n.breakdown = hour, text[:len(name)], text[:uniques], text[uniques:]
}

// Recent is Keys.Recent.
func (s *Speller) Recent(site string, n *SiteNames, minute, step int64, i int) Key {
	if i > 0 {
		return s.keys.Recent(site, minute, s.tp, step, i)
	}
	if s.step != step {
		s.step, s.recent = step, remembered{}
	}
	return Key{s.Site(site, n) + recentSuffix,
		s.recent.of(minute, func(b []byte) []byte { return appendRecent(b, minute, s.tp, step, 0) })}
}
