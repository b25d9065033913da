// Package noted has questions about what is noted of a site: annotations, alerts and what these found. Package query has them, too.
package noted

import (
	"time"

	"github.com/footfall/footfall/query/ranges"
)

// AnnotationsParams ask for the annotations of a site.
type AnnotationsParams struct {
	Site       string
	From, To   time.Time // instants that they are about; To is exclusive; zero: open
	Consistent bool      // strongly consistent reads, at twice the cost
	ranges.Paging
}

// AnnotationsAnswer lists annotations in the order of their instants.
type AnnotationsAnswer struct {
	Site string `json:"siteId"`
	ranges.Known
	From        *time.Time   `json:"from"` // null: open
	To          *time.Time   `json:"to"`   // null: open
	Annotations []Annotation `json:"annotations"`
	Cursor      string       `json:"cursor"` // of the next page; "": this is the last
}

// Annotation is a note about an instant of a site.
type Annotation struct {
	AnnotationID string    `json:"annotationId"`
	At           time.Time `json:"at"`
	Text         string    `json:"text"` // of any characters: show it as text
	CreatedAt    time.Time `json:"createdAt"`
	CreatedBy    string    `json:"createdBy"`
}

// AnnotationAnswer is one annotation.
type AnnotationAnswer struct {
	Site string `json:"siteId"`
	Annotation
}

// AlertsParams ask what alerts of a site found.
type AlertsParams struct {
	Site       string
	From, To   time.Time // of the hours; To is exclusive; zero: open
	Consistent bool      // strongly consistent reads, at twice the cost
	// FindingsOnly leaves out the alerts, and whether the site is known: for half a read unit.
	FindingsOnly bool
	ranges.Paging
}

// AlertsAnswer lists the alerts of a site, and what they found, by hour.
type AlertsAnswer struct {
	Site string `json:"siteId"`
	ranges.Known
	From     *time.Time `json:"from"` // null: open
	To       *time.Time `json:"to"`   // null: open
	Alerts   []Alert    `json:"alerts"`
	Findings []Finding  `json:"findings"`
	// JudgedThrough is the end of the last hour that was judged; null: none, or there are no alerts.
	JudgedThrough *time.Time `json:"judgedThrough"`
	WaitingFor    []int32    `json:"waitingFor"` // partitions that must be counted before later hours are judged, the first 20
	Skipped       []Skipped  `json:"skipped"`    // hours of the range that were not judged, of the last ones
	Cursor        string     `json:"cursor"`     // of the next page; "": this is the last
	Tried         bool       `json:"-"`          // the findings are those of a condition that was tried, not of an alert
}

// Skipped are hours that were not judged.
type Skipped struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"` // exclusive
	// Why is: "too late" (they were not counted, or no process judged, for a day) or "unreadable" (figures could not be read).
	Why string `json:"why"`
}

// Alert is a condition that hours of a site are judged by.
type Alert struct {
	ID          string    `json:"alertId"`
	When        string    `json:"when"`        // the condition
	WebhookHost string    `json:"webhookHost"` // "": findings are not sent
	CreatedAt   time.Time `json:"createdAt"`
}

// Finding is an hour in which an alert fired.
type Finding struct {
	Start    time.Time   `json:"start"`
	End      time.Time   `json:"end"` // exclusive
	AlertID  string      `json:"alertId"`
	When     string      `json:"when"`  // the condition
	Found    []Deviation `json:"found"` // the largest first
	Text     string      `json:"text"`  // the same, for people
	JudgedAt time.Time   `json:"judgedAt"`
	// Delivery is pending, sent, failed (the webhook has not accepted it for a day) or none (there is no webhook).
	Delivery string `json:"delivery"`
	Attempts int    `json:"attempts"`
	Error    string `json:"error"` // of the last attempt; "": none
}

// Deviation is what a condition was fulfilled by.
type Deviation struct {
	Hours int     `json:"hours"` // that were added up, up to the finding's end
	Count int64   `json:"count"` // in these
	Usual float64 `json:"usual"` // of these hours in the four weeks before; 0: not compared, or none
	Value string  `json:"value"` // of the dimension; "": the condition is not about one
}
