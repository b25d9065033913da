package sinks

import "github.com/footfall/footfall/sinks/internal/ids"

// Where the table keeps alerts, and what they found. They belong to the table, not to a generation.
const (
	AlertsPK   = "ALERTS"
	FindingsPK = "FINDINGS"
)

// Alerts are those of a site: query the partition key with the prefix.
func Alerts(site string) (pk, prefix string) { return AlertsPK, ids.Escape(site) + "#" }

// AlertKey is where an alert of a site lies. The hour up to which all sites are judged lies under no site and "judged", that of a site
// which waits under no site and "judged SITE".
func AlertKey(site, id string) Key { return Key{AlertsPK, ids.Escape(site) + "#" + ids.Escape(id)} }

// Findings are what alerts of a site found: query the partition key with the prefix, which an [Hour] may follow.
func Findings(site string) (pk, prefix string) { return FindingsPK, ids.Escape(site) + "#" }

// FindingKey is where the table keeps what an alert of a site found in an hour.
func FindingKey(site string, at int64, id string) Key {
	return Key{FindingsPK, ids.Escape(site) + "#" + Hour(at) + "#" + ids.Escape(id)}
}
