package collect

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// germany is a file in MaxMind's format in which all IPv4 addresses are in Germany.
const germany = "\x00\x00\x11\x00\x00\x11" + // the tree: both sides of its one node lead to the record
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + "\xe1\x47country\xe1\x48iso_code\x42DE" +
	"\xab\xcd\xefMaxMind.com" + "\xe5\x4anode_count\xc1\x01\x4brecord_size\xa1\x18\x4aip_version\xa1\x04" +
	"\x5bbinary_format_major_version\xa1\x02\x4ddatabase_type\x41T"

// TestCountryOfAFile: the file may be overwritten while it is used.
func TestCountryOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "countries.mmdb")
	if err := os.WriteFile(path, []byte(germany), 0o600); err != nil {
		t.Fatal(err)
	}
	countries, err := OpenCountries(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	n := Network{Countries: countries}
	for peer, want := range map[string]string{"203.0.113.9:1": "DE", "[::ffff:203.0.113.9]:1": "DE", "[2001:db8::1]:1": ""} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = peer
		if got := n.clientOf(r).country; got != want {
			t.Errorf("the country of %s is %q, want %q", peer, got, want)
		}
	}
	if _, err := OpenCountries(path); err == nil {
		t.Error("an empty file was opened")
	}
}
