package event

import "bytes"

// parseMillionths returns the value that a JSON number denotes, in millionths, if it is below 10^9 in size and
// has at most 6 places. The spelling does not matter: 1e3 is 1000, 1.5e-2 is 0.015, and 2.50000000 has one place.
func parseMillionths(number []byte) (int64, bool) {
	const limit = 1e9 * 1e6
	v, ok := parseDecimal(number, 6)
	if !ok || v <= -limit || v >= limit {
		return 0, false
	}
	return v, true
}

// parseDecimal returns 10^places times the decimal that a valid JSON number denotes, if that is a whole number of
// at most 18 digits. Nothing is rounded and nothing passes through float64.
func parseDecimal(number []byte, places int) (int64, bool) {
	const maxDigits = 18 // 10^18 fits an int64
	exponent := 0
	if i := bytes.IndexByte(number, 'e'); i >= 0 {
		number, exponent = number[:i], parseExponent(number[i+1:])
	} else if i := bytes.IndexByte(number, 'E'); i >= 0 {
		number, exponent = number[:i], parseExponent(number[i+1:])
	}
	negative := number[0] == '-'
	if negative {
		number = number[1:]
	}

	// The number is n * 10^(zeros-behind+exponent); n ends with a digit that is not 0.
	var n int64
	var digits, zeros, behind int // digits of n; zeros read since its last; digits read after the point
	point := false
	for _, c := range number {
		if c == '.' {
			point = true
			continue
		}
		if point {
			behind++
		}
		if c == '0' {
			zeros++
			continue
		}
		if n == 0 {
			zeros = 0 // Zeros in front have no weight.
		}
		if digits += zeros + 1; digits > maxDigits {
			return 0, false
		}
		for ; zeros >= 0; zeros-- {
			n *= 10
		}
		n += int64(c - '0')
		zeros = 0
	}
	if n == 0 {
		return 0, true // whatever the exponent
	}
	shift := zeros - behind + exponent + places
	if shift < 0 || digits+shift > maxDigits {
		return 0, false
	}
	for ; shift > 0; shift-- {
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, true
}

// parseExponent returns the exponent that s spells, kept within a size that the digits of no record make up for.
func parseExponent(s []byte) int {
	const enough = 10 * MaxRecordBytes
	negative := s[0] == '-'
	if negative || s[0] == '+' {
		s = s[1:]
	}
	n := 0
	for _, c := range s {
		n = min(10*n+int(c-'0'), enough)
	}
	if negative {
		return -n
	}
	return n
}
