package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Form returns the one form in which a host is compared and counted by the [PresentRules]: as browsers send it, with the labels that have
// other letters than ASCII in punycode, and in lower case. A host of ASCII alone, or that has no such form, is returned as it is.
func Form(host string) string {
	if isASCII(host) {
		return host
	}
	form, err := idna.Punycode.ToASCII(lowered(host))
	if err != nil || len(form) > maxHostBytes {
		return host
	}
	return form
}

func isASCII[T string | []byte](host T) bool {
	for i := range len(host) {
		if host[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lastStable is the last letter of Cyrillic's first supplement. Later versions of Unicode change the case of none up to it.
const lastStable = 0x52f

// lowered returns a host in lower case, as far as that depends on no version of Unicode.
func lowered(host string) string {
	return strings.Map(func(r rune) rune {
		if r > lastStable {
			return r
		}
		if lower := unicode.ToLower(r); r < utf8.RuneSelf || lower >= utf8.RuneSelf {
			return lower
		}
		return r
	}, host)
}

// formOf returns what the lists say about the form of a host; nil: what they say about the host.
func (c *Classifier) formOf(h host) *host {
	form := Form(h.name)
	if form == h.name && c.By(PresentRules).bare(form) == h.bare {
		return nil
	}
	own := c.lists.host(form)
	own.bare = c.By(PresentRules).bare(form)
	return &own
}

// bare returns the host without a leading "www.": in one form of all hosts, otherwise of those that are domains without it.
func (c *Classifier) bare(name string) string {
	if rest := strings.TrimPrefix(name, "www."); c.inOneForm() && rest != "" {
		return rest
	}
	return bare(name)
}

// form returns a name of a list in the form in which hosts are compared.
func (c *Classifier) form(host string) string {
	if !c.inOneForm() {
		return host
	}
	return Form(host)
}
