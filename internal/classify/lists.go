package classify

import "sync"

// tables are the lists, read once for the process; nothing ever writes to them again, so every Classifier shares them.
var tables = sync.OnceValue(func() *lists {
	l := &lists{spam: readSpam(), sites: readSites(), bots: readBots()}
	for k := range l.untagged {
		l.untagged[k] = campaign{referrer: kind(k)}.resolve(l.sites).channel()
	}
	return l
})

type lists struct {
	spam     map[string]bool
	sites    *sites
	bots     *bots
	untagged [len(kindNames)]string // the channel of a visit without a campaign, by the kind of its referrer
}

// A host is what the lists say about one.
type host struct {
	name string // as Hostname returns it
	bare string // without "www.": two hosts with the same are one site
	spam string // its domain in the list of spam; "": none
	site site
	form *host // as the present rules have it; nil: this is it
}

func (l *lists) host(name string) host {
	if name == "" {
		return host{}
	}
	return host{name: name, bare: bare(name), spam: spamOf(l.spam, name), site: l.sites.find(name)}
}
