package query

import "github.com/footfall/footfall/query/internal/readable"

// Answers and their rows print what %v and %+v of fmt would, but that they follow pointers, spell instants in RFC 3339, and leave out
// fields that are zero. This is for people who debug; programs read the fields, or JSON.

func (a SitesAnswer) String() string        { return readable.Text(a) }
func (a SitesFiguresAnswer) String() string { return readable.Text(a) }
func (a SiteAnswer) String() string         { return readable.Text(a) }
func (a StatsAnswer) String() string        { return readable.Text(a) }
func (a UniquesAnswer) String() string      { return readable.Text(a) }
func (a TopAnswer) String() string          { return readable.Text(a) }
func (a RealtimeAnswer) String() string     { return readable.Text(a) }
func (a SessionsAnswer) String() string     { return readable.Text(a) }
func (a SessionAnswer) String() string      { return readable.Text(a) }
func (a EventsAnswer) String() string       { return readable.Text(a) }
func (a GoalsAnswer) String() string        { return readable.Text(a) }
func (a GoalAnswer) String() string         { return readable.Text(a) }
func (a GoalStatsAnswer) String() string    { return readable.Text(a) }
func (a ConversionsAnswer) String() string  { return readable.Text(a) }
func (a FunnelsAnswer) String() string      { return readable.Text(a) }
func (a FunnelAnswer) String() string       { return readable.Text(a) }
func (a FunnelReportAnswer) String() string { return readable.Text(a) }

func (a FilteredStatsAnswer) String() string   { return readable.Text(a) }
func (a FilteredUniquesAnswer) String() string { return readable.Text(a) }
func (a FilteredTopAnswer) String() string     { return readable.Text(a) }
func (a FilteredGoalsAnswer) String() string   { return readable.Text(a) }
func (a PathsAnswer) String() string           { return readable.Text(a) }
func (g FilteredGoal) String() string          { return readable.Text(g) }
func (r FilteredTopRow) String() string        { return readable.Text(r) }
func (b FilteredBucket) String() string        { return readable.Text(b) }

func (b Bucket) String() string      { return readable.Text(b) }
func (p Previous) String() string    { return readable.Text(p) }
func (r TopRow) String() string      { return readable.Text(r) }
func (c TopCounts) String() string   { return readable.Text(c) }
func (n TopNone) String() string     { return readable.Text(n) }
func (s Site) String() string        { return readable.Text(s) }
func (s SiteFigures) String() string { return readable.Text(s) }
func (s Session) String() string     { return readable.Text(s) }
func (e Event) String() string       { return readable.Text(e) }
func (g Goal) String() string        { return readable.Text(g) }
func (s FunnelStep) String() string  { return readable.Text(s) }
