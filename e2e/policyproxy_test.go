//go:build unix

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A grant is an action that an IAM policy allows, and on what: the table, an index of it, or "*".
type grant struct{ action, on string }

// What a grant can be on.
const (
	onTable    = "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"
	onIndex    = "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE/index/*"
	onAnything = "*" // Application Auto Scaling, and an account's quotas, have no narrower resource.

	// Partition keys are a condition of the statement, not part of its resource.
	onTokens      = onTable + " of the partition key TOKENS"
	onAnnotations = onTable + " of the partition key ANNOTATIONS"
)

// partitionOf has the partition keys of grants that have one.
var partitionOf = map[string]string{onTokens: "TOKENS", onAnnotations: "ANNOTATIONS"}

// quotas is the grant of footfall doctor alone.
var quotas = grant{"dynamodb:DescribeLimits", onAnything}

// policy is an IAM policy document.
type policy struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid, Effect string
	Action      []string
	Resource    string
	Condition   map[string]map[string][]string `json:",omitempty"`
}

// partitionAlone is the condition of requests for items of a partition key.
func partitionAlone(pk string) map[string]map[string][]string {
	return map[string]map[string][]string{"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": {pk}}}
}

// policyOf makes the policy that allows exactly the grants.
func policyOf(grants map[grant]bool) policy {
	p := policy{Version: "2012-10-17"}
	for _, s := range []statement{{Sid: "Table", Resource: onTable}, {Sid: "Indexes", Resource: onIndex}, {Sid: "Tokens", Resource: onTokens},
		{Sid: "Annotations", Resource: onAnnotations}, {Sid: "Quotas", Resource: onAnything}, {Sid: "AutoScaling", Resource: onAnything}} {
		for g := range grants {
			if _, ok := partitionOf[s.Resource]; ok && grants[grant{g.action, onTable}] {
				continue
			}
			if g.on == s.Resource && (s.Sid != "Quotas") == (g != quotas) {
				s.Action = append(s.Action, g.action)
			}
		}
		if s.Action != nil {
			slices.Sort(s.Action)
			s.Effect = "Allow"
			if pk, ok := partitionOf[s.Resource]; ok {
				s.Resource, s.Condition = onTable, partitionAlone(pk)
			}
			p.Statement = append(p.Statement, s)
		}
	}
	return p
}

func (p policy) grants() map[grant]bool {
	grants := make(map[grant]bool)
	for _, s := range p.Statement {
		for on, pk := range partitionOf {
			if reflect.DeepEqual(s.Condition, partitionAlone(pk)) {
				s.Resource = on
			}
		}
		for _, a := range s.Action {
			grants[grant{a, s.Resource}] = true
		}
	}
	return grants
}

// policyProxy does for DynamoDB Local what IAM does for DynamoDB: it refuses each request that the role's
// policy does not allow, and notes which grants were used.
type policyProxy struct {
	endpoint string
	allowed  map[grant]bool // nil: everything

	mu      sync.Mutex // covers all below
	used    map[grant]bool
	refused map[grant]bool
	scaled  []scalable
}

// scalable is what auto scaling moves, as it is registered and described.
type scalable struct {
	ResourceId, ScalableDimension string
	MinCapacity, MaxCapacity      int
}

func newPolicyProxy(t *testing.T, target string, allowed map[grant]bool) *policyProxy {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p := &policyProxy{allowed: allowed, used: make(map[grant]bool), refused: make(map[grant]bool)}
	forward := httputil.NewSingleHostReverseProxy(to)
	forward.ErrorLog = log.New(io.Discard, "", 0) // Clients that end have requests under way.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // The client has gone.
		}
		g := grantOf(r.Header.Get("X-Amz-Target"), body)
		switch {
		case !p.judge(g):
			answer(w, http.StatusBadRequest, fmt.Sprintf(`{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not authorized to perform %s on %s"}`, g.action, g.on))
		case g.on == onAnything && g != quotas:
			answer(w, http.StatusOK, p.scaling(g, body))
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	p.endpoint = server.URL
	return p
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// judge notes a request and reports whether it is allowed.
func (p *policyProxy) judge(g grant) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := partitionOf[g.on]; ok && p.allowed[grant{g.action, onTable}] { // All partitions are allowed.
		g.on = onTable
	}
	if p.allowed != nil && !p.allowed[g] {
		p.refused[g] = true
		return false
	}
	p.used[g] = true
	return true
}

// scaling answers as Application Auto Scaling: it has the targets that were registered, and no policies.
func (p *policyProxy) scaling(g grant, body []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var asked struct {
		scalable
		ResourceIds []string
	}
	if json.Unmarshal(body, &asked) != nil {
		return "{}"
	}
	switch g.action {
	case "application-autoscaling:RegisterScalableTarget":
		p.scaled = append(p.scaled, asked.scalable)
	case "application-autoscaling:DescribeScalableTargets":
		found := []scalable{}
		for _, s := range p.scaled {
			if slices.Contains(asked.ResourceIds, s.ResourceId) && s.ScalableDimension == asked.ScalableDimension {
				found = append(found, s)
			}
		}
		text, err := json.Marshal(map[string]any{"ScalableTargets": found})
		if err != nil {
			panic(err) // Strings and numbers marshal.
		}
		return string(text)
	}
	return "{}"
}

// grantOf is what a request needs. Its target is as in DynamoDB_20120810.PutItem.
func grantOf(target string, body []byte) grant {
	service, operation, _ := strings.Cut(target, ".")
	if service == "AnyScaleFrontendService" {
		return grant{"application-autoscaling:" + operation, onAnything}
	}
	if g := (grant{"dynamodb:" + operation, onAnything}); g == quotas {
		return g
	}
	var named struct {
		IndexName string
		Key, Item struct{ PK struct{ S string } }
	}
	if json.Unmarshal(body, &named) == nil && named.IndexName != "" {
		return grant{"dynamodb:" + operation, onIndex}
	}
	if operation == "UpdateItem" && named.Key.PK.S == "TOKENS" {
		return grant{"dynamodb:" + operation, onTokens}
	}
	if (operation == "PutItem" || operation == "DeleteItem") && cmp.Or(named.Key.PK.S, named.Item.PK.S) == "ANNOTATIONS" {
		return grant{"dynamodb:" + operation, onAnnotations}
	}
	return grant{"dynamodb:" + operation, onTable}
}

// check holds what was used against the policy in a file, or writes the file.
func (p *policyProxy) check(t *testing.T, file string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for g := range p.refused {
		t.Errorf("%s does not allow %s on %s, which was needed", file, g.action, g.on)
	}
	if *updatePolicies {
		text, err := json.MarshalIndent(policyOf(p.used), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for g := range maps.Keys(p.allowed) {
		if !p.used[g] {
			t.Errorf("%s allows %s on %s, which was not needed", file, g.action, g.on)
		}
	}
}

func readPolicy(t *testing.T, file string) map[grant]bool {
	t.Helper()
	if *updatePolicies {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var p policy
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return p.grants()
}
