package sinks

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks/int128"
)

func TestValueOfAnotherKindIsZero(t *testing.T) {
	values := []Value{{}, Str("s"), Int(7), Bytes([]byte("b")), Strings([]string{"l"}), Foreign("BOOL true", true)}
	for i, v := range values {
		if got := v.Kind(); got != Kind(i) {
			t.Errorf("kind = %d, want %d", got, i)
		}
		if (v.Str() != "") != (i == 1) || (v.Int() != 0) != (i == 2) || (v.Num() != int128.Int{}) != (i == 2) ||
			(v.Bytes() != nil) != (i == 3) || (v.Strings() != nil) != (i == 4) || (v.Stored() != nil) != (i == 5) {
			t.Errorf("value of kind %d answers for another kind: %+v", i, v)
		}
		for j, o := range values {
			if v.Equal(o) != (i == j) {
				t.Errorf("value of kind %d equals one of kind %d: %v", i, j, i != j)
			}
		}
	}
}

func TestValuesAreEqualByContent(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Value
		want bool
	}{
		{"empty string and none", Str(""), Value{}, false},
		{"empty binary, nil or not", Bytes(nil), Bytes([]byte{}), true},
		{"empty list, nil or not", Strings(nil), Strings([]string{}), true},
		{"zero and none", Int(0), Value{}, false},
		{"number and its text", Int(1), Str("1"), false},
		{"text and its bytes", Str("a"), Bytes([]byte("a")), false},
		{"lists of other order", Strings([]string{"a", "b"}), Strings([]string{"b", "a"}), false},
		{"foreign values of one spelling", Foreign("BOOL true", 1), Foreign("BOOL true", 2), true},
		{"foreign values of two spellings", Foreign("BOOL true", 1), Foreign("BOOL false", 1), false},
		{"a list and its joined text", Strings([]string{"a", "b"}), Strings([]string{"ab"}), false},
		{"numbers equal in 64 bits only", Num(int128.Unzigzag(2, 10)), Int(5), false},
	} {
		if got := c.a.Equal(c.b); got != c.want {
			t.Errorf("%s: equal is %v, want %v", c.name, got, c.want)
		}
		if got := c.b.Equal(c.a); got != c.want {
			t.Errorf("%s, the other way round: equal is %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSizeIsDynamoDBs(t *testing.T) {
	for _, c := range []struct {
		name string
		it   Item
		want int
	}{
		{"nothing", nil, 0},
		{"a string counts its bytes", Item{"ab": Str("é")}, 2 + 2},
		{"one digit", Item{"n": Int(7)}, 1 + 2},
		{"two digits", Item{"n": Int(42)}, 1 + 2},
		{"three digits", Item{"n": Int(420)}, 1 + 3},
		{"digits are paired from the units up", Item{"n": Int(178652050)}, 1 + 6},
		{"no zeros at the end", Item{"n": Int(1786525000)}, 1 + 5},
		{"a zero of the last pair", Item{"n": Int(110)}, 1 + 3},
		{"a sign", Item{"n": Int(-42)}, 1 + 3},
		{"a sign and three digits", Item{"n": Int(-420)}, 1 + 4},
		{"a sign and no zeros at the end", Item{"n": Int(-100)}, 1 + 3},
		{"zero", Item{"n": Int(0)}, 1 + 1},
		{"binary", Item{"b": Bytes(make([]byte, 9))}, 1 + 9},
		{"a list, and an element's byte", Item{"l": Strings([]string{"abc", ""})}, 1 + 3 + 1 + 3 + 1},
		{"all attributes", Item{"pk": Str("p"), "sk": Str("s"), "n": Int(0)}, 3 + 3 + 2},
	} {
		if got := c.it.Size(); got != c.want {
			t.Errorf("%s: size = %d, want %d", c.name, got, c.want)
		}
	}
}

func TestItemExpiresAtItsTimeToLive(t *testing.T) {
	const now = 1_700_000_000
	for _, c := range []struct {
		name string
		ttl  Value
		want bool
	}{
		{"none", Value{}, false},
		{"a second ago", Int(now - 1), true},
		{"now", Int(now), true},
		{"in a second", Int(now + 1), false},
		{"no number", Str("1"), false},
	} {
		if got := (Item{AttrTTL: c.ttl}).Expired(now); got != c.want {
			t.Errorf("%s: expired is %v, want %v", c.name, got, c.want)
		}
	}
}

func TestThrottleErrorTellsAHotKey(t *testing.T) {
	for reason, hot := range map[string]bool{
		"TableWriteKeyRangeThroughputExceeded": true, "TableWriteProvisionedThroughputExceeded": false, "TableWriteAccountLimitExceeded": false,
	} {
		err := &ThrottleError{Reasons: []string{reason}}
		if err.HotKey() != hot || !Retryable(err) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v: hot key is %v, want %v; it can be repeated and names its reason", err, err.HotKey(), hot)
		}
	}
	for _, err := range []error{ErrTooLarge, ErrNoTable, ErrDenied, nil} {
		if Retryable(err) {
			t.Errorf("%v counts as retryable", err)
		}
	}
}

func TestPairsOfDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"0", "1", "-1", "100", "1001000", "-99", "18446744073709551616", "-9223372036854775808",
		"170141183460469231731687303715884105727"}
	for range 200 {
		texts = append(texts, int128.Unzigzag(r.Uint64()>>r.IntN(64), r.Uint64()).String())
		texts = append(texts, int128.From(int64(r.Uint64())>>r.IntN(64)/100*100).String())
	}
	for _, text := range texts {
		n, err := int128.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		digits := strings.TrimPrefix(text, "-")
		if len(digits)%2 == 1 {
			digits = "0" + digits
		}
		for strings.HasSuffix(digits, "00") {
			digits = digits[:len(digits)-2]
		}
		want := len(digits) / 2
		if text == "0" {
			want = 0
		}
		if got := pairs(n); got != want {
			t.Errorf("%s has %d pairs of digits, want %d", text, got, want)
		}
	}
}
