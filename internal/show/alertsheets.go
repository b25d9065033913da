package show

import "strconv"

func (a alertsView) notes() []string { return remarks(a.Site, a.SiteKnown, 0, a.Cursor) }

func (a alertsView) sheets() []sheet {
	found := sheet{title: "What alerts of site " + a.Site + " found, " + spanText(a.From, a.To), none: "Nothing.", columns: []column{
		{"start", "Hour (UTC)", false}, {"alertId", "Alert", false}, {"text", "Found", false}, {"when", "Condition", false},
		{"delivery", "Sent", false}, {"attempts", "Attempts", true}, {"error", "Error", false}}}
	for _, f := range a.Findings {
		found.rows = append(found.rows, []cell{timeCell(&f.Start, toMinute), textCell(f.AlertID), textCell(f.Text), textCell(f.When),
			textCell(f.Delivery), textCell(strconv.Itoa(f.Attempts)), textCell(f.Error)})
	}
	all := sheet{title: "Alerts", none: "None.", columns: []column{{"alertId", "Alert", false}, {"when", "Condition", false},
		{"webhookHost", "Webhook", false}, {"createdAt", "Created (UTC)", false}}}
	for _, of := range a.Alerts {
		all.rows = append(all.rows, []cell{textCell(of.ID), textCell(of.When), textCell(of.WebhookHost), timeCell(&of.CreatedAt, toMinute)})
	}
	return []sheet{found, all}
}
