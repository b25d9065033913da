package query

import (
	"time"

	"github.com/footfall/footfall/query/ranges"
)

// What package ranges declares is part of this package, too.
type (
	// ParamError reports a question with parameters that have no answer. The caller must change them.
	ParamError = ranges.ParamError
	// Paging asks for one page of a list.
	Paging = ranges.Paging
	// Range is a range of time, half-open.
	Range = ranges.Range
	// By is the size of a bucket. "" leaves the choice to the question.
	By = ranges.By
	// Align says which earlier range a range is compared with.
	Align = ranges.Align
	// Coverage says up to when figures are complete. It is part of the answers about a site's figures.
	Coverage = ranges.Coverage
	// Warning is about a partition of a topic whose records are missing from the figures, if it has any of the site.
	Warning = ranges.Warning
	// Known is part of every answer about a site.
	Known = ranges.Known
	// Stored says where a site has data, in an answer that has none.
	Stored = ranges.Stored
	// Within is a stored hour or day in which an event lies.
	Within = ranges.Within
	// RawEventsError reports that a question cannot be answered because raw events are switched off or have expired.
	RawEventsError = ranges.RawEventsError
)

// Sizes of buckets. Weeks begin on Monday, as in ISO 8601.
const (
	Hour  = ranges.Hour
	Day   = ranges.Day
	Week  = ranges.Week
	Month = ranges.Month
	Year  = ranges.Year
)

// Days is the Unit of a range of several days. It is no size of a bucket.
const Days = ranges.Days

// Earlier ranges that a range is compared with, as [ranges.Align] explains them.
const (
	AlignPeriod  = ranges.AlignPeriod
	AlignWeekday = ranges.AlignWeekday
	AlignYear    = ranges.AlignYear
)

// What a range can be compared with, besides another range: the one before, and the same dates a year before.
const (
	AgainstPrevious = ranges.AgainstPrevious
	AgainstYear     = ranges.AgainstYear
)

// Kinds of warnings.
const (
	WarnParked = ranges.WarnParked
	WarnGap    = ranges.WarnGap
	WarnBehind = ranges.WarnBehind
)

// Sizes of pages, in rows.
const (
	DefaultLimit = ranges.DefaultLimit
	MaxLimit     = ranges.MaxLimit
)

// Names that a question may give: of sizes of buckets, of alignments and of periods, in the order of package ranges.
var (
	Sizes      = ranges.Sizes
	Alignments = ranges.Alignments
	Periods    = ranges.Periods
)

// ParseZone is [ranges.ParseZone].
func ParseZone(name string) (*time.Location, error) { return ranges.ParseZone(name) }
