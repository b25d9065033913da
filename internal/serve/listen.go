package serve

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// CheckAddress returns why an address, HOST:PORT, cannot be listened on: anyone who can connect can read all sites, with sessions and
// visitor ids. So the host must be localhost or a loopback address.
func CheckAddress(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT: write one, as in 127.0.0.1:8787", address)
	}
	if !loopback(host) {
		return fmt.Errorf("%q is not a loopback address: footfall serve has no access control yet, so other machines would read every site, "+
			"with sessions and visitor ids: write 127.0.0.1:PORT or [::1]:PORT, and reach it through an SSH tunnel or a proxy that asks for "+
			"a password", address)
	}
	return nil
}

// loopback reports whether a host is localhost or a loopback address. A name is not looked up: its address may change.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
