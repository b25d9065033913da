package login

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// secret is one that is configured, or kept in a file that others replace.
type secret struct {
	value string
	path  string // of the setting that names the file
	file  string // "": value is the secret

	mu   sync.Mutex // covers last
	last string     // that the file had
}

// maxSecret is far more than tokens have, and less than the brokers take.
const maxSecret = 64 << 10

// read returns the secret as it is now. While the file is away or empty, as it is for a moment when it is written in place, the secret that
// it had before is returned. One trailing line break is cut.
func (s *secret) read() (string, error) {
	if s.file == "" {
		return s.value, nil
	}
	text, err := os.ReadFile(s.file)
	now := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if len(now) > maxSecret || strings.ContainsAny(now, "\r\n\x01") {
		return "", fmt.Errorf("%s: %s is no secret: write it alone in one line of at most %d bytes", s.path, s.file, maxSecret)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case now != "":
		s.last = now
	case s.last != "":
	case err != nil:
		return "", fmt.Errorf("%s: %w", s.path, err)
	default:
		return "", fmt.Errorf("%s: %s is empty: write the secret into it", s.path, s.file)
	}
	return s.last, nil
}
