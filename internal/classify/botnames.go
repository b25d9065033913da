package classify

// moreBots are names of programs that isbot does not have.
var moreBots = []string{"amzn-user/", "assetnote/", "miniature.io/", "360jk", "webthumbnail"}

// isBot reports whether a user agent in lower case is a bot's. The model of an Android device is not looked at, since there are phones
// called Spider and televisions with Google in their names.
func (l *lists) isBot(text string) bool {
	if len(text) > MaxUserAgentBytes-4 {
		text += "…" // It may have been cut: its end is none that a pattern may look for.
	}
	if from, to := modelOf(text); from < to {
		text = text[:from] + " k" + text[to:]
	}
	return l.bots.match(text) || containsAny(text, moreBots)
}
