package classify

import (
	"fmt"
	"slices"
	"strings"
)

// A kind says what a site is to a visitor who comes from there.
type kind uint8

const (
	nowhere kind = iota // no site
	anySite             // a site that is in no list
	search
	social
	video
	shopping
	email
	assistant
)

var kindNames = [...]string{"nowhere", "site", "search", "social", "video", "shopping", "email", "assistant"}

func (k kind) String() string { return kindNames[k] }

// A site is what the lists say about a host.
type site struct {
	kind    kind
	engines []*engine // of a host that is a search engine's while it is searched; its kind is anySite
}

// An engine tells a search from other pages of the same host.
type engine struct {
	hides  bool     // it does not tell what was searched for, so each visit from its host is taken for a search
	params []string // of the referrer's query, one of which has what was searched for
}

// kindFor returns the kind of the site, given the whole referrer.
func (s site) kindFor(referrer []byte) kind {
	for _, e := range s.engines {
		if e.searched(referrer) {
			return search
		}
	}
	return s.kind
}

func (e *engine) searched(referrer []byte) bool {
	if e.hides {
		return true
	}
	for rest := queryOf(referrer); len(rest) > 0; {
		var name []byte
		name, _, rest = nextParam(rest)
		for _, param := range e.params {
			if param == string(name) {
				return true
			}
		}
	}
	return false
}

// sites are the lists of hosts, and the names by which utm_source calls some of them.
type sites struct {
	listed  map[string]kind
	engines map[string][]*engine // "{}" stands for a country: "google.{}", "{}.search.yahoo.com"
	names   map[string]kind
}

func readSites() *sites {
	s := &sites{listed: map[string]kind{}, engines: map[string][]*engine{}, names: map[string]kind{}}
	s.readHosts(read("hosts.txt"))
	s.readSocials(read("Socials.yml"))
	s.readEngines(read("SearchEngines.yml"))
	return s
}

// find returns what the lists say about a host. The host itself comes before the domains above it.
func (s *sites) find(name string) site {
	for domain := range domains(name) {
		if k, ok := s.listed[domain]; ok && (k != search || domain == bare(name)) {
			return site{kind: k}
		}
	}
	for _, spelling := range countrySpellings(name) {
		if engines := s.engines[spelling]; engines != nil {
			return site{anySite, engines}
		}
	}
	return site{kind: anySite}
}

// named returns the kind of what a utm_source names, in lower case: a name of hosts.txt, or a host.
func (s *sites) named(source string) kind {
	if k, ok := s.names[source]; ok {
		return k
	}
	found := s.find(source)
	if found.engines != nil {
		return search
	}
	return found.kind
}

// domains yields the name and the domains above it, but for the top-level domain.
func domains(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for strings.Contains(name, ".") && yield(name) {
			_, name, _ = strings.Cut(name, ".")
		}
	}
}

// countrySpellings returns the ways in which Matomo's list may spell a host: as it is or without "www.", and with {}
// for a country at its end ("de", "co.uk"), at its beginning, or both.
func countrySpellings(name string) (all []string) {
	for _, host := range slices.Compact([]string{name, bare(name)}) {
		all = append(all, host)
		labels := strings.Split(host, ".")
		if end := countryEnd(labels); end > 0 {
			all = append(all, strings.Join(labels[:end], ".")+".{}")
			labels = append(labels[:end:end], "{}")
		}
		if len(labels) > 2 && (len(labels[0]) == 2 || len(labels[0]) == 5 && labels[0][2] == '-') {
			labels[0] = "{}"
			all = append(all, strings.Join(labels, "."))
			all = append(all, "{}"+host[strings.IndexByte(host, '.'):])
		}
	}
	return all
}

// countryEnd returns where a country's ending of at least one label begins, 0 if there is none.
func countryEnd(labels []string) int {
	n := len(labels) - 1
	if n < 1 || len(labels[n]) != 2 {
		return 0
	}
	if n > 1 && slices.Contains([]string{"com", "org", "net", "co", "edu", "gov"}, labels[n-1]) {
		n--
	}
	return n
}

// readHosts reads hosts.txt, whose head explains it.
func (s *sites) readHosts(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head, hosts, ok := strings.Cut(line, ": ")
		word, name, _ := strings.Cut(head, " ")
		k := slices.Index(kindNames[:], word)
		if !ok || k < int(search) || name == "" {
			panic(fmt.Sprintf("classify: hosts.txt: %q is not: kind name: hosts", line))
		}
		s.names[strings.ToLower(name)] = kind(k)
		for _, host := range strings.Fields(hosts) {
			if strings.Contains(host, ".") {
				s.listed[host] = kind(k)
			} else {
				s.names[host] = kind(k)
			}
		}
	}
}

// readSocials reads Matomo's social networks, all but hosts that hosts.txt has.
func (s *sites) readSocials(text string) {
	for line := range strings.Lines(text) {
		if host, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n "), "  - "); ok {
			if _, ours := s.listed[unquote(host)]; !ours {
				s.listed[unquote(host)] = social
			}
		}
	}
}

// readEngines reads Matomo's search engines: YAML of which they use these lines only.
//
//	Name:
//	  -
//	    urls:
//	      - host, perhaps with {} for a country and perhaps with a path
//	    params:
//	      - name of a parameter, or a /pattern/ of the path
//	    hiddenkeyword:
//	      - path or /pattern/ of pages that do not tell what was searched for
//
// An entry with hiddenkeyword has them for its page of results or for all pages, since that is all that browsers send
// today; so we take each visit from its hosts for a search. Urls with a path, which are few and old, are left out, and
// so are patterns of the path.
func (s *sites) readEngines(text string) {
	var e *engine
	var key string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n ")
		if rest, ok := strings.CutPrefix(line, "  -"); ok { // what follows may be in the same line
			e, line = &engine{}, "   "+rest
		}
		item, isItem := strings.CutPrefix(line, "      - ")
		item = unquote(item)
		switch {
		case isItem && key == "urls" && !strings.Contains(item, "/"):
			s.engines[item] = append(s.engines[item], e)
		case isItem && key == "params" && !strings.HasPrefix(item, "/"):
			e.params = append(e.params, item)
		case isItem && key == "hiddenkeyword":
			e.hides = true
		case !isItem && strings.HasPrefix(line, "    "):
			key, _, _ = strings.Cut(line[4:], ":")
		}
	}
}

func unquote(s string) string {
	if len(s) > 1 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
