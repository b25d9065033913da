package sites

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// Limits of the paths that a site excludes.
const (
	maxExcludedPaths = 50
	maxExcludedStars = 8 // of one path: comparing takes at most stars times page steps
	maxExcludedTypes = 20
)

// ExcludesType reports whether events of a type are excluded from the site's figures. It does not allocate.
func (s *Rules) ExcludesType(kind []byte) bool {
	return s != nil && slices.ContainsFunc(s.ExcludedTypes, func(x string) bool { return x == string(kind) })
}

// ExcludesPage reports whether events of a page are excluded from the site's figures. A site excludes the pages that are equal to one of
// its excluded paths, where each * of the path stands for any text, slashes included. Case matters. page is the path of the event's
// url, whole; an event without a url is never excluded. It does not allocate.
func (s *Rules) ExcludesPage(page []byte) bool {
	if s == nil || len(page) == 0 {
		return false
	}
	for _, path := range s.ExcludedPaths {
		if matchesPath(page, path) {
			return true
		}
	}
	return false
}

// matchesPath compares a page with a path. Each text between two stars is found at the first place where it is, which leaves the most
// for those after it.
func matchesPath(page []byte, path string) bool {
	first, rest, starred := strings.Cut(path, "*")
	if !starred {
		return string(page) == path
	}
	if !bytes.HasPrefix(page, []byte(first)) {
		return false
	}
	page = page[len(first):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return bytes.HasSuffix(page, []byte(part))
		}
		at := bytes.Index(page, []byte(part))
		if at < 0 {
			return false
		}
		page, rest = page[at+len(part):], after
	}
}

// mayExcludeTypes returns an error if members of an earlier release, which count all types, may still come to the table.
func (d Decision) mayExcludeTypes(ctx context.Context, types []string) error {
	if len(types) == 0 {
		return nil
	}
	s, ok, err := sinks.LoadTableSettings(ctx, d.Table, sinks.Keys{})
	if err == nil && ok && s.Format < sinks.FormatOfPurges {
		err = fmt.Errorf("excluded types %q: members of release %s count them, and may return until footfall upgrade finalize: run it first",
			types, sinks.FormatRelease(s.Format))
	}
	return err
}

// checkExcluded checks the types and the paths that the site excludes.
func (d Definition) checkExcluded(f *faults) {
	if n := len(d.ExcludedTypes); n > maxExcludedTypes {
		f.add("%d excluded types: name %d at most", n, maxExcludedTypes)
	}
	for _, kind := range d.ExcludedTypes {
		f.text("excluded type", kind, maxText)
		if kind == "" {
			f.add("excluded type %q: name a type, such as asset", kind)
		}
	}
	if n := len(d.ExcludedPaths); n > maxExcludedPaths {
		f.add("%d excluded paths: name %d at most", n, maxExcludedPaths)
	}
	for _, path := range d.ExcludedPaths {
		f.text("excluded path", path, maxText)
		switch {
		case !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "*"):
			f.add("excluded path %q: begin it with / or *, as in /admin/*", path)
		case strings.ContainsAny(path, "?#"):
			f.add("excluded path %q: paths have no query and no fragment; leave out what follows ? or #", path)
		case strings.Count(path, "*") > maxExcludedStars:
			f.add("excluded path %q has %d stars: write %d at most", path, strings.Count(path, "*"), maxExcludedStars)
		case strings.Trim(path, "/*") == "" && strings.Contains(path, "*"):
			f.add("excluded path %q excludes every page: write a part of the path, as in /admin/*", path)
		}
	}
}
