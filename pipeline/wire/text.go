package wire

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// appendText appends a string.
func appendText(dst, text []byte) ([]byte, error) {
	out, err := jsontext.AppendQuote(dst, text)
	if err != nil {
		return dst, wrong(whyNotUTF8)
	}
	return out, nil
}

// quoted is a name as JSON. Names come from schemas, whose texts are valid UTF-8.
func quoted(name string) []byte {
	text, _ := jsontext.AppendQuote(nil, name)
	return text
}

// label is a member's name as JSON, with the colon.
func label(name string) []byte { return append(quoted(name), ':') }

func appendBase64(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// appendFloat appends a finite number as JavaScript spells it: the shortest digits from which the same number is read.
func appendFloat(dst []byte, f float64, bits int) []byte {
	size, format := math.Abs(f), byte('f')
	if size != 0 && (bits == 64 && (size < 1e-6 || size >= 1e21) || bits == 32 && (float32(size) < 1e-6 || float32(size) >= 1e21)) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' { // e-09 is e-9
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// What a decimal may have.
const (
	maxDigits       = 1_000
	maxDecimalBytes = 416 // of 1,000 digits: 1,000 * log2(10) bits and a sign
)

// appendDecimal appends a number that is stored as a big-endian integer in two's complement, divided by 10^scale.
func appendDecimal(dst, integer []byte, scale int) ([]byte, error) {
	for len(integer) > 1 && (integer[0] == 0 && integer[1] < 0x80 || integer[0] == 0xff && integer[1] >= 0x80) {
		integer = integer[1:]
	}
	if len(integer) == 0 || len(integer) > maxDecimalBytes {
		return dst, wrong("a decimal of " + strconv.Itoa(len(integer)) + " bytes")
	}
	var digits []byte
	var space [24]byte
	if len(integer) <= 8 {
		n := int64(int8(integer[0]))
		for _, b := range integer[1:] {
			n = n<<8 | int64(b)
		}
		digits = strconv.AppendInt(space[:0], n, 10)
	} else {
		n := new(big.Int).SetBytes(integer)
		if integer[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(integer))))
		}
		digits = n.Append(nil, 10)
	}
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if scale < 0 && digits[0] != '0' {
		return appendZeros(append(dst, digits...), -scale), nil
	}
	if scale <= 0 {
		return append(dst, digits...), nil
	}
	if whole := len(digits) - scale; whole > 0 {
		dst, digits = append(dst, digits[:whole]...), digits[whole:]
		dst = append(dst, '.')
	} else {
		dst = appendZeros(append(dst, '0', '.'), -whole)
	}
	return append(dst, digits...), nil
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
