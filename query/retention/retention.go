package retention

import (
	"time"

	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// What package ranges declares is part of this package, too.
type (
	By       = ranges.By       // the size of a cohort
	Coverage = ranges.Coverage // up to when an answer is complete
)

// Weeks of a question.
const (
	DefaultWeeks = 12  // before the running one, where no range is given
	MaxWeeks     = 120 // that one question may ask for
)

// MaxLater is how many weeks after their first one visitors are followed.
const MaxLater = sinks.MaxReturnWeeks

// Params ask for the retention of a site's visitors.
type Params struct {
	Site string
	// From and To, exclusive, choose the weeks: those that lie between them, and the running week if To is not before now. From zero:
	// DefaultWeeks before the running week. To zero: now. Weeks are of the site's own zone and begin on Monday.
	From, To time.Time
	// By is the size of the cohorts. Week, or "", is the only one: days count no other.
	By         By
	Consistent bool // strongly consistent reads, at twice the cost
}

// Answer has a cohort for each week, from the first one on that is known to have new visitors.
type Answer struct {
	Site      string    `json:"siteId"`
	SiteKnown bool      `json:"-"` // the site has events, or was created
	By        By        `json:"by"`
	Zone      string    `json:"timeZone"` // of the site, by its IANA name
	From      time.Time `json:"from"`
	To        time.Time `json:"to"` // exclusive
	// Counted says that the site counts new visitors. If not, all is unknown.
	Counted bool `json:"newVisitorsCounted"`
	// Since is when the site began to count new visitors, if that lies after From. Nothing is known of weeks that began before. nil: it counts
	// none, or did so before.
	Since   *time.Time `json:"newVisitorsSince,omitempty"`
	Cohorts []Cohort   `json:"cohorts"`
	Coverage
}

// UnknownSite reports whether the answer is about a site that has no events and was never created.
func (a Answer) UnknownSite() bool { return !a.SiteKnown }

// Cohort are the visitors who were new in a week, each as one partition saw them.
type Cohort struct {
	Start       time.Time    `json:"start"`
	End         time.Time    `json:"end"`         // exclusive
	InProgress  bool         `json:"inProgress"`  // the week is not over
	NewVisitors *int64       `json:"newVisitors"` // null: not known
	Later       []CohortWeek `json:"later"`       // a later week of the answer each, up to MaxLater
}

// CohortWeek is how many visitors of a cohort came back in a later week.
type CohortWeek struct {
	Week       int       `json:"week"` // from 1, for the week after the cohort's
	Start      time.Time `json:"start"`
	InProgress bool      `json:"inProgress"` // the week is not over
	Visitors   *int64    `json:"visitors"`   // null: not known
	Share      *float64  `json:"share"`      // of the cohort, 0 to 1; null: not known, or the cohort is empty
}
