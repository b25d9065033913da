package collect

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strings"

	"github.com/oschwald/maxminddb-golang/v2"
)

// Network says how a visitor's address and country follow from a request. The zero value takes the connection's address and finds no
// country. Safe for concurrent use.
type Network struct {
	// Proxies are the networks of reverse proxies. What they say of the client in X-Forwarded-For is believed, and from others it is not.
	Proxies []netip.Prefix
	// CountryHeader is a header in which one of Proxies names the client's country, as in CF-IPCountry; "": none.
	CountryHeader string
	// Countries is a file in MaxMind's format whose records have country.iso_code; nil: none. The header has precedence.
	Countries *maxminddb.Reader
}

// OpenCountries reads a file in MaxMind's format into memory: a mapped file that is overwritten would end the process.
func OpenCountries(path string) (*maxminddb.Reader, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := maxminddb.OpenBytes(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// client is where a request came from.
type client struct {
	address netip.Addr
	country string // ISO 3166-1 alpha-2; "": not known
}

// clientOf finds the client: the last address of X-Forwarded-For that is no proxy's.
func (n *Network) clientOf(r *http.Request) client {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return client{}
	}
	c := client{address: plain(peer.Addr())}
	if !n.trusts(c.address) {
		c.country = n.countryOf(c.address)
		return c
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && n.trusts(c.address); i-- {
		text := strings.TrimSpace(hops[i])
		hop, err := netip.ParseAddr(text)
		if err != nil {
			withPort, portErr := netip.ParseAddrPort(text) // Azure's gateways add the port.
			hop, err = withPort.Addr(), portErr
		}
		if err != nil {
			break // Beyond a text that is no address nothing is known.
		}
		c.address = plain(hop)
	}
	if c.country = country(r.Header.Get(n.CountryHeader)); n.CountryHeader == "" || c.country == "" {
		c.country = n.countryOf(c.address)
	}
	return c
}

func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// trusts reports whether an address is a proxy's.
func (n *Network) trusts(a netip.Addr) bool {
	for _, p := range n.Proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// countryOf looks an address up.
func (n *Network) countryOf(a netip.Addr) string {
	if n.Countries == nil {
		return ""
	}
	var code string
	if err := n.Countries.Lookup(a).DecodePath(&code, "country", "iso_code"); err != nil {
		return "" // A damaged file costs the country, not the event.
	}
	return country(code)
}

// country is a code of two letters; "" for any other text, such as the XX and T1 of some proxies.
func country(text string) string {
	if len(text) != 2 || text == "XX" || text[0] < 'A' || text[0] > 'Z' || text[1] < 'A' || text[1] > 'Z' {
		return ""
	}
	return text
}
