package serve

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A Certificate is a certificate for TLS from two files, which are read again when one of them has changed. Safe for concurrent use.
// Make one with [LoadCertificate].
type Certificate struct {
	cert, key string // paths
	log       *slog.Logger

	mu   sync.Mutex // covers all below
	pair *tls.Certificate
	read [2]fileVersion
}

// fileVersion says which content of a file was read.
type fileVersion struct {
	modified time.Time
	size     int64
}

// LoadCertificate reads a certificate with its chain and its key, both in PEM.
func LoadCertificate(cert, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log}
	if err := c.load(c.versions()); err != nil {
		return nil, err
	}
	return c, nil
}

// Config is how a server speaks TLS with the certificate.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil }}
}

// current returns the certificate of the files as they are now. If they cannot be read, as when one has been replaced and the other not
// yet, the one before stays.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.versions(); now != c.read {
		if err := c.load(now); err != nil {
			// Cause: The files of `--tls-cert` and `--tls-key` changed, and cannot be read or are no pair, as while only one is replaced. Remedy:
			// Replace both. They are read again when they change.
			c.log.Warn("the certificate was not read again; the one before stays", "error", err)
		}
	}
	return c.pair
}

func (c *Certificate) load(now [2]fileVersion) error {
	c.read = now // A fault is logged once, and looked at again when a file changes.
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("certificate %s with key %s: %w", c.cert, c.key, err)
	}
	c.pair = &pair
	return nil
}

func (c *Certificate) versions() (all [2]fileVersion) {
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			all[i] = fileVersion{info.ModTime(), info.Size()}
		}
	}
	return all
}
