package sinks

import "strings"

// SiteOf returns the site that an item belongs to by its key, and false for items of the table itself. An id that is too
// long for a key is returned as the key has it, shortened.
func SiteOf(key Key) (site string, ok bool) {
	rest := key.PK
	if g, after, found := strings.Cut(rest, "#"); found && isGeneration(g) {
		rest = after
	}
	var segment string
	switch {
	case strings.HasPrefix(rest, sitePrefix):
		segment, _, _ = strings.Cut(rest[len(sitePrefix):], "#")
	case strings.HasPrefix(rest, siteListPrefix):
		segment = key.SK
	default:
		return "", false
	}
	id, shortened, err := unescaped(segment)
	if shortened || err != nil {
		return segment, true
	}
	return id, true
}

const (
	sitePrefix     = "SITE#"
	siteListPrefix = "SITES#"
)

// isGeneration reports whether a segment spells a generation of items, as in G2.
func isGeneration(segment string) bool {
	return len(segment) > 1 && segment[0] == 'G' && strings.Trim(segment[1:], "0123456789") == ""
}
