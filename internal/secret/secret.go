// Package secret reads passwords and tokens that are configured, or kept in a file that others may replace while the process runs.
package secret

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// Secret is a password or a token. Safe for concurrent use.
type Secret struct {
	value   string
	setting string // that names the file
	file    string // "": value is the secret

	mu   sync.Mutex // covers last
	last string     // that the file had
}

// New returns the secret value, or the one in a file if that is named. Errors name the setting that the file is from.
func New(value, fileSetting, file string) *Secret {
	return &Secret{value: value, setting: fileSetting, file: file}
}

// maxBytes is far more than tokens have, and less than the brokers take.
const maxBytes = 64 << 10

// Read returns the secret as it is now. While the file is missing or holds no secret, it returns the last one that the file had: a file
// that is written in place is empty for a moment. One trailing line break is removed.
func (s *Secret) Read() (string, error) {
	if s.file == "" {
		return s.value, nil
	}
	now, err := s.ofFile()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.last = now
	} else if s.last == "" {
		return "", fmt.Errorf("%s: %w", s.setting, err)
	}
	return s.last, nil
}

func (s *Secret) ofFile() (string, error) {
	text, err := os.ReadFile(s.file)
	if err != nil {
		return "", err
	}
	now := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	switch {
	case now == "":
		return "", fmt.Errorf("%s is empty: write the secret into it", s.file)
	case len(now) > maxBytes || strings.ContainsAny(now, "\r\n\x01"):
		return "", fmt.Errorf("%s is no secret: write it alone in one line of at most %d bytes", s.file, maxBytes)
	}
	return now, nil
}
