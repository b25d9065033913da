package pipeline

// What a fault of ours would do to a process, for external tests. Call these while the workers wait for records.

// BreakPages makes every worker panic at a page view with a url before anything is folded of it.
func (p *Pipeline) BreakPages() {
	for _, w := range p.owned() {
		w.pages = nil // A map that cannot be written to.
	}
}

// BreakSites makes every worker panic at the next event that it is to fold.
func (p *Pipeline) BreakSites() {
	for _, w := range p.owned() {
		w.sites = nil
	}
}
