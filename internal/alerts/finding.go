package alerts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/query/noted"
	"github.com/footfall/footfall/sinks"
)

// A Finding is what an alert found in an hour. There is at most one of an alert in QuietHours.
type Finding struct {
	Site     string
	Alert    string
	Hour     int64
	Begin    int64       // ms within the hour: when that of the site's clocks begins
	When     string      // the condition
	Found    []Deviation // of a dimension: of several values
	JudgedAt time.Time
	Delivery Delivery
}

// States of deliveries.
const (
	Pending = "pending" // it is to be sent
	Sent    = "sent"    // the webhook has accepted it
	Failed  = "failed"  // the webhook has not accepted it in time
	NoHook  = "none"    // the alert has no webhook
)

// Delivery is how a finding is sent.
type Delivery struct {
	State    string    `json:"state"`
	Attempts int       `json:"attempts"`
	At       time.Time `json:"at,omitzero"`     // of the last attempt
	Error    string    `json:"error,omitempty"` // of the last attempt
}

// MessageID is the same whenever a finding is sent, so that receivers can drop repetitions.
func (f Finding) MessageID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %q", f.Site, f.Hour, f.Alert))
	return "alert_" + hex.EncodeToString(sum[:12])
}

// Key is where the finding lies.
func (f Finding) Key() sinks.Key { return sinks.FindingKey(f.Site, f.Hour*hourMs, f.Alert) }

// Start is when the hour begins by the site's clocks.
func (f Finding) Start() time.Time { return time.UnixMilli(f.Hour*hourMs + f.Begin).UTC() }

const hourMs = int64(time.Hour / time.Millisecond)

// Item is the item of a finding.
func (f Finding) Item() sinks.Item {
	it := entered.Head(f.Key(), sinks.EntityFinding, f.Site)
	it[sinks.AttrAlertID], it[sinks.AttrAt] = sinks.Str(f.Alert), sinks.Int(f.Start().UnixMilli())
	it[sinks.AttrCreatedAt], it[sinks.AttrText] = sinks.Int(f.JudgedAt.UnixMilli()), sinks.Str(f.When)
	it[sinks.AttrFound], it[sinks.AttrDelivery] = spelled(f.Found), spelled(f.Delivery)
	it[sinks.AttrTTL] = sinks.Int(f.Hour*3600 + sinks.VerificationDays*86_400)
	return it
}

func spelled(of any) sinks.Value {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err) // Numbers and strings marshal.
	}
	return sinks.Str(string(text))
}

// ReadFinding reads the item of a finding. One that is damaged is an error.
func ReadFinding(it sinks.Item) (Finding, error) {
	f := Finding{Site: it[sinks.AttrSiteID].Str(), Alert: it[sinks.AttrAlertID].Str(),
		Hour: it[sinks.AttrAt].Int() / hourMs, Begin: it[sinks.AttrAt].Int() % hourMs,
		When: it[sinks.AttrText].Str(), JudgedAt: time.UnixMilli(it[sinks.AttrCreatedAt].Int()).UTC()}
	err := json.Unmarshal([]byte(it[sinks.AttrFound].Str()), &f.Found)
	if err == nil {
		err = json.Unmarshal([]byte(it[sinks.AttrDelivery].Str()), &f.Delivery)
	}
	if err == nil && f.Key() != it.Key() {
		err = fmt.Errorf("it is one of site %q, alert %q and %v", f.Site, f.Alert, HourStart(f.Hour))
	}
	if err != nil {
		return Finding{}, fmt.Errorf("finding %s: %w", it.Key().SK, err)
	}
	return f, nil
}

// Text says what was found, for people.
func (f Finding) Text() string {
	var parts []string
	for _, d := range f.Found {
		text := fmt.Sprintf("%d", d.Count)
		if d.Value != "" {
			text = d.Value + ": " + text
		}
		if d.Hours > 1 {
			text += fmt.Sprintf(" in %d hours", d.Hours)
		}
		if d.Usual > 0 {
			text += fmt.Sprintf(", usually %.0f", d.Usual)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// Shown is the finding as answers have it.
func (f Finding) Shown() noted.Finding {
	shown := noted.Finding{Start: f.Start(), End: f.Start().Add(time.Hour), AlertID: f.Alert, When: f.When, Text: f.Text(),
		JudgedAt: f.JudgedAt, Delivery: f.Delivery.State, Attempts: f.Delivery.Attempts, Error: f.Delivery.Error}
	for _, d := range f.Found {
		shown.Found = append(shown.Found, noted.Deviation(d))
	}
	return shown
}
