package produce

import (
	"bytes"
	"strings"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/plural"
)

// Types of an access log's events.
const (
	pageView = "page_view"
	download = "download"
	asset    = "asset"
)

// leftOut says why a line becomes no event, though nothing is wrong with it; "": it becomes one.
type leftOut string

const (
	leftNoRequest leftOut = "no request"
	leftHealth    leftOut = "health check"
	leftError     leftOut = "error"
	leftRedirect  leftOut = "redirect"
	leftMethod    leftOut = "method"
	leftAsset     leftOut = "asset"
	leftComment   leftOut = "comment" // of what the log is wrapped in; it counts as a comment
)

// LeftOut is how many lines of access logs were left out, each for the first reason that applies.
type LeftOut struct {
	NoRequest    int64 `json:"noRequest"` // such as TLS that was sent to a port without it
	Assets       int64 `json:"assets"`
	Errors       int64 `json:"errors"`
	Redirects    int64 `json:"redirects"`
	HealthChecks int64 `json:"healthChecks"`
	OtherMethods int64 `json:"otherMethods"` // than GET and POST
}

// All is how many lines were left out.
func (l *LeftOut) All() int64 {
	return l.NoRequest + l.Assets + l.Errors + l.Redirects + l.HealthChecks + l.OtherMethods
}

// String lists the reasons: 2 without a request, 1 asset, 1 error.
func (l *LeftOut) String() string {
	var parts []string
	for _, p := range []struct {
		n         int64
		one, many string
	}{{l.NoRequest, "without a request", "without a request"}, {l.Assets, "asset", "assets"}, {l.Errors, "error", "errors"},
		{l.Redirects, "redirect", "redirects"}, {l.HealthChecks, "health check", "health checks"},
		{l.OtherMethods, "with another method", "with other methods"}} {
		if p.n > 0 {
			parts = append(parts, plural.Count(p.n, p.one, p.many))
		}
	}
	return strings.Join(parts, ", ")
}

func (l *LeftOut) add(reason leftOut) {
	switch reason {
	case leftNoRequest:
		l.NoRequest++
	case leftAsset:
		l.Assets++
	case leftError:
		l.Errors++
	case leftRedirect:
		l.Redirects++
	case leftHealth:
		l.HealthChecks++
	case leftMethod:
		l.OtherMethods++
	}
}

// judge says what a request was for. A page_view is a GET or POST that was answered with a page: a status of 2xx, or 304 for one that the
// browser still had, and a path whose extension is neither an asset's nor a download's. A download is the same for a download's extension.
// All else is an asset, and left out for a reason: what pages are made of, robots.txt, feeds, redirects, errors, HEAD and OPTIONS.
func judge(l *accesslog.Line) (kind string, left leftOut) {
	target, _, _ := bytes.Cut(l.Target, []byte("?"))
	switch {
	case len(l.Method) == 0:
		return asset, leftNoRequest
	case isHealthCheck(l, target):
		return asset, leftHealth
	case l.Status >= 400 || l.Status < 100:
		return asset, leftError
	case l.Status >= 300 && l.Status != 304:
		return asset, leftRedirect
	case l.Status < 200 || string(l.Method) != "GET" && string(l.Method) != "POST":
		return asset, leftMethod
	}
	return fileKind(target)
}

// fileKind judges the last element of a path by its name, and by its extension, in any case.
func fileKind(target []byte) (kind string, left leftOut) {
	target = bytes.TrimRight(target, "/")
	last := target[bytes.LastIndexByte(target, '/')+1:]
	dot := bytes.LastIndexByte(last, '.')
	if dot < 0 || len(last)-dot > mostListed {
		return pageView, ""
	}
	var room [mostListed]byte
	switch ext := appendLower(room[:0], last[dot+1:]); {
	case assetExtensions[string(ext)], len(last) <= mostListed && assetNames[string(appendLower(room[:0], last))]:
		return asset, leftAsset
	case downloadExtensions[string(appendLower(room[:0], last[dot+1:]))]:
		return download, ""
	}
	return pageView, ""
}

// appendLower appends a text with its ASCII letters in lower case.
func appendLower(dst, text []byte) []byte {
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// mostListed is how long listed names, extensions with their dot, and paths of health checks are at most, in bytes.
const mostListed = 16

// isHealthCheck reports whether a load balancer or a watcher asked, or a path that only these ask for.
func isHealthCheck(l *accesslog.Line, target []byte) bool {
	for _, agent := range healthAgents {
		if len(l.UserAgent) >= len(agent) && string(l.UserAgent[:len(agent)]) == agent {
			return true
		}
	}
	return len(target) <= mostListed && healthPaths[string(target)]
}

var (
	healthAgents = []string{"ELB-HealthChecker/", "kube-probe/", "GoogleHC/", "Amazon-Route53-Health-Check-Service", "Consul Health Check",
		"Blackbox Exporter/"}
	healthPaths     = setOf("/healthz /livez /readyz /health /healthcheck /-/healthy /-/ready /ping")
	assetNames      = setOf("robots.txt ads.txt humans.txt security.txt")
	assetExtensions = setOf(`atom avif bmp class cur css eot gif ico jpe jpeg jpg js json map mjs otf png rdf rss svg svgz
		swf tif tiff ttf wasm webmanifest webp woff woff2 xml xsl`)
	downloadExtensions = setOf(`7z aac apk avi azw3 bin bz2 csv deb dmg doc docx epub exe flac flv gz gzip img iso jar
		key m4a m4v md5 mobi mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv pdf pkg ppt pptx ps rar rpm rtf sha256 sig sql tar
		tbz tgz txt wav webm wma wmv xls xlsx xpi xz z zip zst`)
)

// setOf is the set of the words of a text.
func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}
