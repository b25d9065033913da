package otlp

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Settings say where traces go. They come from OpenTelemetry's standard variables.
type Settings struct {
	Endpoint   *url.URL      // that requests are posted to
	Header     http.Header   // of each request
	Timeout    time.Duration // of a request
	Attributes []Attribute   // of the resource: what the traces are of
	Warning    string        // a setting that is ignored, and why; "": none is
}

// Attribute is a named text.
type Attribute struct{ Name, Value string }

const (
	tracesPath     = "/v1/traces"
	defaultTimeout = 10 * time.Second
	serviceName    = "service.name"
)

// FromEnvironment reads the settings. on is false where no endpoint is set or traces are switched off. getenv is [os.Getenv].
//
//	OTEL_EXPORTER_OTLP_TRACES_ENDPOINT   the URL itself
//	OTEL_EXPORTER_OTLP_ENDPOINT          the URL without /v1/traces
//	OTEL_EXPORTER_OTLP_TRACES_HEADERS, OTEL_EXPORTER_OTLP_HEADERS      name=value,name=value, percent-encoded
//	OTEL_EXPORTER_OTLP_TRACES_TIMEOUT, OTEL_EXPORTER_OTLP_TIMEOUT      milliseconds
//	OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, OTEL_EXPORTER_OTLP_PROTOCOL    http/json. grpc is refused: its endpoints take no HTTP. Others are
//	                                                                   ignored, as the specification has it, with a warning
//	OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES                        what the traces are of
//	OTEL_SDK_DISABLED=true, OTEL_TRACES_EXPORTER=none                  no traces
func FromEnvironment(getenv func(string) string) (s Settings, on bool, err error) {
	name, endpoint := first(getenv, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	if endpoint == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return s, false, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		if strings.Contains(endpoint, "@") {
			endpoint = "..." // It may have a password.
		}
		return s, false, fmt.Errorf("%s=%s: write a URL as in http://localhost:4318", name, endpoint)
	}
	if s.Endpoint = u; name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		s.Endpoint = u.JoinPath(tracesPath)
	}
	switch name, protocol := first(getenv, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); protocol {
	case "", "http/json":
	case "grpc":
		return s, false, fmt.Errorf("%s=grpc: footfall sends JSON over HTTP: write http/json, and an endpoint that takes it, commonly at port "+
			"4318", name)
	default:
		s.Warning = fmt.Sprintf("%s=%s is ignored: footfall sends traces as http/json", name, protocol)
	}
	if s.Header, err = headers(getenv); err != nil {
		return s, false, err
	}
	if s.Timeout, err = timeout(getenv); err != nil {
		return s, false, err
	}
	s.Attributes, err = resource(getenv)
	return s, err == nil, err
}

// first is the first variable of those that is set, and its value.
func first(getenv func(string) string, names ...string) (name, value string) {
	for _, name := range names {
		if value := strings.TrimSpace(getenv(name)); value != "" {
			return name, value
		}
	}
	return "", ""
}

func headers(getenv func(string) string) (http.Header, error) {
	name, text := first(getenv, "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
	list, ok := pairs(text)
	if !ok { // The value is a secret.
		return nil, fmt.Errorf("%s is not readable: write name=value,name=value, percent-encoded", name)
	}
	h := make(http.Header)
	for _, a := range list {
		h.Set(a.Name, a.Value)
	}
	return h, nil
}

func timeout(getenv func(string) string) (time.Duration, error) {
	name, text := first(getenv, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
	if text == "" {
		return defaultTimeout, nil
	}
	ms, err := strconv.ParseUint(text, 10, 31)
	if err != nil || ms == 0 {
		return 0, fmt.Errorf("%s=%s: write milliseconds, as in 10000", name, text)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func resource(getenv func(string) string) ([]Attribute, error) {
	const variable = "OTEL_RESOURCE_ATTRIBUTES"
	list, ok := pairs(getenv(variable))
	if !ok {
		return nil, fmt.Errorf("%s=%s: write name=value,name=value, percent-encoded", variable, getenv(variable))
	}
	service, kept := "footfall", list[:0]
	for _, a := range list {
		if a.Name == serviceName {
			service = a.Value
			continue
		}
		kept = append(kept, a)
	}
	if name := getenv("OTEL_SERVICE_NAME"); name != "" {
		service = name
	}
	return append([]Attribute{{serviceName, service}}, kept...), nil
}

// pairs reads name=value,name=value, as W3C baggage has it.
func pairs(text string) (list []Attribute, ok bool) {
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		plain, err := url.PathUnescape(value)
		if !found || err != nil || name == "" || strings.ContainsAny(name, " :\r\n\x00") || strings.ContainsAny(plain, "\r\n\x00") {
			return nil, false
		}
		list = append(list, Attribute{name, plain})
	}
	return list, true
}
