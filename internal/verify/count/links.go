package count

import (
	"strings"
)

// KeptLink returns what a ruling keeps of a url or referrer; nil of nil.
func (by Ruling) KeptLink(text []byte) []byte {
	if text == nil {
		return nil
	}
	setting := by.Settings.QueryParameters
	if by.Rules != nil && by.Rules.QueryParameters != "" {
		setting = by.Rules.QueryParameters
	}
	return []byte(keptLink(string(text), setting))
}

// keptLink returns what a setting of query parameters keeps of a url.
func keptLink(text, setting string) string {
	if setting == "all" || text == "" {
		return text
	}
	before, _, _ := strings.Cut(text, "#")
	page, query, _ := strings.Cut(before, "?")
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		for wanted := range strings.SplitSeq(setting, ",") {
			beginning, open := strings.CutSuffix(wanted, "*")
			if name != "" && setting != "none" && (name == wanted || open && strings.HasPrefix(name, beginning)) {
				kept = append(kept, pair)
				break
			}
		}
	}
	switch {
	case kept != nil:
		return page + "?" + strings.Join(kept, "&")
	case page == "":
		return text[:1]
	}
	return page
}
