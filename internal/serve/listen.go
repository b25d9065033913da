package serve

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// CheckAddress returns why an address, HOST:PORT, cannot be listened on: anyone who can connect can read all sites, with sessions and
// visitor ids. So the host must be localhost or a loopback address. remedy is what admits others.
func CheckAddress(address, remedy string) error {
	host, err := hostOf(address)
	if err != nil {
		return err
	}
	if !Loopback(host) {
		return fmt.Errorf("%q is not a loopback address: there is no access control, so other machines would read every site, with "+
			"sessions and visitor ids: write 127.0.0.1:PORT or [::1]:PORT, or %s", address, remedy)
	}
	return nil
}

// CheckReach returns why an address, HOST:PORT, cannot be listened on by a server that asks for tokens. Beyond loopback, browsers must
// know the server by a name: public is its host; "": it has none.
func CheckReach(address, public string) error {
	host, err := hostOf(address)
	if err != nil {
		return err
	}
	if !Loopback(host) && public == "" {
		return fmt.Errorf("%q is not a loopback address: add --public-url, the address of the server in browsers, as in "+
			"https://stats.example", address)
	}
	return nil
}

func hostOf(address string) (string, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("%q is not HOST:PORT: write one, as in 127.0.0.1:8787", address)
	}
	return host, nil
}

// Loopback reports whether a host is localhost or a loopback address. A name is not looked up: its address may change.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
