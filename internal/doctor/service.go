package doctor

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/config"
)

// redpandaCluster begins the id of each cluster of Redpanda.
const redpandaCluster = "redpanda."

// hosted are services that show in the names of their brokers.
var hosted = []struct {
	service string
	host    *regexp.Regexp
}{
	{"Amazon MSK Serverless", regexp.MustCompile(`\.kafka-serverless\.[^.]+\.amazonaws\.com(\.cn)?$`)},
	{"Amazon MSK", regexp.MustCompile(`\.kafka\.[^.]+\.amazonaws\.com(\.cn)?$`)},
	{"Azure Event Hubs", regexp.MustCompile(`\.servicebus\.(windows\.net|chinacloudapi\.cn|usgovcloudapi\.net)$`)},
	{"Confluent Cloud", regexp.MustCompile(`\.confluent\.cloud$`)},
	{"Aiven for Apache Kafka", regexp.MustCompile(`\.aivencloud\.com$`)},
	{"WarpStream", regexp.MustCompile(`\.warpstream\.com$`)},
}

// serviceOf returns which service brokers of these host names are, and what shows it; "": nothing does, as with Kafka itself.
func serviceOf(cluster string, hosts []string) (service, shownBy string) {
	if strings.HasPrefix(cluster, redpandaCluster) {
		return "Redpanda", "the cluster's id " + cluster
	}
	for _, h := range hosted {
		for _, host := range hosts {
			if h.host.MatchString(host) {
				return h.service, "the broker's name " + host
			}
		}
	}
	return "", ""
}

// findService says whose brokers these are, as far as it shows. What they lack is read from what they answer, and not from this name.
func findService(ctx context.Context, admin *kadm.Client, k config.Kafka) (service string, f Finding) {
	f = Finding{Check: "brokers.service", Severity: OK}
	m, err := admin.BrokerMetadata(ctx)
	if err != nil {
		return "", f.unchecked(WithCause(ctx, err))
	}
	var hosts []string
	for _, address := range k.Brokers {
		host, _, _ := strings.Cut(address, ":")
		hosts = append(hosts, host)
	}
	for _, b := range m.Brokers {
		hosts = append(hosts, b.Host)
	}
	service, shownBy := serviceOf(m.Cluster, hosts)
	f.Found = fmt.Sprintf("%s, by %s: docs/brokers.md says what is known to differ", service, shownBy)
	if service == "" {
		f.Found = "neither the cluster's id nor a broker's name shows a service other than Kafka"
	}
	return service, f
}

// need is requests that footfall makes, in what version, and what happens if the brokers lack one of them.
type need struct {
	keys      []kmsg.Key
	least     int16
	endangers string
}

// needsOf returns the requests that a configuration asks for and that not all services have. The group protocol and topic ids have checks
// of their own.
func needsOf(k config.Kafka) []need {
	needs := []need{
		{[]kmsg.Key{kmsg.OffsetForLeaderEpoch}, 2, "a partition that has lost records and got others at their offsets is not noticed, and its " +
			"figures are wrong"},
		{[]kmsg.Key{kmsg.AddPartitionsToTxn, kmsg.EndTxn}, 0, "footfall failed replay publishes nothing: it needs transactions"},
		{[]kmsg.Key{kmsg.DescribeProducers, kmsg.ListTransactions}, 0, "footfall status does not name the transaction that holds a partition up"},
	}
	if k.GroupInstanceID != "" && k.GroupProtocol != "consumer" {
		needs = append(needs, need{[]kmsg.Key{kmsg.JoinGroup}, 5, "kafka.groupInstanceId has no effect: a restart moves partitions"})
	}
	if k.ClientRack != "" {
		needs = append(needs, need{[]kmsg.Key{kmsg.Fetch}, 11, "kafka.clientRack has no effect: records are read from the leaders"})
	}
	return needs
}

// missingFrom returns the requests of a need that a broker lacks.
func (n need) missingFrom(b kadm.BrokerApiVersions) (missing []string) {
	for _, key := range n.keys {
		switch most, ok := b.KeyMaxVersion(key.Int16()); {
		case !ok:
			missing = append(missing, key.Name())
		case most < n.least:
			missing = append(missing, fmt.Sprintf("version %d of %s", n.least, key.Name()))
		}
	}
	return missing
}

// requestFindings says which of the requests that a configuration asks for the brokers do not know. One that has not answered is left out.
func requestFindings(k config.Kafka, versions kadm.BrokersApiVersions) (found []Finding) {
	const check = "brokers.requests"
	for _, n := range needsOf(k) {
		var brokers, requests []string
		for _, b := range versions.Sorted() {
			if missing := n.missingFrom(b); b.Err == nil && missing != nil {
				brokers, requests = append(brokers, fmt.Sprint(b.NodeID)), append(requests, missing...)
			}
		}
		if brokers != nil {
			slices.Sort(requests)
			found = append(found, Finding{Check: check, Severity: Warning, Endangers: n.endangers, Found: fmt.Sprintf("broker %s does not have %s",
				strings.Join(brokers, ", "), strings.Join(slices.Compact(requests), ", "))})
		}
	}
	if found == nil {
		found = []Finding{{Check: check, Severity: OK, Found: "the brokers have the requests that this configuration asks for"}}
	}
	return found
}
