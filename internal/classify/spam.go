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

// isSpam reports whether the host or a domain above it is in the list.
func isSpam(list map[string]bool, name string) bool {
	for domain := range domains(name) {
		if list[domain] {
			return true
		}
	}
	return false
}
