package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/pipeline/event"
)

// topicSettings reads a topic's configuration, inherited settings included; nil when the broker does not describe it.
func topicSettings(ctx context.Context, adm *kadm.Client, topic string) map[string]string {
	settings, err := describeSettings(ctx, adm, topic)
	if err != nil {
		return nil
	}
	return settings
}

func describeSettings(ctx context.Context, adm *kadm.Client, topic string) (map[string]string, error) {
	all, err := adm.DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return nil, err
	}
	one, err := all.On(topic, nil)
	if err == nil {
		err = one.Err
	}
	if err != nil {
		return nil, err
	}
	settings := make(map[string]string, len(one.Configs))
	for _, s := range one.Configs {
		settings[s.Key] = s.MaybeValue()
	}
	return settings, nil
}

// alterTopic is the command that sets a topic's setting.
func alterTopic(k config.Kafka, topic, key, value string) string {
	return fmt.Sprintf("kafka-configs.sh --bootstrap-server %s --alter --entity-type topics --entity-name %s --add-config %s=%s",
		k.Brokers[0], topic, key, value)
}

// checkTopic checks the topic of the events.
func (e *exam) checkTopic(ctx context.Context) {
	k := e.Config.Kafka
	topics, err := e.admin.ListTopics(kadm.WithAuthorizedOps(ctx), k.Topic)
	if err == nil {
		err = topics[k.Topic].Err
	}
	if err != nil {
		e.fail("topic", topicError(k, WithCause(ctx, err)).Error(), "nothing is counted")
		return
	}
	e.topic = topics[k.Topic]
	e.partitions = len(e.topic.Partitions)
	e.ok("topic", "%s has %d %s", k.Topic, e.partitions, plural.Of(e.partitions, "partition", "partitions"))
	if e.topic.ID == (kadm.TopicID{}) {
		e.warn("topic.id", "the brokers give topics no id", "a topic that is deleted and created again passes for the former one: its "+
			"partitions stop as truncated or, once they are longer, their first records are not counted: give the new topic another name")
	} else {
		e.ok("topic.id", "the topic has an id, which shows if it is created again")
	}
	e.checkOperations("topic.permissions", e.topic, kmsg.ACLOperationRead, kmsg.ACLOperationDescribe)
	e.checkReplicas("topic", e.topic)
	if e.settings, err = describeSettings(ctx, e.admin, k.Topic); err != nil {
		e.unchecked(ctx, "topic.settings", fmt.Errorf("the topic's settings: %w: let this user describe its configuration", err))
		return
	}
	e.checkDeletion()
	e.checkDurability("topic", e.topic, e.settings)
	e.checkSize("topic", k.Topic, e.settings, recordRoom, "the brokers refuse events that docs/events.md permits, and failed replay "+
		"cannot publish them again")
	e.add(judgeTimestamps(e.Config, e.settings)...)
}

const (
	// recordRoom is what a batch of one record may take: a value of [event.MaxRecordBytes], a key of 8 KiB, and headers.
	recordRoom = event.MaxRecordBytes + 8<<10 + 1<<10
	// entryRoom is what an entry of the failed-events topic needs to hold such a record whole: pipeline leaves 8 KiB for its headers.
	entryRoom = event.MaxRecordBytes + 8<<10 + 8<<10
)

// checkDeletion checks that records stay until they are counted.
func (e *exam) checkDeletion() {
	k, s := e.Config.Kafka, e.settings
	if policy := s["cleanup.policy"]; strings.Contains(policy, "compact") {
		e.fail("topic.cleanup", "cleanup.policy is "+policy,
			"compaction removes records, so no number can be recounted, and run refuses the topic",
			alterTopic(k, k.Topic, "cleanup.policy", "delete"))
	} else {
		e.ok("topic.cleanup", "cleanup.policy is %s", policy)
	}
	switch kept, ok := milliseconds(s["retention.ms"]); {
	case !ok:
		e.unchecked(context.Background(), "topic.retention", errors.New("the brokers do not report retention.ms"))
	case kept < 0:
		e.ok("topic.retention", "records are kept for ever")
	case kept < e.Outage:
		e.warn("topic.retention", fmt.Sprintf("records are kept for %s, less than an outage of %s", days(kept), days(e.Outage)),
			"records that are not counted by then are deleted, and their partitions stop at a data gap",
			alterTopic(k, k.Topic, "retention.ms", strconv.FormatInt(2*e.Outage.Milliseconds(), 10)))
	default:
		e.ok("topic.retention", "records are kept for %s, at least an outage of %s", days(kept), days(e.Outage))
	}
	if size, err := strconv.ParseInt(s["retention.bytes"], 10, 64); err == nil && size >= 0 {
		e.warn("topic.retention-bytes", fmt.Sprintf("retention.bytes is %d", size),
			"a partition that grows beyond deletes records however young "+
				"they are, also before they are counted", alterTopic(k, k.Topic, "retention.bytes", "-1"))
	} else {
		e.ok("topic.retention-bytes", "no size limits what is kept")
	}
}

// milliseconds reads a setting; negative: unlimited.
func milliseconds(setting string) (time.Duration, bool) {
	ms, err := strconv.ParseInt(setting, 10, 64)
	switch {
	case err != nil:
		return 0, false
	case ms < 0, ms > int64(forever/time.Millisecond):
		return -1, true
	}
	return time.Duration(ms) * time.Millisecond, true
}

// forever is more than any retention that matters, and a duration can be.
const forever = 200 * 365 * 24 * time.Hour

// days spells a span: 3d, 36h, 1h30m.
func days(d time.Duration) string {
	switch {
	case d >= 48*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0 && d > 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return d.Round(time.Second).String()
}

// checkReplicas checks that each partition of a topic has its leader and its replicas.
func (e *exam) checkReplicas(check string, topic kadm.TopicDetail) {
	var leaderless, behind []string
	for _, p := range topic.Partitions.Sorted() {
		switch {
		case p.Leader < 0 || errors.Is(p.Err, kerr.LeaderNotAvailable):
			leaderless = append(leaderless, fmt.Sprint(p.Partition))
		case len(p.ISR) < len(p.Replicas):
			behind = append(behind, fmt.Sprint(p.Partition))
		}
	}
	switch {
	case leaderless != nil:
		e.fail(check+".replicas", "no leader for partition "+strings.Join(leaderless, ", "),
			"none of its records is accepted or counted: start its brokers")
	case behind != nil:
		e.warn(check+".replicas", "replicas are missing or behind in partition "+strings.Join(behind, ", "),
			"fewer brokers may fail before records "+
				"are lost: look for a broker that is down, or too slow")
	default:
		e.ok(check+".replicas", "each partition has its leader and all replicas")
	}
}

// checkDurability checks that acknowledged records survive the loss of a broker.
func (e *exam) checkDurability(check string, topic kadm.TopicDetail, settings map[string]string) {
	k, replicas := e.Config.Kafka, topic.Partitions.NumReplicas()
	least, err := strconv.Atoi(settings["min.insync.replicas"])
	name := check + ".durability"
	found := fmt.Sprintf("replication factor %d, min.insync.replicas %s", replicas, settings["min.insync.replicas"])
	switch {
	case replicas == 1:
		e.warn(name, found, "the loss of one disk loses records, also counted ones: move the topic to three replicas with "+
			"kafka-reassign-partitions.sh")
	case err != nil:
		e.unchecked(context.Background(), name, errors.New("the brokers do not report min.insync.replicas"))
	case least > replicas:
		e.fail(name, found, "the brokers refuse all records of producers that wait for all replicas",
			alterTopic(k, topic.Topic, "min.insync.replicas", strconv.Itoa(max(1, replicas-1))))
	case least == replicas:
		e.warn(name, found, "while one broker is down, producers that wait for all replicas are refused",
			alterTopic(k, topic.Topic, "min.insync.replicas", strconv.Itoa(replicas-1)))
	case least < 2:
		e.warn(name, found, "a record may be acknowledged, and counted, by one broker alone, and be lost with it",
			alterTopic(k, topic.Topic, "min.insync.replicas", "2"))
	default:
		e.ok(name, "%s", found)
	}
	if settings["unclean.leader.election.enable"] == "true" {
		e.fail(check+".unclean-election", "unclean.leader.election.enable is true",
			"a replica that is behind may become leader: counted records "+
				"vanish, and others get their offsets", alterTopic(k, topic.Topic, "unclean.leader.election.enable", "false"))
	} else if settings["unclean.leader.election.enable"] != "" {
		e.ok(check+".unclean-election", "a replica that is behind cannot become leader")
	}
}

// checkSize checks that a topic takes the largest record that it should.
func (e *exam) checkSize(check, topic string, settings map[string]string, room int, endangers string) {
	most, err := strconv.Atoi(settings["max.message.bytes"])
	switch {
	case err != nil:
		e.unchecked(context.Background(), check+".size", errors.New("the brokers do not report max.message.bytes"))
	case most < room:
		e.warn(check+".size", fmt.Sprintf("max.message.bytes is %d, less than %d", most, room), endangers,
			alterTopic(e.Config.Kafka, topic, "max.message.bytes", "1048588"))
	default:
		e.ok(check+".size", "max.message.bytes is %d", most)
	}
}

// checkOperations checks what this user may do with a topic. Brokers without an authorizer say that everything is allowed.
func (e *exam) checkOperations(check string, topic kadm.TopicDetail, needed ...kmsg.ACLOperation) {
	if len(topic.AuthorizedOperations) == 0 {
		e.unchecked(context.Background(), check, errors.New("the brokers do not report what this user may do"))
		return
	}
	missing := []string{}
	for _, op := range needed {
		if !slices.Contains(topic.AuthorizedOperations, op) {
			missing = append(missing, op.String())
		}
	}
	if len(missing) == 0 {
		e.ok(check, "this user may do what the pipeline does")
		return
	}
	k := e.Config.Kafka
	command := fmt.Sprintf("kafka-acls.sh --bootstrap-server %s --add --allow-principal User:%s --topic %s", k.Brokers[0], userOf(k),
		topic.Topic)
	for _, op := range missing {
		command += " --operation " + op
	}
	e.fail(check, fmt.Sprintf("this user may not %s topic %s", strings.Join(missing, ", "), topic.Topic), "run ends with an error", command)
}

// userOf is the user that the brokers know this process as.
func userOf(k config.Kafka) string {
	if k.SASL.Username == "" {
		return "USER"
	}
	return k.SASL.Username
}

// checkFailedTopic checks the topic that rejected records go to.
func (e *exam) checkFailedTopic(ctx context.Context) {
	topics, err := e.admin.ListTopics(kadm.WithAuthorizedOps(ctx), e.Failed)
	if err == nil {
		err = topics[e.Failed].Err
	}
	switch {
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		e.checkFailedAbsent(ctx)
		return
	case err != nil:
		e.fail("failed-topic", fmt.Sprintf("topic %q: %v: let user %q write and describe it", e.Failed, err, e.Config.Kafka.SASL.Username),
			"run does not start")
		return
	}
	e.ok("failed-topic", "%s exists", e.Failed)
	e.checkOperations("failed-topic.permissions", topics[e.Failed], kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe)
	e.checkReplicas("failed-topic", topics[e.Failed])
	settings, err := describeSettings(ctx, e.admin, e.Failed)
	if err != nil {
		e.unchecked(ctx, "failed-topic.settings", fmt.Errorf("the topic's settings: %w: let this user describe its configuration", err))
		return
	}
	e.checkEntries(settings)
	e.checkDurability("failed-topic", topics[e.Failed], settings)
	e.checkSize("failed-topic", e.Failed, settings, entryRoom, "entries are truncated, and cannot be replayed")
}

// checkFailedAbsent judges that there is no failed-events topic. A process creates it when it starts, so it was deleted if one runs.
func (e *exam) checkFailedAbsent(ctx context.Context) {
	if g, err := e.describeGroup(ctx); err == nil && g.members > 0 {
		e.warn("failed-topic", fmt.Sprintf("%s does not exist, and group %s has %d %s", e.Failed, e.Config.Kafka.Group, g.members,
			plural.Of(g.members, "member", "members")), "a process ends at the next record that it rejects: start one process again, which creates "+
			"the topic if it may", "footfall run")
		return
	}
	e.ok("failed-topic", "%s does not exist yet: run creates it", e.Failed)
}

// checkEntries checks for how long rejected records are kept.
func (e *exam) checkEntries(settings map[string]string) {
	k := e.Config.Kafka
	if policy := settings["cleanup.policy"]; strings.Contains(policy, "compact") {
		e.fail("failed-topic.cleanup", "cleanup.policy is "+policy, "of the rejected records with the same key, only the last stays",
			alterTopic(k, e.Failed, "cleanup.policy", "delete"))
	} else {
		e.ok("failed-topic.cleanup", "cleanup.policy is %s", policy)
	}
	switch kept, ok := milliseconds(settings["retention.ms"]); {
	case !ok:
		e.unchecked(context.Background(), "failed-topic.retention", errors.New("the brokers do not report retention.ms"))
	case kept < 0:
		e.warn("failed-topic.retention", "rejected records are kept for ever", "their bytes may hold personal data, which no erasure reaches",
			alterTopic(k, e.Failed, "retention.ms", "2592000000"))
	case kept < e.Outage:
		e.warn("failed-topic.retention", fmt.Sprintf("rejected records are kept for %s, less than %s", days(kept), days(e.Outage)),
			"they are deleted before they can be looked at and replayed", alterTopic(k, e.Failed, "retention.ms", "2592000000"))
	default:
		e.ok("failed-topic.retention", "rejected records are kept for %s", days(kept))
	}
}
