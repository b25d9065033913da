package doctor

import (
	"context"
	"fmt"
	"regexp"
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

// request is a version of a request that footfall makes, and what it does without.
type request struct {
	key       kmsg.Key
	least     int16
	endangers string
}

// requestsOf returns the requests that a configuration asks for and that not all services have. The group protocol and topic ids have
// checks of their own.
func requestsOf(k config.Kafka) []request {
	const holder = "footfall status does not name the transaction that holds a partition up"
	const replay = "footfall failed replay publishes nothing: it needs transactions"
	needed := []request{
		{kmsg.OffsetForLeaderEpoch, 2, "a partition that has lost records and got others at their offsets is not noticed, and its figures are wrong"},
		{kmsg.AddPartitionsToTxn, 0, replay},
		{kmsg.EndTxn, 0, replay},
		{kmsg.DescribeProducers, 0, holder},
		{kmsg.ListTransactions, 0, holder},
	}
	if k.GroupInstanceID != "" && k.GroupProtocol != "consumer" {
		needed = append(needed, request{kmsg.JoinGroup, 5, "kafka.groupInstanceId has no effect: a restart moves partitions"})
	}
	if k.ClientRack != "" {
		needed = append(needed, request{kmsg.Fetch, 11, "kafka.clientRack has no effect: records are read from the leaders"})
	}
	return needed
}

// requestFindings says which of the requests that a configuration asks for the brokers do not know. One that has not answered is left out.
func requestFindings(k config.Kafka, versions kadm.BrokersApiVersions) (found []Finding) {
	const check = "brokers.requests"
	for _, r := range requestsOf(k) {
		var without []string
		for _, b := range versions.Sorted() {
			if most, ok := b.KeyMaxVersion(r.key.Int16()); b.Err == nil && (!ok || most < r.least) {
				without = append(without, fmt.Sprint(b.NodeID))
			}
		}
		if without != nil {
			found = append(found, Finding{Check: check, Severity: Warning, Endangers: r.endangers, Found: fmt.Sprintf(
				"broker %s does not have %s in version %d", strings.Join(without, ", "), r.key.Name(), r.least)})
		}
	}
	if found == nil {
		found = []Finding{{Check: check, Severity: OK, Found: "the brokers have the requests that this configuration asks for"}}
	}
	return found
}
