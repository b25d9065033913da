// Package classify says what the texts of an event tell: of its userAgent the browser, the operating system, the kind
// of device and whether a bot sent it; of its url and referrer where the visit came from.
//
//	userAgent        -> Agent   device, browser, os, bot      agent.go, families.go, device.go, bots.go, hints.go
//	url, referrer    -> Source  referrer, channel, utm, spam  source.go, channels.go, sites.go, query.go
//	url              -> Hostname                              hostname.go, host.go
//	                    hosts in one form                     form.go
//
// The pipeline counts by the answers and verify counts again by the same, so they must be the same for ever: an answer
// depends on the bytes and on [Rules.Version] alone, never on a clock, on map order, or on what was asked before. Whatever
// changes an answer changes Version; tests hold it to the lists in data and to the library, and the vectors in testdata
// show which answers changed. User agents are read by two sets of [Rules], as the fold version of a step says.
//
// Every answer is valid UTF-8 of bounded length, whatever the bytes. Only ASCII letters change their case, but for hosts in
// one form. The work is linear in the length of the text: the patterns of bots are RE2's and fixed strings, and at most the
// first [MaxUserAgentBytes] of a user agent are looked at.
//
// # What ships with it
//
// The lists are embedded; data/README.md names source, licence and date of each, and data/renew fetches them again.
//
//	data/spammers.txt        Matomo: hosts that send referrer spam
//	data/SearchEngines.yml   Matomo: hosts of search engines, and how a search is told
//	data/Socials.yml         Matomo: hosts of social networks
//	data/hosts.txt           ours: video, shopping, email and assistants, and what Matomo's lists lack
//	data/bots.json           isbot: patterns of bots' user agents
//	data/agents.json         uap-core: expressions of browsers and operating systems
//
// By the former rules browser and operating system come from github.com/mileusna/useragent. The channels are those of Google Analytics 4,
// with a few of our own: docs/channels.md, which a test holds equal to the rules in channels.go.
package classify
