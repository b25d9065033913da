package testpipeline

import (
	"encoding/json"

	"github.com/footfall/footfall/internal/mapping"
)

// Foreign gives records another shape: what site they are of depends on the mapping.
func Foreign(records []Record) []Record {
	for i := range records {
		var e map[string]any
		if err := json.Unmarshal(records[i].Value, &e); err != nil {
			panic(err) // Traffic makes JSON.
		}
		who := map[string]any{"id": e["visitorId"], "session": e["sessionId"]}
		f := map[string]any{"kind": e["type"], "at": e["timestamp"].(float64) / 1000, "who": who, "key": e["id"], "page": e["url"], "n": i % 7}
		if site, ok := e["siteId"]; ok {
			f["a"], f["b"], f["c"], f["d"] = site, "b", "c", "d"
		}
		records[i].Value = MustJSON(f)
	}
	return records
}

// MapOf makes the site of records of one of their keys.
func MapOf(site string) string {
	return mapping.Config{Map: []string{"siteId=" + site, "type=kind", "timestamp=at", "visitorId=who.id", "sessionId=who.session?", "id=key",
		"url=page"}, Rest: true, TimeUnit: "s"}.Canonical()
}
