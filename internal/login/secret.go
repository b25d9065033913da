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

// read returns the secret as it is now. While the file is away, or holds no secret, as for a moment when it is written in place, the last
// secret that it had is returned. One trailing line break is cut.
func (s *secret) read() (string, error) {
	if s.file == "" {
		return s.value, nil
	}
	now, err := s.ofFile()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.last = now
	} else if s.last == "" {
		return "", fmt.Errorf("%s: %w", s.path, err)
	}
	return s.last, nil
}

func (s *secret) ofFile() (string, error) {
	text, err := os.ReadFile(s.file)
	if err != nil {
		return "", err
	}
	now := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	switch {
	case now == "":
		return "", fmt.Errorf("%s is empty: write the secret into it", s.file)
	case len(now) > maxSecret || strings.ContainsAny(now, "\r\n\x01"):
		return "", fmt.Errorf("%s is no secret: write it alone in one line of at most %d bytes", s.file, maxSecret)
	}
	return now, nil
}
