package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/plural"
)

// versionSince30 is the version of OffsetFetch that came with Kafka 3.0.
const versionSince30 = 8

// checkBrokers checks that each broker answers and is of a release that the pipeline works with.
func (e *exam) checkBrokers(ctx context.Context) {
	versions, err := e.admin.ApiVersions(ctx)
	if err != nil {
		e.unchecked(ctx, "brokers.version", err)
		return
	}
	var guesses []string
	old, silent, without848 := []string{}, []string{}, []string{}
	for _, b := range versions.Sorted() {
		name := fmt.Sprint(b.NodeID)
		if b.Err != nil {
			silent = append(silent, fmt.Sprintf("%s (%v)", name, b.Err))
			continue
		}
		if guess := b.VersionGuess(); !slices.Contains(guesses, guess) {
			guesses = append(guesses, guess)
		}
		if most, ok := b.KeyMaxVersion(int16(kmsg.OffsetFetch)); !ok || most < versionSince30 {
			old = append(old, name)
		}
		if _, ok := b.KeyMaxVersion(int16(kmsg.ConsumerGroupHeartbeat)); !ok {
			without848 = append(without848, name)
		}
	}
	if len(silent) > 0 {
		e.fail("brokers", "no answer from broker "+strings.Join(silent, ", "), "partitions that it leads are not counted: start it, and make "+
			"its advertised listener reachable from here")
	} else {
		e.ok("brokers", "%d %s", len(versions), plural.Of(len(versions), "broker answers", "brokers answer"))
	}
	service, found := findService(ctx, e.admin, e.Config.Kafka)
	e.service = service
	e.add(found)
	e.judgeVersions(versions, guesses, old, without848)
	e.add(requestFindings(e.Config.Kafka, versions)...)
}

// judgeVersions says what the brokers' releases mean for the pipeline.
func (e *exam) judgeVersions(versions kadm.BrokersApiVersions, guesses, old, without848 []string) {
	found := "Kafka " + strings.Join(guesses, ", ") + ", by the requests that they know"
	switch {
	case len(guesses) == 0:
	case len(old) > 0 && e.service == "": // The releases of a service are not those of Kafka: requestFindings says what it lacks.
		e.fail("brokers.version", fmt.Sprintf("%s; broker %s is older than Kafka 3.0", found, strings.Join(old, ", ")),
			"the pipeline needs Kafka 3.0 or later: update the brokers")
	case e.Config.Kafka.GroupProtocol == "consumer" && len(without848) > 0:
		e.fail("brokers.version", fmt.Sprintf("%s; broker %s does not have the group protocol consumer (KIP-848)", found,
			strings.Join(without848, ", ")), "no process joins the group: set kafka.groupProtocol to classic, or update the brokers to Kafka 4.0")
	case len(guesses) > 1:
		e.warn("brokers.version", found, "the brokers are of different releases: complete the update")
	default:
		e.ok("brokers.version", "%s", found)
	}
	if len(versions) == 1 {
		e.warn("brokers.number", "there is one broker", "if it stops, no record is accepted or counted; if its disk is lost, so are the records")
	}
}
