//go:build unix

package e2e

import (
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
)

// refuseCommits has an ACL refuse everyone the group until a commit was refused and each member has ended, and starts the members again
// without the ACL. One operation covers commits, heartbeats and joining. If each member ends at a heartbeat before it tries to commit, the
// right is taken away again.
func (c *chaos) refuseCommits() {
	c.t.Helper()
	for c.refused == 0 {
		c.awaitWork(0)
		c.refuseGroup()
	}
}

func (c *chaos) refuseGroup() {
	c.t.Helper()
	_, adm := c.admin(c.t)
	acl := kadm.NewACLs().Groups(c.group).ResourcePatternType(kadm.ACLPatternLiteral).Operations(kadm.OpRead).Deny("User:*").DenyHosts("*")
	created, err := adm.CreateACLs(c.t.Context(), acl)
	if err != nil || created[0].Err != nil {
		c.t.Fatalf("refuse the group: %v, %+v", err, created)
	}
	for _, m := range c.members {
		eventually(c.t, m.name+" ends, as it has no right to its group", m.ended)
		if !strings.Contains(m.errors.String(), "GROUP_AUTHORIZATION_FAILED") {
			c.t.Errorf("%s does not say that the group was refused", m.name)
		}
		c.refused += m.count("the group's offsets cannot be committed: tools show a wrong lag; the numbers do not depend on it")
	}
	deleted, err := adm.DeleteACLs(c.t.Context(), acl)
	if err != nil || deleted[0].Err != nil || len(deleted[0].Deleted) != 1 {
		c.t.Fatalf("permit the group: %v, %+v", err, deleted)
	}
	c.tend()
}

const beyondTheEnd = 1_000_000 // of each partition

// reset kills all members, sets what the group has committed to an offset, in each partition, and starts members again. The first to take
// partitions over says that it is not where the checkpoints are.
func (c *chaos) reset(to int64) {
	c.t.Helper()
	_, adm := c.admin(c.t)
	var offsets kadm.Offsets
	for n := range c.topicSize {
		offsets.AddOffset(c.topic, int32(n), to, -1)
	}
	poll(c.t, nowAndThen, "the group has committed more than 0", func() bool { // Before that, 0 is where the checkpoints are.
		c.tend()
		at, err := adm.FetchOffsets(c.t.Context(), c.group)
		return err == nil && slices.ContainsFunc(at.Sorted(), func(o kadm.OffsetResponse) bool { return o.At > 0 && o.At < beyondTheEnd })
	})
	for _, m := range c.members {
		m.kill()
	}
	poll(c.t, nowAndThen, "the group has no members, and its offsets are set", func() bool {
		r, err := adm.CommitOffsets(c.t.Context(), c.group, offsets)
		return err == nil && r.Error() == nil
	})
	c.resets++
	for _, m := range c.members {
		m.process = c.startMember(m.place)
	}
	eventually(c.t, "a member says that the group was reset", func() bool { // Once it has committed, others find the right offsets.
		c.tend()
		return slices.ContainsFunc(c.members, func(m *member) bool {
			return strings.Contains(m.errors.String(), "the group's committed offset is not where the checkpoint is")
		})
	})
}
