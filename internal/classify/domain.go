package classify

import "strings"

// Elsewhere reports whether an absolute url's host is none of the domains, nor below one. Case, port, user and a dot at the end
// do not matter. A url without a host is not elsewhere, and without domains none is. It does not allocate for ASCII.
func (c *Classifier) Elsewhere(url []byte, domains []string) bool {
	if len(domains) == 0 {
		return false
	}
	_, name := splitHost(url)
	if len(name) == 0 {
		return false
	}
	return !c.underAny(name, domains)
}

// Within reports whether an absolute url's host is one of the domains, or below one. Case, port, user and a dot at the end do not
// matter. A url without a host is within none. It does not allocate for ASCII.
func (c *Classifier) Within(url []byte, domains ...string) bool {
	_, name := splitHost(url)
	return len(name) > 0 && c.underAny(name, domains)
}

func (c *Classifier) underAny(name []byte, domains []string) bool {
	if c.inOneForm() && !isASCII(name) {
		name = []byte(Form(string(name)))
	}
	for _, domain := range domains {
		if under(name, strings.TrimSuffix(c.form(domain), ".")) {
			return true
		}
	}
	return false
}

// under reports whether a host, as it is spelled, is the domain or one below it.
func under(name []byte, domain string) bool {
	rest := len(name) - len(domain)
	if rest < 0 || rest > 0 && name[rest-1] != '.' {
		return false
	}
	for i := range len(domain) {
		if hostBytes[name[rest+i]] != hostBytes[domain[i]] {
			return false
		}
	}
	return true
}
