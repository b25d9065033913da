package cli

import (
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
)

// hidden stands for what is kept out of a text.
const hidden = "********"

// leastSecret is how short a secret of the environment, or a line of a secret's file, may be: DynamoDB Local takes any access key, and
// without those of one or two letters no text can be read.
const leastSecret = 8

// mask returns a function that replaces secrets in a text: those of the configuration and of the environment, and what is spelled as one.
func mask(src config.Sources) func(string) string {
	secrets := config.Secrets(src)
	for _, s := range append(slices.Clone(secrets), environmentSecrets(src.Env)...) {
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); len(line) >= leastSecret {
				secrets = append(secrets, line)
			}
		}
	}
	var spelled []string
	for _, s := range secrets {
		quoted := strconv.Quote(s)
		object, _ := json.Marshal(s) // Strings marshal.
		spelled = append(spelled, s, quoted[1:len(quoted)-1], string(object[1:len(object)-1]), url.QueryEscape(s), url.PathEscape(s))
	}
	// Where one begins with another, the longer one is replaced.
	slices.SortFunc(spelled, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	var pairs []string
	for _, s := range slices.Compact(spelled) {
		pairs = append(pairs, s, hidden)
	}
	known := strings.NewReplacer(pairs...)
	return func(text string) string {
		text = known.Replace(text)
		for _, r := range recognized {
			text = r.found.ReplaceAllString(text, r.by)
		}
		return text
	}
}

// recognized is what is kept out of a text because of how it is spelled: lines of logs may have secrets that are configured no more, or
// elsewhere, and keys of items name visitors.
var recognized = []struct {
	found *regexp.Regexp
	by    string
}{
	{regexp.MustCompile(`\bff[ts]_[a-z2-7]{16}_[a-z2-7]{32}\b`), hidden},                              // tokens and share links
	{regexp.MustCompile(`\bey[\w-]+\.[\w-]+\.[\w-]*`), hidden},                                        // JSON Web Tokens
	{regexp.MustCompile(`(?i)\b(bearer|basic) +[\w.~+/=-]+`), "$1 " + hidden},                         // of a request's header
	{regexp.MustCompile(`://[^/\s@"']*@`), "://" + hidden + "@"},                                      // user and password of a URL
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*KEY-----`), hidden}, // PEM
	{regexp.MustCompile(`\b(A[KS]IA)[A-Z0-9]{16}\b`), "$1" + hidden},                                  // AWS access keys
	{regexp.MustCompile(`(?i)((?:password|passwd|secret|token|access_?key|api_?key)(?:=|":\s*))("(?:[^"\\]|\\.)*"|[^\s"',;&]+)`), "$1" + hidden},
	{regexp.MustCompile(`("(?:visitorId|sessionId|userId|userAgent)":\s*)"(?:[^"\\]|\\.)*"`), `$1"` + hidden + `"`}, // of events
	{regexp.MustCompile(`(\\"(?:visitorId|sessionId|userId|userAgent)\\":\s*\\")(?:[^"\\]|\\\\(?:\\.|.))*`), "$1" + hidden},
	{regexp.MustCompile(`(VISITOR|SESSION|ARRIVAL|USER|CONVERSION(?:#|%23)\d+)(#|%23)[^#\n]*`), "$1$2" + hidden}, // keys of items
}

// secretName finds the variables and settings that hold a secret, or name a file that does.
var secretName = regexp.MustCompile(`(?i)secret|token|passw|credential|access_?key|api_?key|private_?key|header|authorization`)

// environmentSecrets are the values of variables that hold secrets, the AWS ones among them, and those of the files of AWS credentials.
func environmentSecrets(environ []string) (secrets []string) {
	files := []string{}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".aws", "credentials"), filepath.Join(home, ".aws", "config"))
	}
	assigned := func(text string) {
		if name, value, ok := strings.Cut(text, "="); ok && secretName.MatchString(name) {
			secrets = append(secrets, value)
		}
	}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		switch {
		case slices.ContainsFunc(command.ConfigFields(), func(f config.Field) bool { return f.Env == name }): // Known by [config.Secrets].
		case strings.HasSuffix(name, "_FILE") && secretName.MatchString(name), name == "AWS_CONFIG_FILE":
			files = append(files, value)
		case strings.HasSuffix(name, "_HEADERS"): // As in api-key=abc,x-team=b.
			for pair := range strings.SplitSeq(value, ",") {
				assigned("header" + pair)
			}
		default:
			assigned(e)
		}
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() { // Most are not there. A pipe would be waited for.
			continue
		}
		content, _ := os.ReadFile(name)
		for line := range strings.Lines(string(content)) {
			assigned(line)
			if !strings.Contains(line, " = ") && !strings.HasPrefix(line, "[") {
				secrets = append(secrets, line)
			}
		}
	}
	return secrets
}
