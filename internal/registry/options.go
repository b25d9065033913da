package registry

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Options say which registry to ask.
type Options struct {
	// URLs are the servers of one registry with Confluent's API, http:// or https://, or a single glue://REGION. Without a region, glue:// is
	// in the region of the AWS configuration. Servers are asked in turn, beginning with the last one that answered. A URL may have a user
	// and a password.
	URLs []string

	// User and Password are for basic authentication at all servers; without User there is none.
	User, Password string

	// PasswordFile has the password instead. It is read again for each request: it may be replaced while the process runs.
	PasswordFile string

	// CA is a PEM file with certificates to trust besides the ones of the system. For Glue, set AWS_CA_BUNDLE instead.
	CA string
}

const schemeGlue = "glue"

// Check returns what is wrong with the options, each with its field and the remedy. It reads no file.
func (o Options) Check() error {
	_, err := o.parse()
	return err
}

// parse returns the URLs, or what is wrong with the options. No error has a password in it.
func (o Options) parse() (urls []*url.URL, err error) {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("event.registry."+format, args...))
	}
	var glue, secure, own bool
	for _, text := range o.URLs {
		u, wrong := parseURL(text)
		if wrong != "" {
			fault("urls has %q: %s", redacted(text), wrong)
			continue
		}
		urls = append(urls, u)
		glue, secure, own = glue || u.Scheme == schemeGlue, secure || u.Scheme == "https", own || u.User != nil
	}
	switch with := o.User+o.Password+o.PasswordFile != ""; {
	case len(o.URLs) == 0:
		fault("urls is empty: name the registry, as in https://registry.example:8081 or glue://eu-central-1")
	case glue && len(o.URLs) > 1:
		fault("urls has glue:// among %d URLs: name it alone", len(o.URLs))
	case glue && with:
		fault("user %q, password and passwordFile are not for glue://, which takes the credentials of AWS: leave them out", o.User)
	case own && with:
		fault("user %q, password and passwordFile are given besides those in urls: leave out one or the other", o.User)
	case o.Password != "" && o.PasswordFile != "":
		fault("password and passwordFile %s are both given: leave out one of them", o.PasswordFile)
	case with && (o.User == "" || o.Password+o.PasswordFile == ""):
		fault("user is %q, and a user needs a password: set user and password or passwordFile, or none of them", o.User)
	case strings.Contains(o.User, ":"):
		fault("user is %q: basic authentication allows no colon in it, name another user", o.User)
	}
	if o.CA != "" && !secure && len(urls) > 0 {
		fault("ca is %s, which only https:// uses: write that in urls, or leave ca out; for glue:// set AWS_CA_BUNDLE", o.CA)
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
		if strings.Trim(u.Host, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || text != "glue://"+u.Host {
			return nil, "write glue:// and the region, as in glue://eu-central-1"
		}
		return u, ""
	case u.Hostname() == "":
		return nil, "it has no host: write " + u.Scheme + "://HOST:PORT"
	case u.RawQuery != "" || u.Fragment != "":
		return nil, "leave out what begins with ? or #"
	}
	if password, has := u.User.Password(); u.User != nil && (!has || password == "" || u.User.Username() == "") {
		return nil, "write USER:PASSWORD before the @, or set user and password"
	}
	return u, ""
}

// redacted leaves out what may be a password, also of a text that is no URL.
func redacted(text string) string { return text[strings.LastIndexByte(text, '@')+1:] }
