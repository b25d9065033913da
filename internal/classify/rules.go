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

// RulesOfFold returns the rules by which a fold version classifies events: see checkpoint.FoldVersion.
func RulesOfFold(version int) Rules {
	if version < 12 {
		return FormerRules
	}
	return PresentRules
}
