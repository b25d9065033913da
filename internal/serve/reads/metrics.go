package reads

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/internal/access"
)

// maxNamed is how many credentials have a label of their own in the metrics: those that are used first. All others share one.
const maxNamed = 100

// Metrics counts what answers cost, by credential. A nil Metrics counts nothing.
type Metrics struct {
	requests *prometheus.CounterVec
	units    *prometheus.CounterVec

	mu    sync.Mutex // covers named
	named map[string]bool
}

// NewMetrics registers the metrics of a server.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{named: make(map[string]bool),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "footfall_serve_requests_total",
			Help: "Requests of footfall serve for something of a site, by credential (kind and id of the token, share link or key; 100 of them, " +
				"then other; none if it was not valid) and the first digit of the status"}, []string{"credential", "status"}),
		units: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "footfall_serve_read_units_total",
			Help: "Read units that answers of footfall serve consumed, by credential, as in footfall_serve_requests_total"},
			[]string{"credential"})}
	r.MustRegister(m.requests, m.units)
	return m
}

// label names a grant. How many names there are is bounded.
func (m *Metrics) label(g access.Grant) string {
	if g.Kind == "" {
		return "none"
	}
	name := string(g.Kind)
	if g.Kind != access.Local {
		name += ":" + g.Name
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.named[name] {
		if len(m.named) >= maxNamed {
			return "other"
		}
		m.named[name] = true
	}
	return name
}

// Answered counts a request and its status.
func (m *Metrics) Answered(g access.Grant, status int) {
	if m != nil {
		m.requests.WithLabelValues(m.label(g), strconv.Itoa(status/100)+"xx").Inc()
	}
}

func (m *Metrics) consumed(g access.Grant, units float64) {
	if m != nil {
		m.units.WithLabelValues(m.label(g)).Add(units)
	}
}
