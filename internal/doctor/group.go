package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/plural"
)

// group is a consumer group as it is now.
type group struct {
	state    string
	protocol string // classic or consumer, as kafka.groupProtocol
	assignor string
	members  int
	assigned int      // partitions of the topic
	others   []string // members with another client id than this configuration has

	permitted []kadm.ACLOperation // to this user
}

// checkGroup checks who consumes the topic.
func (e *exam) checkGroup(ctx context.Context) {
	name := e.Config.Kafka.Group
	g, err := e.describeGroup(ctx)
	switch {
	case err != nil:
		e.unchecked(ctx, "group", fmt.Errorf("group %s: %w: let this user read and describe it", name, err))
		return
	}
	e.checkGroupPermission(g)
	if g.members == 0 {
		e.warn("group", fmt.Sprintf("group %s has no members", name), "nothing is counted", "footfall run")
		return
	}
	e.ok("group", "group %s has %d %s, protocol %s (%s), state %s", name, g.members, plural.Of(g.members, "member", "members"), g.protocol,
		g.assignor, g.state)
	k := e.Config.Kafka
	if len(g.others) > 0 {
		e.warn("group.members",
			fmt.Sprintf("members whose client id is not %s, the kafka.clientId: %s", k.ClientID, strings.Join(g.others, ", ")),
			"partitions of a program that is no footfall are not counted, and it commits offsets of its own: give it another group")
	}
	switch {
	case g.protocol != k.GroupProtocol:
		e.warn("group.protocol", fmt.Sprintf("the members use group protocol %s, and this configuration says %s", g.protocol, k.GroupProtocol),
			"a process of this configuration may not be let in, or changes the group's protocol: give all processes the same kafka.groupProtocol")
	case g.protocol == "classic" && g.assignor != "cooperative-sticky" && g.state == "Stable":
		e.fail("group.protocol", fmt.Sprintf("the members share partitions by %s, and footfall by cooperative-sticky", g.assignor),
			"another program consumes as this group, and takes partitions, which are not counted then: give it another group, or set kafka.group")
	default:
		e.ok("group.protocol", "the members use group protocol %s", g.protocol)
	}
	switch {
	case e.partitions == 0 || g.state != "Stable":
	case g.assigned < e.partitions:
		e.fail("group.partitions", fmt.Sprintf("%d of %d partitions are assigned to members", g.assigned, e.partitions),
			"the others are not counted: look for members that consume another topic as this group")
	case g.members > e.partitions:
		e.warn("group.partitions", fmt.Sprintf("%d members share %d partitions", g.members, e.partitions), "some members have nothing to do: a "+
			"partition has one owner")
	default:
		e.ok("group.partitions", "all %d partitions are assigned to members", e.partitions)
	}
}

// checkGroupPermission checks that this user may be a member.
func (e *exam) checkGroupPermission(g group) {
	k := e.Config.Kafka
	switch {
	case len(g.permitted) == 0 && g.members == 0: // There is no group yet that the brokers could say it of.
	case len(g.permitted) == 0:
		e.unchecked(context.Background(), "group.permissions", errors.New("the brokers do not report what this user may do"))
	case !slices.Contains(g.permitted, kmsg.ACLOperationRead):
		e.fail("group.permissions", fmt.Sprintf("this user may not READ group %s", k.Group), "run ends with an error",
			fmt.Sprintf("kafka-acls.sh --bootstrap-server %s --add --allow-principal User:%s --group %s --operation READ", k.Brokers[0], userOf(k),
				k.Group))
	default:
		e.ok("group.permissions", "this user may be a member")
	}
}

// groupRetry is the time between two requests to a coordinator that is not there yet, as on brokers that have never had a group.
const groupRetry = 500 * time.Millisecond

// describeGroup describes the group, once it has a coordinator.
func (e *exam) describeGroup(ctx context.Context) (group, error) {
	for {
		g, err := e.askForGroup(ctx)
		if !kerr.IsRetriable(err) {
			return g, err
		}
		select {
		case <-time.After(groupRetry):
		case <-ctx.Done():
			return g, err
		}
	}
}

// askForGroup asks for the group under both protocols.
func (e *exam) askForGroup(ctx context.Context) (g group, err error) {
	name, topic := e.Config.Kafka.Group, e.Config.Kafka.Topic
	if consumers, err := e.admin.DescribeConsumerGroups(ctx, name); err == nil && consumers[name].Err == nil && consumers[name].Group == name {
		c := consumers[name]
		g = group{c.State, "consumer", c.AssignorName, len(c.Members), len(c.AssignedPartitions()[topic]), nil, c.AuthorizedOperations}
		for _, m := range c.Members {
			g.meet(m.ClientID, m.ClientHost, e.Config.Kafka.ClientID)
		}
		return g, nil
	}
	classic, err := e.admin.DescribeGroups(ctx, name)
	if err != nil {
		return g, err
	}
	c := classic[name]
	if errors.Is(c.Err, kerr.GroupIDNotFound) {
		return group{state: "Dead"}, nil
	}
	g = group{c.State, "classic", c.Protocol, len(c.Members), len(c.AssignedPartitions()[topic]), nil, c.AuthorizedOperations}
	for _, m := range c.Members {
		g.meet(m.ClientID, m.ClientHost, e.Config.Kafka.ClientID)
	}
	return g, c.Err
}

// meet notes a member that has another client id than ours.
func (g *group) meet(client, host, ours string) {
	if client != ours {
		g.others = append(g.others, client+" at "+strings.TrimPrefix(host, "/"))
	}
}
