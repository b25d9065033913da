package wire

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

const uuidText = "b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63"

var uuid = [16]byte{0xb7, 0xb4, 0xa7, 0xf0, 0x9c, 0x96, 0x4e, 0x4a, 0xa6, 0x87, 0xfb, 0x5d, 0xe9, 0xef, 0x0c, 0x63}

// unhex reads bytes from digits with spaces.
func unhex(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSplit(t *testing.T) {
	digits := strings.ReplaceAll(uuidText, "-", "")
	for _, c := range []struct {
		value, payload string
		id             ID
		ok             bool
	}{
		{"00 00000007", "", Confluent(7), true},
		{"00 ffffffff 0203", "0203", Confluent(1<<32 - 1), true},
		{"03 00" + digits, "", Glue(uuid), true},
		{"03 05" + digits + "78", "78", Glue(uuid), true},
		{"03 01" + digits, "", ID{}, false},
		{"03 00" + digits[:30], "", ID{}, false},
		{"00 000000", "", ID{}, false},
		{"7b 7d7d7d7d7d", "", ID{}, false},
		{"", "", ID{}, false},
	} {
		id, payload, ok := Split(unhex(t, c.value))
		if id != c.id || ok != c.ok || !bytes.Equal(payload, unhex(t, c.payload)) {
			t.Errorf("Split(%s) = %v, %x, %v, want %v, %s, %v", c.value, id, payload, ok, c.id, c.payload, c.ok)
		}
	}
}

func TestIDsAreReadAsWritten(t *testing.T) {
	for text, want := range map[string]ID{"0": {}, "7": Confluent(7), "4294967295": Confluent(1<<32 - 1), uuidText: Glue(uuid)} {
		id, err := ParseID(text)
		if err != nil || id != want || id.String() != text {
			t.Errorf("ParseID(%q) = %v, %v, want %v", text, id, err, want)
		}
	}
	if id, err := ParseID(strings.ToUpper(uuidText)); err != nil || id != Glue(uuid) {
		t.Errorf("a UUID in upper case is %v, %v", id, err)
	}
	for _, text := range []string{"", "-1", "+7", "07", "4294967296", "7 ", uuidText[1:], uuidText + "0",
		strings.ReplaceAll(uuidText, "-", "0"), "z" + uuidText[1:], strings.ReplaceAll(uuidText, "-", "")} {
		if id, err := ParseID(text); err == nil {
			t.Errorf("ParseID(%q) = %v, want an error", text, id)
		}
	}
}
