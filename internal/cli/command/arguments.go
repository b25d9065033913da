package command

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/access"
)

// PublicURL reads the address at which browsers reach a server.
func PublicURL(text string) (*url.URL, error) {
	origin := strings.TrimSuffix(text, "/")
	if err := access.CheckOrigin(origin); err != nil {
		return nil, Usagef("--public-url %q: write scheme and host, as in https://stats.example: %w", text, err)
	}
	return url.Parse(origin)
}

// PartitionOf reads the number of a partition from an argument.
func PartitionOf(arg string) (int32, error) {
	n, err := strconv.ParseInt(arg, 10, 32)
	if err != nil || n < 0 {
		return 0, Usagef("%q is not a partition: give its number", arg)
	}
	return int32(n), nil
}
