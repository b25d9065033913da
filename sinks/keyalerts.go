package sinks

// Where the table keeps alerts, and what they found. They belong to the table, not to a generation.
const (
	AlertsPK   = "ALERTS"
	FindingsPK = "FINDINGS"
)

// Alerts are those of a site: query the partition key with the prefix.
func Alerts(site string) (pk, prefix string) { return AlertsPK, escape(site) + "#" }

// AlertKey is where an alert of a site lies. The hour up to which all alerts are judged lies under no site and "judged".
func AlertKey(site, id string) Key { return Key{AlertsPK, escape(site) + "#" + escape(id)} }

// Findings are what alerts of a site found: query the partition key with the prefix, which an [Hour] may follow.
func Findings(site string) (pk, prefix string) { return FindingsPK, escape(site) + "#" }

// FindingKey is where the table keeps what an alert of a site found in an hour.
func FindingKey(site string, at int64, id string) Key {
	return Key{FindingsPK, escape(site) + "#" + Hour(at) + "#" + escape(id)}
}
