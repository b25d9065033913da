package passing

import "slices"

// Rows by the entry or exit page count sessions, and their events that pass, once a session has ended. What has passed of it until then is
// added up, so that its events need not be kept.

// wholeSums returns where a session counts that has ended, in rows by the entry or exit page.
func (f *filterScan) wholeSums(s *filterSession) (all []*Sums) {
	for _, i := range f.wholeRows {
		if sums := f.asked.Whole(i, s.pages.visible(f.rows[i])); sums != nil {
			all = append(all, sums)
		}
	}
	return all
}

// endWhole counts a session that has ended, and its events that pass, in rows by the entry or exit page.
func (f *filterScan) endWhole(s *filterSession) {
	if s.passed == nil || s.passed.Events == 0 && s.counted == nil {
		return
	}
	whole := f.wholeSums(s)
	for _, sums := range whole {
		sums.plus(s.passed)
		if s.counted != nil {
			sums.change(sessionSums{}, s.sums())
		}
	}
	if s.counted != nil {
		s.counted = append(slices.Clip(s.counted), whole...)
	}
}

// count counts an event that passes. s is its session; nil: it has none.
func (f *filterScan) count(s *filterSession, at int64, values []string, e countedEvent) {
	for _, sums := range f.into(at, values) {
		sums.add(e)
	}
	switch {
	case s == nil:
		for _, i := range f.wholeRows {
			if sums := f.asked.Whole(i, ""); sums != nil {
				sums.add(e)
			}
		}
	case s.passed != nil:
		s.passed.add(e)
	}
}
