package registry

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Options say which registry to ask.
type Options struct {
	// URLs are the servers of one registry with Confluent's API, http:// or https://, or a single glue://REGION. glue:// alone is the region of
	// the AWS configuration. Servers are asked in turn, beginning with the one that answered last. A URL may have a user and a password.
	URLs []string

	// User and Password are for basic authentication at all servers; without User there is none.
	User, Password string

	// PasswordFile has the password instead. It is read again for each request: it may be replaced while the process runs.
	PasswordFile string

	// CA is a PEM file with certificates that are trusted besides those of the system. For Glue, AWS_CA_BUNDLE names it.
	CA string
}

const schemeGlue = "glue"

// parse returns the URLs, or what is wrong with the options. No error has a password in it.
func (o Options) parse() (urls []*url.URL, err error) {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("event.registry."+format, args...))
	}
	if len(o.URLs) == 0 {
		fault("urls is empty: name the registry, as in https://registry.example:8081 or glue://eu-central-1")
	}
	glue, plain, own := false, true, false
	for _, text := range o.URLs {
		u, wrong := parseURL(text)
		if wrong != "" {
			fault("urls has %q: %s", redacted(text), wrong)
			continue
		}
		urls = append(urls, u)
		glue, plain, own = glue || u.Scheme == schemeGlue, plain && u.Scheme == "http", own || u.User != nil
	}
	if glue && len(o.URLs) > 1 {
		fault("urls has a glue:// among %d: name it alone", len(o.URLs))
	}
	switch with := o.User != "" || o.Password != "" || o.PasswordFile != ""; {
	case glue && with:
		fault("user %q, password and passwordFile are not for glue://, which takes the credentials of AWS: leave them out", o.User)
	case own && with:
		fault("user %q, password and passwordFile are given besides those in urls: leave one of them out", o.User)
	case o.Password != "" && o.PasswordFile != "":
		fault("password and passwordFile %s are both given: leave one of them out", o.PasswordFile)
	case with && o.User == "":
		fault("user is empty, but there is a password: set it, or leave out password and passwordFile")
	case with && o.Password == "" && o.PasswordFile == "":
		fault("user is %q without a password: set password or passwordFile", o.User)
	case strings.Contains(o.User, ":"):
		fault("user %q has a colon, which basic authentication cannot send: name another user", o.User)
	}
	switch {
	case o.CA != "" && glue:
		fault("ca %s is not for glue://: set AWS_CA_BUNDLE", o.CA)
	case o.CA != "" && plain && len(urls) > 0:
		fault("ca %s is of no use for http://: write https:// in urls, or leave it out", o.CA)
	}
	return urls, errors.Join(faults...)
}

// parseURL returns a URL, or what is wrong with it.
func parseURL(text string) (u *url.URL, wrong string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != schemeGlue:
		return nil, "write http://HOST:PORT, https://HOST:PORT or glue://REGION"
	case u.Scheme == schemeGlue:
		if strings.Trim(u.Host, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || u.User != nil || u.Path+u.RawQuery+u.Fragment != "" {
			return nil, "write glue:// and the region, as in glue://eu-central-1"
		}
		return u, ""
	case u.Hostname() == "":
		return nil, "it has no host: write " + u.Scheme + "://HOST:PORT"
	case u.RawQuery != "" || u.Fragment != "":
		return nil, "leave out what begins with ? or #"
	}
	if u.User != nil {
		if _, has := u.User.Password(); !has || u.User.Username() == "" {
			return nil, "write USER:PASSWORD before the @, or set user and password"
		}
	}
	return u, ""
}

// redacted returns what may be shown of a URL, which may be none.
func redacted(text string) string {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return text
	}
	scheme, _, ok := strings.Cut(text[:at], "://")
	if !ok {
		return "…" + text[at:]
	}
	return scheme + "://…" + text[at:]
}
