package serving

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// ServeAddress is where footfall serve and footfall dev listen by default.
const ServeAddress = "127.0.0.1:8787"

// ListenHere listens on a loopback address.
func ListenHere(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: choose another address with --listen", err)
	}
	if here, ok := l.Addr().(*net.TCPAddr); !ok || !here.IP.IsLoopback() { // localhost may be the name of another address.
		return nil, errors.Join(fmt.Errorf("--listen %s: it resolves to %s, which is not a loopback address: write 127.0.0.1:PORT", address,
			l.Addr()), l.Close())
	}
	return l, nil
}

// AddressOf is the address of what a listener serves, for browsers.
func AddressOf(l net.Listener) string { return "http://" + l.Addr().String() + "/" }

// untilDone is work that ends with its context.
func untilDone(ctx context.Context) error {
	<-ctx.Done()
	return nil
}
