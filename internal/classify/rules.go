package classify

// Rules say how events are classified. A release keeps the former one's rules for what was counted by them.
type Rules uint8

const (
	// FormerRules name user agents by the library useragent, and take hosts as they are spelled.
	FormerRules Rules = iota
	// PresentRules name user agents by uap-core and by client hints. They compare and count hosts in one form: see [Form]. "www." is cut
	// from a host with one label more, too, and no referrer is spam if its entry in the list is a domain of the url's host.
	PresentRules

	rulesKnown
)

// RulesOf returns the present rules or the former ones.
func RulesOf(present bool) Rules {
	if present {
		return PresentRules
	}
	return FormerRules
}
