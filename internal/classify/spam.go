package classify

import "strings"

// readSpam reads Matomo's list: a host to a line.
func readSpam() map[string]bool {
	hosts := map[string]bool{}
	for line := range strings.Lines(read("spammers.txt")) {
		if line = strings.ToLower(strings.TrimSpace(line)); line != "" {
			hosts[line] = true
		}
	}
	return hosts
}

// spamOf returns the host or the domain above it that is in the list; "": none is.
func spamOf(list map[string]bool, name string) string {
	for domain := range domains(name) {
		if list[domain] {
			return domain
		}
	}
	return ""
}
