package wire

import (
	"fmt"
	"strings"
)

// What the text of a Protobuf file may have. The compiler recurses into braces, and spells out the full name of each thing declared.
const (
	maxBraces    = 32
	maxStatement = 1_000    // bytes of names next to each other
	maxFullNames = 32 << 20 // bytes of all full names together
)

// What the files of a schema may have together. Some of the compiler's checks compare each string, optional field, oneof, group or
// extension with all others of the message or file. At these limits it takes up to 2 seconds and 300 MB.
const (
	maxStatements = 100_000
	maxStrings    = 10_000
	maxCompared   = 5_000
)

// protoCounts counts what is limited.
type protoCounts struct{ statements, strings, compared int }

// protoToken returns the first token of a text, and the rest: a name or a number without its dots, a string, or another byte. Space and
// comments before it are skipped. The token is empty at the end.
func protoToken(text string) (token, rest string) {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\v")
		var end string
		switch {
		case strings.HasPrefix(text, "//"):
			end = "\n"
		case strings.HasPrefix(text, "/*"):
			end = "*/"
		default:
			n := tokenLength(text)
			return text[:n], text[n:]
		}
		_, text, _ = strings.Cut(text[2:], end)
	}
}

func tokenLength(text string) int {
	if text == "" {
		return 0
	}
	n := 0
	for n < len(text) && nameByte(text[n]) {
		n++
	}
	if n > 0 {
		return n
	}
	if quote := text[0]; quote == '"' || quote == '\'' {
		for n = 1; n < len(text); n++ {
			if text[n] == '\\' {
				n++
			} else if text[n] == quote {
				return n + 1
			}
		}
		return len(text)
	}
	return 1
}

func nameByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z' || b >= 0x80
}

// protoTokens returns the tokens of a text, each on a line.
func protoTokens(text string) string {
	var all strings.Builder
	for token, rest := protoToken(text); token != ""; token, rest = protoToken(rest) {
		all.WriteString(token)
		all.WriteByte('\n')
	}
	return all.String()
}

// check refuses texts for which the compiler would need much more memory or time than they have bytes. It adds to the counts. A statement
// is what has names: also a part of one.
func (c *protoCounts) check(text string) error {
	var open []int // the names that braces are within, in bytes
	scope, names, total := 0, 0, 0
	inPackage := false
	for token, rest := protoToken(text); token != ""; token, rest = protoToken(rest) {
		if nameByte(token[0]) || token == "." {
			inPackage = inPackage || names == 0 && token == "package"
			switch token {
			case "optional", "oneof", "group", "extend", "extensions":
				c.compared++
			}
			if names += len(token); names > maxStatement {
				return fmt.Errorf("names of more than %d bytes in one statement", maxStatement)
			}
			continue
		}
		total += scope + names
		if names > 0 {
			c.statements++
		}
		switch token {
		case "{", "[", "<", "(":
			if len(open) == maxBraces {
				return fmt.Errorf("braces are nested more than %d deep", maxBraces)
			}
			open = append(open, names)
			scope += names
		case "}", "]", ">", ")":
			if len(open) > 0 {
				scope -= open[len(open)-1]
				open = open[:len(open)-1]
			}
		case ";":
			if inPackage {
				scope += names
			}
		default:
			if token[0] == '"' || token[0] == '\'' {
				c.strings++
			}
		}
		names, inPackage = 0, false
		if total > maxFullNames {
			return fmt.Errorf("full names of more than %d bytes", maxFullNames)
		}
	}
	if c.statements > maxStatements || c.strings > maxStrings || c.compared > maxCompared {
		return fmt.Errorf("%d names or numbers, %d strings, %d optional fields, oneofs, groups or extensions up to here: "+
			"at most %d, %d and %d are allowed", c.statements, c.strings, c.compared, maxStatements, maxStrings, maxCompared)
	}
	return nil
}
