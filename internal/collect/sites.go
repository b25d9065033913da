package collect

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Sites are the sites of a file, who may send events of each, and from where. The file is read again when it changes. Safe for
// concurrent use. Make one with [LoadSites].
type Sites struct {
	path  string
	log   *slog.Logger
	local bool // there is no file: see LocalSites

	of atomic.Pointer[map[string]*site]

	looking sync.Mutex // covers all below; held while the file is looked at, which others do not wait for
	read    fileVersion
	failed  string    // why the file was last read in vain; it is logged once
	next    time.Time // when the file is looked at again
}

// lookEvery is how often the file of sites is looked at.
const lookEvery = time.Second

// fileVersion says which content of a file was read.
type fileVersion struct {
	modified time.Time
	size     int64
}

// site says who may send events.
type site struct {
	origins []string
	tokens  [][sha256.Size]byte
	local   bool // origins are those of this machine
}

// sitesFile is the file as it is written.
type sitesFile struct {
	Sites []struct {
		ID      string   `yaml:"id"`
		Origins []string `yaml:"origins"` // of pages that may send; none: https://ID and https://www.ID
		Tokens  []string `yaml:"tokens"`  // SHA-256 of tokens of backends, in hex
	} `yaml:"sites"`
}

// LoadSites reads a file of sites.
func LoadSites(path string, log *slog.Logger) (*Sites, error) {
	s := &Sites{path: path, log: log}
	if err := s.look(); err != nil {
		return nil, err
	}
	return s, nil
}

// LocalSites are all sites, with pages of this machine.
func LocalSites() *Sites { return &Sites{local: true} }

// site returns a site; nil: the file does not have it.
func (s *Sites) site(id string, now time.Time) *site {
	if s.local {
		return &site{local: true}
	}
	if s.looking.TryLock() {
		defer s.looking.Unlock()
		if now.After(s.next) {
			s.next = now.Add(lookEvery)
			s.lookAgain()
		}
	}
	return (*s.of.Load())[id]
}

func (s *Sites) lookAgain() {
	err := s.look()
	if err == nil {
		s.failed = ""
	} else if s.failed != err.Error() {
		s.failed = err.Error()
		// Cause: The file of `--sites` changed, and cannot be read or is wrong; `error` says what. Remedy: Correct it. It is read again within a
		// second.
		s.log.Warn("the file of sites was not read again; the sites before stay", "error", err)
	}
}

// look reads the file if it is another than the one that was read. looking is held, or s is not shared yet.
func (s *Sites) look() error {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	version := fileVersion{info.ModTime(), info.Size()}
	if s.read == version {
		return nil
	}
	of, err := readSites(s.path)
	if err == nil {
		s.read = version
		s.of.Store(&of)
	}
	return err
}

func readSites(path string) (map[string]*site, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var f sitesFile
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(f.Sites) == 0 {
		return nil, fmt.Errorf("%s: sites: there is none: write a list, as in sites: [{id: shop.example}]", path)
	}
	of := make(map[string]*site)
	for i, x := range f.Sites {
		made, err := newSite(x.ID, x.Origins, x.Tokens)
		switch {
		case err != nil:
		case of[x.ID] != nil:
			err = fmt.Errorf("id %q is that of another site: merge the two", x.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: sites[%d]: %w", path, i, err)
		}
		of[x.ID] = made
	}
	return of, nil
}

func newSite(id string, origins, tokens []string) (*site, error) {
	if id == "" || len(id) > 128 {
		return nil, fmt.Errorf("id %q: write the siteId, 1 to 128 bytes", id)
	}
	made := &site{origins: origins}
	if len(origins) == 0 {
		made.origins = []string{"https://" + id, "https://www." + id}
	}
	for _, o := range made.origins {
		switch {
		case asSent(o):
		case len(origins) == 0:
			return nil, fmt.Errorf("id %q is no host name: write the origins of its pages, as in origins: [https://shop.example]", id)
		default:
			return nil, fmt.Errorf("origins: %q: write scheme, host and port alone as browsers do: in lower case, xn-- for other letters, "+
				"without port 80 of http and 443 of https, as in https://shop.example", o)
		}
	}
	for _, text := range tokens {
		sum, err := hex.DecodeString(text)
		if err != nil || len(sum) != sha256.Size {
			return nil, errors.New("tokens: not the SHA-256 of a token in hex (not shown): make one with `printf %s \"$TOKEN\" | sha256sum`")
		}
		if [sha256.Size]byte(sum) == sha256.Sum256(nil) {
			return nil, errors.New("tokens: the SHA-256 of an empty token: with it, all who send none would be let in: was $TOKEN set?")
		}
		made.tokens = append(made.tokens, [sha256.Size]byte(sum))
	}
	return made, nil
}

// asSent reports whether an origin is spelled as in the header of browsers.
func asSent(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != strings.ToLower(u.Scheme+"://"+u.Host) {
		return false
	}
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return (port == "" || u.Port() != port) && !strings.ContainsFunc(u.Host, func(r rune) bool { return r == '*' || r > unicode.MaxASCII })
}

// from reports whether pages of an origin may send.
func (s *site) from(origin string) bool {
	if !s.local {
		return slices.Contains(s.origins, origin)
	}
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	host := u.Hostname()
	a, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && a.IsLoopback()
}

// has reports whether a token is one of the site's.
func (s *site) has(token string) bool {
	sum, found := sha256.Sum256([]byte(token)), 0
	for _, t := range s.tokens {
		found |= subtle.ConstantTimeCompare(sum[:], t[:])
	}
	return found == 1
}
