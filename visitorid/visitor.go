package visitorid

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"net/netip"
)

// Visitor is what a visitor is told by. Its fields are hashed and not kept.
type Visitor struct {
	// Site is the event's siteId. Required.
	Site string
	// Address is the client's IP address. It may have a port, as in [http.Request.RemoteAddr], which is left out, as
	// is an IPv6 zone; an IPv4 address in IPv6 is the IPv4 address. Text that is none is hashed as it stands: logs
	// may have host names. To tell visitors by their network only, mask the address first ([netip.Addr.Prefix]).
	// Required.
	Address string
	// UserAgent is the header as the client sent it; empty for a client that sent none.
	UserAgent string
}

const (
	saltBytes = sha256.Size // a longer key makes HMAC no stronger (RFC 2104)
	idBytes   = 16          // 128 bits: the chance that two of 10^9 visitors have the same id is 10^-21
)

// salt is the key of one day's ids.
type salt [saltBytes]byte

// id returns the visitor's id under the salt.
func (s *salt) id(v Visitor) (string, error) { return v.id(hmac.New(sha256.New, s[:])) }

// id returns the visitor's id under the salt that an HMAC, to which nothing was written, is keyed with.
func (v Visitor) id(mac hash.Hash) (string, error) {
	switch {
	case v.Site == "":
		return "", errors.New(`visitor's Site "": it is empty; set the event's siteId`)
	case v.Address == "":
		return "", errors.New(`visitor's Address "": it is empty; set the address of the client, not of a proxy`)
	}
	address := canonical(v.Address)
	text := make([]byte, 0, 3*8+len(v.Site)+len(address)+len(v.UserAgent))
	for _, field := range [...]string{v.Site, address, v.UserAgent} {
		text = binary.BigEndian.AppendUint64(text, uint64(len(field)))
		text = append(text, field...)
	}
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(text[:0])[:idBytes]), nil
}

// canonical spells an address in the one way in which it is hashed.
func canonical(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		withPort, err := netip.ParseAddrPort(address)
		if err != nil {
			return address
		}
		a = withPort.Addr()
	}
	return a.Unmap().WithZone("").String()
}
