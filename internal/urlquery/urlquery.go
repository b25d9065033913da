// Package urlquery keeps the wanted parameters of a url's query and removes all others, which may hold personal data:
// search terms, e-mail addresses, tokens that log a visitor in.
//
// [Page] is what identifies a page: the url without its query.
//
// Parameters are separated by & and their names are compared byte by byte, as they are spelled. So a name that is
// percent-encoded is on no list, and is removed. Unless all parameters are kept, the fragment goes too: single-page
// applications and OAuth put parameters there, and no figure depends on it.
package urlquery

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Default is the setting of a fresh configuration: the parameters that campaigns and channels are derived from.
const Default = "dclid,gbraid,gclid,msclkid,utm_*,wbraid"

// The settings that are not lists.
const (
	All  = "all"
	None = "none"
)

// Limits of a list.
const (
	MaxNames     = 100
	MaxNameBytes = 64
)

// Kept says which parameters are kept. The zero value keeps none. It does not change and is safe for concurrent use.
type Kept struct {
	all      bool
	names    map[string]bool
	prefixes []string
}

// Parse reads a setting: all, none, or names separated by commas, of which each may end in * for all that begin so.
func Parse(text string) (Kept, error) {
	switch text {
	case All:
		return Kept{all: true}, nil
	case None:
		return Kept{}, nil
	}
	k := Kept{names: make(map[string]bool)}
	names := strings.Split(text, ",")
	if len(names) > MaxNames {
		return Kept{}, fmt.Errorf("query parameters: %d names: list %d at most", len(names), MaxNames)
	}
	for _, name := range names {
		if err := Check(name); err != nil {
			return Kept{}, err
		}
		if prefix, ok := strings.CutSuffix(name, "*"); ok {
			k.prefixes = append(k.prefixes, prefix)
		} else {
			k.names[name] = true
		}
	}
	return k, nil
}

// Check reports why a name cannot be in a list; nil if it can.
func Check(name string) error {
	prefix := strings.TrimSuffix(name, "*")
	switch {
	case name == All || name == None:
		return fmt.Errorf("query parameters: %q stands alone: remove the other names", name)
	case prefix == "" || len(name) > MaxNameBytes || strings.ContainsFunc(prefix, unspellable):
		return fmt.Errorf("query parameters: %q is no name: write 1 to %d letters, digits and any of - _ . ~ [ ], with * at the end "+
			"for all that begin so", name, MaxNameBytes)
	}
	return nil
}

// unspellable reports whether a name in a list cannot have r.
func unspellable(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.~[]", r))
}

// Canonical spells a setting the one way that recorded settings have it: names in order, none twice.
func Canonical(names []string) string {
	names = slices.Sorted(slices.Values(names))
	return strings.Join(slices.Compact(names), ",")
}

// counted are the parameters that figures are made of.
var counted = []string{"dclid", "gbraid", "gclid", "msclkid", "wbraid",
	"utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"}

// HasCounted reports whether a setting keeps all parameters of a url that figures are made of.
func HasCounted(text string) bool {
	k, err := Parse(text)
	return err == nil && !slices.ContainsFunc(counted, func(name string) bool { return !k.all && !k.keeps([]byte(name)) })
}

// Cut returns the url without the parameters that are not kept. It returns a part of url itself, without allocating,
// where what is kept is the beginning of url. A url that is a query alone keeps its first byte: an empty url would have
// another page.
func (k *Kept) Cut(url []byte) []byte {
	if k.all || len(url) == 0 {
		return url
	}
	first := url[:1:1]
	if i := bytes.IndexByte(url, '#'); i >= 0 {
		url = url[:i:i]
	}
	mark := bytes.IndexByte(url, '?')
	if mark < 0 {
		mark = len(url)
	}
	kept, cut := url[:mark:mark], false // kept is the beginning of url until something between is left out.
	separator := byte('?')
	for rest := url[min(mark+1, len(url)):]; len(rest) > 0; {
		pair, after, _ := bytes.Cut(rest, []byte{'&'})
		rest = after
		name, _, _ := bytes.Cut(pair, []byte{'='})
		switch {
		case !k.keeps(name):
			cut = true
		case cut:
			kept = append(append(kept, separator), pair...)
			separator = '&'
		default:
			end := len(kept) + 1 + len(pair)
			kept = url[:end:end]
			separator = '&'
		}
	}
	if len(kept) == 0 {
		return first
	}
	return kept
}

// keeps reports whether the parameter of this name is kept.
func (k *Kept) keeps(name []byte) bool {
	if k.names[string(name)] {
		return true
	}
	for _, prefix := range k.prefixes {
		if len(name) >= len(prefix) && string(name[:len(prefix)]) == prefix {
			return true
		}
	}
	return false
}
