package state

import (
	"encoding/binary"
	"math/bits"

	"github.com/footfall/footfall/sinks"
)

// Values are what an event says in each dimension of breakdowns, in the order of sinks.DimensionNames; "" is nothing.
type Values [len(sinks.DimensionNames)]string

// The bytes of values: a uvarint with a bit for each dimension in which they differ from the base's, the first dimension's the least;
// then each of these: a uvarint that is 2n+1 for the n-th of words, or twice the length of the value, which follows; 0 is no value.

// words are values that most sessions have. What is in the bytes is their number: a change of the list is one of sessionVersion.
var words = [...]string{"desktop", "mobile", "tablet", "tv", "console",
	"Direct", "Organic Search", "Organic Social", "Organic Shopping", "Organic Video", "Referral", "Email", "Paid Search", "Paid Social",
	"Paid Shopping", "Paid Video", "Paid Other", "Display", "Affiliates", "SMS", "Audio", "AI Assistants",
	"Mobile Push Notifications", "Unassigned",
	"Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Browser", "Facebook", "Instagram",
	"Windows", "Android", "iOS", "macOS", "Linux", "ChromeOS",
	"google", "bing", "facebook", "newsletter", "email", "cpc", "organic", "social", "referral",
	"www.google.com", "www.bing.com", "duckduckgo.com", "www.facebook.com", "t.co"}

var wordNumbers = func() map[string]uint64 {
	numbers := make(map[string]uint64, len(words))
	for n, word := range words {
		numbers[word] = uint64(n)
	}
	return numbers
}()

// maxValueBytes is how long a value may be: no longer than the url that it may be a part of.
const maxValueBytes = 2048

var nothing Values

func (v *Values) orNothing() *Values {
	if v == nil {
		return &nothing
	}
	return v
}

// differs reports whether two have different values. Both may be nil.
func (v *Values) differs(o *Values) bool { return v != o && *v.orNothing() != *o.orNothing() }

func (v *Values) appendBinary(b []byte, base *Values) []byte {
	v, base = v.orNothing(), base.orNothing()
	different := uint64(0)
	for d := range v {
		if v[d] != base[d] {
			different |= 1 << d
		}
	}
	b = binary.AppendUvarint(b, different)
	for d := range v {
		if different>>d&1 != 0 {
			b = appendValue(b, v[d])
		}
	}
	return b
}

func appendValue(b []byte, value string) []byte {
	if n, ok := wordNumbers[value]; ok {
		return binary.AppendUvarint(b, n<<1|1)
	}
	b = binary.AppendUvarint(b, uint64(len(value))<<1)
	return append(b, value...)
}

func (r *varints) values(base *Values) *Values {
	v := *base.orNothing()
	different := r.unsigned()
	if different == 0 || bits.Len64(different) > len(v) {
		r.bad, r.b = true, nil
		return nil
	}
	for d, name := range sinks.DimensionNames {
		if different>>d&1 != 0 {
			v[d] = r.value()
			r.bad = r.bad || name == ""
		}
	}
	return &v
}

func (r *varints) value() string {
	n := r.unsigned()
	if n&1 != 0 {
		if n >>= 1; n < uint64(len(words)) {
			return words[n]
		}
		r.bad = true
		return ""
	}
	return r.bytes(n>>1, maxValueBytes)
}
