package show

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/plural"
)

func (a alertsView) notes() (notes []string) {
	if a.JudgedThrough != nil {
		notes = append(notes, "All hours "+spanText(nil, a.JudgedThrough)+" have been judged.")
	}
	if n := len(a.WaitingFor); n > 0 {
		notes = append(notes, fmt.Sprintf("Later hours wait for %s %s to be counted: footfall status says what keeps it.",
			plural.Of(n, "partition", "partitions"), strings.Trim(fmt.Sprint(a.WaitingFor), "[]")))
	}
	for _, s := range a.Skipped {
		notes = append(notes, fmt.Sprintf("Not judged: %s, %s.", spanText(&s.Start, &s.End), s.Why))
	}
	return append(notes, remarks(a.Site, a.SiteKnown, 0, a.Cursor)...)
}

func (a alertsView) sheets() []sheet {
	found := sheet{title: "What alerts of site " + a.Site + " found, " + spanText(a.From, a.To), none: "Nothing.", columns: []column{
		{"start", "Hour (UTC)", false}, {"alertId", "Alert", false}, {"text", "Found", false}, {"when", "Condition", false},
		{"delivery", "Sent", false}, {"attempts", "Attempts", true}, {"error", "Error", false}}}
	if a.Tried { // Its name is the condition, and nothing was sent.
		found.columns = found.columns[:3]
	}
	for _, f := range a.Findings {
		row := []cell{timeCell(&f.Start, toMinute), textCell(f.AlertID), textCell(f.Text), textCell(f.When), textCell(f.Delivery),
			textCell(strconv.Itoa(f.Attempts)), textCell(f.Error)}
		found.rows = append(found.rows, row[:len(found.columns)])
	}
	if a.Tried {
		found.title = "When the alert of site " + a.Site + " would have fired, " + spanText(a.From, a.To)
		return []sheet{found}
	}
	all := sheet{title: "Alerts", none: "None.", columns: []column{{"alertId", "Alert", false}, {"when", "Condition", false},
		{"webhookHost", "Webhook", false}, {"createdAt", "Created (UTC)", false}}}
	for _, of := range a.Alerts {
		all.rows = append(all.rows, []cell{textCell(of.ID), textCell(of.When), textCell(of.WebhookHost), timeCell(&of.CreatedAt, toMinute)})
	}
	return []sheet{found, all}
}
