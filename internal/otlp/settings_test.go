package otlp

import (
	"fmt"
	"strings"
	"testing"
)

// environment is a process's variables.
type environment map[string]string

func (e environment) get(name string) string { return e[name] }

func TestEnvironmentDecides(t *testing.T) {
	const general, traces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	for _, c := range []struct {
		env  environment
		want string // settings, "off", or what the error says
	}{
		{environment{}, "off"},
		{environment{general: "  "}, "off"},
		{environment{general: "http://c:4318"}, "http://c:4318/v1/traces map[] 10s [{service.name footfall}]"},
		{environment{general: "http://c:4318/otlp/"}, "http://c:4318/otlp/v1/traces map[] 10s [{service.name footfall}]"},
		{environment{general: "http://c:4318", traces: "https://t/in"}, "https://t/in map[] 10s [{service.name footfall}]"},
		{environment{traces: "https://t/in", "OTEL_SDK_DISABLED": "TRUE"}, "off"},
		{environment{traces: "https://t/in", "OTEL_TRACES_EXPORTER": "none"}, "off"},
		{environment{traces: "https://t", "OTEL_EXPORTER_OTLP_HEADERS": "a=b, c-d=e%3Df", "OTEL_EXPORTER_OTLP_TIMEOUT": "250",
			"OTEL_SERVICE_NAME": "counting", "OTEL_RESOURCE_ATTRIBUTES": "service.name=x,zone=a%2Cb", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"},
			"https://t map[A:[b] C-D:[e=f]] 250ms [{service.name counting} {zone a,b}]"},
		{environment{traces: "https://t", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=1", "OTEL_EXPORTER_OTLP_HEADERS": "b=2",
			"OTEL_RESOURCE_ATTRIBUTES": "service.name=x"}, "https://t map[A:[1]] 10s [{service.name x}]"},
		{environment{general: "collector:4318"}, general + "=collector:4318: write a URL as in http://localhost:4318"},
		{environment{general: "u:secret@collector"}, general + "=...: write a URL"},
		{environment{general: "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc: footfall sends JSON"},
		{environment{general: "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, "http://c/v1/traces map[] 10s " +
			"[{service.name footfall}] warning: OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf is ignored: footfall sends traces as http/json"},
		{environment{general: "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"},
			"http://c/v1/traces map[] 10s [{service.name footfall}]"},
		{environment{general: "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, "OTEL_EXPORTER_OTLP_TIMEOUT=10s: write milliseconds"},
		{environment{general: "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "secret"}, "OTEL_EXPORTER_OTLP_HEADERS is not readable: write"},
		{environment{general: "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "a=b%0Ac"}, "OTEL_EXPORTER_OTLP_HEADERS is not readable: write"},
		{environment{general: "http://c", "OTEL_RESOURCE_ATTRIBUTES": "x"}, "OTEL_RESOURCE_ATTRIBUTES=x: write"},
	} {
		s, on, err := FromEnvironment(c.env.get)
		got := "off"
		switch {
		case err != nil:
			got = err.Error()
		case on:
			got = fmt.Sprint(s.Endpoint, " ", s.Header, " ", s.Timeout, " ", s.Attributes)
			if s.Warning != "" {
				got += " warning: " + s.Warning
			}
		}
		if on && err != nil || !strings.HasPrefix(got, c.want) || err == nil && got != c.want {
			t.Errorf("%v: %s, want %s", c.env, got, c.want)
		}
	}
}
