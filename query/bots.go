package query

// include adds bots to the counts that can have them.
func (a *RealtimeAnswer) include() {
	a.PageViews += a.BotPageViews
	a.Events += a.BotEvents
	for i := range a.Series {
		m := &a.Series[i]
		m.PageViews += m.BotPageViews
		m.Events += m.BotEvents
	}
}
