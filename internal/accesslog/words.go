package accesslog

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/footfall/footfall/internal/strptime"
)

// nginxWords are variables of nginx (nginx.org/en/docs/varindex.html).
var nginxWords = map[string]field{"remote_addr": address, "realip_remote_addr": forwarded, "http_x_forwarded_for": forwarded,
	"proxy_protocol_addr": forwarded, "http_x_real_ip": forwarded, "host": host, "http_host": host, "server_name": host,
	"time_local": instant, "time_iso8601": instant, "msec": instant, "request": request, "request_method": method, "request_uri": target,
	"uri": target, "document_uri": target, "args": query, "query_string": query, "server_protocol": protocol, "status": status,
	"body_bytes_sent": size, "bytes_sent": size, "http_referer": referrer, "http_user_agent": userAgent, "remote_user": user}

// apacheWords are directives of Apache (httpd.apache.org/docs/2.4/mod/mod_log_config.html), apacheHeaders those that name a header.
var (
	apacheWords = map[string]field{"h": address, "a": address, "v": host, "V": host, "l": identity, "u": user, "r": request, "m": method,
		"U": target, "q": query, "H": protocol, "s": status, "b": size, "B": size, "O": size}
	apacheHeaders = map[string]field{"referer": referrer, "user-agent": userAgent, "host": host, "x-forwarded-for": forwarded,
		"x-real-ip": forwarded}
)

// goaccessWords are specifiers of GoAccess (goaccess.io/man, --log-format).
var goaccessWords = map[string]field{"x": instant, "d": date, "t": clock, "v": host, "h": address, "r": request, "m": method, "U": target,
	"q": query, "H": protocol, "s": status, "b": size, "R": referrer, "u": userAgent, "^": ignored, "e": ignored, "D": ignored, "T": ignored,
	"L": ignored, "n": ignored, "C": ignored, "K": ignored, "k": ignored, "M": ignored}

// tokensOf takes a layout apart by the words of nginx, Apache or GoAccess, whichever it has.
func tokensOf(text string) ([]token, error) {
	var next func(text string) (t token, rest string, err error)
	mark := "%"
	switch {
	case strings.Contains(text, "$"):
		mark, next = "$", nginxWord
	case strings.Contains(text, "%{"):
		next = apacheWord
	case strings.Contains(text, "%^"), strings.Contains(text, "%d"), strings.Contains(text, "%x"), strings.Contains(text, "%~"):
		next = goaccessWord
	default:
		next = apacheWord
	}
	var tokens []token
	for text != "" {
		plain, rest, found := strings.Cut(text, mark)
		if plain != "" {
			tokens = append(tokens, token{text: plain})
		}
		if text = rest; !found {
			break
		}
		t, rest, err := next(text)
		if err != nil {
			return nil, err
		}
		if t.word == "%t" && t.field == instant { // Apache's has brackets.
			tokens = append(tokens, token{text: "["}, t, token{text: "]"})
		} else {
			tokens = append(tokens, t)
		}
		text = rest
	}
	return tokens, nil
}

// nginxWord takes the name of a variable: remote_addr, or {remote_addr}.
func nginxWord(text string) (token, string, error) {
	end := strings.IndexFunc(text, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
	name, rest := text, ""
	if strings.HasPrefix(text, "{") {
		var ok bool
		if name, rest, ok = strings.Cut(text[1:], "}"); !ok {
			return token{}, "", fmt.Errorf("${%s has no closing brace", name)
		}
	} else if end >= 0 {
		name, rest = text[:end], text[end:]
	}
	if name == "" {
		return token{}, "", fmt.Errorf("a $ without a name after it, before %q", rest)
	}
	of, known := nginxWords[name]
	if meant := mistyped(name); !known && meant != "" {
		return token{}, "", fmt.Errorf("$%s is not read: did you mean $%s?", name, meant)
	}
	return token{field: of, word: "$" + name}, rest, nil
}

// mistyped returns the variable that a long name is two edits or less away from; "": there is none. Modules have variables of any name, so
// only near ones are suspicious.
func mistyped(name string) string {
	for known := range nginxWords {
		if len(name) >= 6 && levenshtein.ComputeDistance(name, known) <= 2 {
			return known
		}
	}
	return ""
}

// apacheWord takes a directive: h, >s, {Referer}i.
func apacheWord(text string) (token, string, error) {
	rest := strings.TrimLeft(text, "0123456789,!<>")
	argument := ""
	if strings.HasPrefix(rest, "{") {
		var ok bool
		if argument, rest, ok = strings.Cut(rest[1:], "}"); !ok {
			return token{}, "", fmt.Errorf("%%{%s has no closing brace", argument)
		}
	}
	if rest == "" {
		return token{}, "", fmt.Errorf("a %% without a letter after it")
	}
	letter, rest := rest[:1], rest[1:]
	t := token{field: apacheWords[letter], word: "%" + letter}
	switch {
	case letter == "%":
		return token{text: "%"}, rest, nil
	case letter == "i":
		t.field, t.word = apacheHeaders[strings.ToLower(argument)], "%{"+argument+"}i"
	case letter == "t":
		t.field = instant
		if argument = strings.TrimPrefix(strings.TrimPrefix(argument, "begin:"), "end:"); argument != "" {
			t.word = "%{" + argument + "}t"
		}
		if argument == "" || argument == "sec" || argument == "msec" || argument == "usec" {
			break
		}
		var err error
		if t.time, err = strptime.Layout(argument); err != nil {
			return token{}, "", err
		}
	case argument != "" && letter != "a":
		t.field, t.word = ignored, "%{"+argument+"}"+letter
	}
	return t, rest, nil
}

// goaccessWord takes a specifier: h, ^, or ~ for spaces.
func goaccessWord(text string) (token, string, error) {
	if text == "" {
		return token{}, "", fmt.Errorf("a %% without a letter after it")
	}
	letter, rest := text[:1], text[1:]
	if letter == "~" {
		return token{word: "%~", loose: true}, rest, nil
	}
	f, ok := goaccessWords[letter]
	if !ok {
		return token{}, "", fmt.Errorf("%%%s is no specifier of GoAccess: write %%^ for what is not counted", letter)
	}
	t := token{field: f, word: "%" + letter}
	if f == instant {
		t.word = "%x"
	}
	return t, rest, nil
}
