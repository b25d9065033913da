package classify

// A Source says where the visitor of an event came from. Referrer and the utm values are empty where there is none.
type Source struct {
	// Referrer is the referrer's host as Hostname returns it, without a leading "www.". It is empty when there is no
	// referrer, when it is no http, https or android-app url, and when it has the url's own host: then a page of the
	// site itself led here. A url that is a bare path has no host to compare with: leave out a referrer that is Within the site.
	Referrer string
	// Channel is one of Channels.
	Channel string
	// The values of the parameters of that name in the url's query, decoded, each cut to 128 bytes. The first
	// occurrence counts.
	UTMSource, UTMMedium, UTMCampaign, UTMContent, UTMTerm string
	// Spam is true when the referrer's host, or a domain above it, is known for sending visits that are none.
	Spam bool
}

// Source returns where the visitor of an event with this url and this referrer came from. Either may be empty. It does
// not allocate for hosts and values that were asked for lately.
func (c *Classifier) Source(url, referrer []byte) Source {
	q := readQuery(url)
	s := Source{
		UTMSource:   c.value(q.source),
		UTMMedium:   c.value(q.medium),
		UTMCampaign: c.value(q.campaign),
		UTMContent:  c.value(q.content),
		UTMTerm:     c.value(q.term),
	}
	from, kind := c.referrer(url, referrer)
	s.Referrer, s.Spam = from.bare, c.isSpam(url, from)
	s.Channel = c.channel(campaign{s.UTMSource, s.UTMMedium, s.UTMCampaign, q.click, kind})
	return s
}

// referrer returns the host of a referrer that is not of the url's own site, and what it was to the visitor.
func (c *Classifier) referrer(url, referrer []byte) (host, kind) {
	scheme, name := splitHost(referrer)
	if !isReferring(scheme) {
		return host{}, nowhere
	}
	from := c.host(name)
	_, own := splitHost(url)
	if from.name == "" || c.isSite(own, from.bare) {
		return host{}, nowhere
	}
	return from, from.site.kindFor(referrer)
}

// isReferring reports whether the scheme is one that browsers name in referrers of other sites.
func isReferring(scheme []byte) bool {
	var lower [len("android-app")]byte
	if len(scheme) > len(lower) {
		return false
	}
	s := lower[:copy(lower[:], scheme)]
	lowerASCII(s)
	return string(s) == "https" || string(s) == "http" || string(s) == "android-app"
}

// channel returns the channel by the rules, which are asked once for each campaign.
func (c *Classifier) channel(by campaign) string {
	if by == (campaign{referrer: by.referrer}) {
		return c.lists.untagged[by.referrer]
	}
	if channel, ok := c.channels.get(by); ok {
		return channel
	}
	channel := by.resolve(c.lists.sites).channel()
	c.channels.put(by, channel)
	return channel
}

// Spam reports what Source(url, referrer).Spam says, for less: it looks at nothing but the referrer's host, and at the
// url's where that is known for spam.
func (c *Classifier) Spam(url, referrer []byte) bool {
	scheme, name := splitHost(referrer)
	from := c.host(name)
	if from.spam == "" || !isReferring(scheme) { // The host decides nearly always.
		return false
	}
	_, own := splitHost(url)
	return !c.isSite(own, from.bare) && c.isSpam(url, from)
}

// isSpam reports whether a referrer of another site is spam.
func (c *Classifier) isSpam(url []byte, from host) bool {
	return from.spam != "" && !(c.inOneForm() && c.Within(url, from.spam))
}

// value returns the parameter's value as text. It does not allocate for one that was asked for lately.
func (c *Classifier) value(p param) string {
	if len(p.raw) == 0 {
		return ""
	}
	var text [maxValueBytes]byte
	b := appendValue(text[:0], p.raw)
	if s, ok := c.values.get(b); ok {
		return s
	}
	s := string(b)
	c.values.put(s, s)
	return s
}
