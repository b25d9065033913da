package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Role is for whom the permissions on the table are tried: each has a policy in docs/iam.md.
type Role string

// The roles.
const (
	RoleRun   Role = "run"
	RoleQuery Role = "query"
	RoleAdmin Role = "admin"
	RoleServe Role = "serve"
)

// Roles are all roles.
var Roles = []Role{RoleRun, RoleQuery, RoleServe, RoleAdmin}

// attempt is a request that changes nothing, and the roles that must be allowed to make it.
type attempt struct {
	action string
	roles  []Role
	try    func(context.Context) error
}

// attempts are about an item that no release writes: topics are numbered from 1. Were it there, the conditions would still never hold,
// since they contradict each other.
func (e *exam) attempts() []attempt {
	key := sinks.Keys{}.Checkpoint(sinks.TP{}, checkpoint.LaneStats)
	never := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}, {Attr: sinks.AttrPK, Op: sinks.Present}}
	query := func(index sinks.Index) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := e.Table.Query(ctx, sinks.Query{Index: index, PK: key.PK, Limit: 1})
			return err
		}
	}
	writers, token, note := []Role{RoleRun, RoleAdmin}, sinks.Keys{}.Token("none"), sinks.Keys{}.Annotation("none", "none")
	put := func(key sinks.Key) func(context.Context) error {
		return func(ctx context.Context) error {
			item := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK)}
			return refusal(e.Table.Put(ctx, sinks.Put{Item: item, If: never}))
		}
	}
	remove := func(key sinks.Key) func(context.Context) error {
		return func(ctx context.Context) error {
			return refusal(e.Table.Delete(ctx, sinks.Delete{Key: key, If: never}))
		}
	}
	attempts := []attempt{
		{"BatchGetItem", Roles, func(ctx context.Context) error {
			_, err := e.Table.BatchGet(ctx, sinks.BatchGet{Keys: []sinks.Key{key}})
			return err
		}},
		{"Query", Roles, query(sinks.Base)},
		{"Query on index GSI1", []Role{RoleQuery, RoleServe}, query(sinks.GSI1)},
		{"UpdateItem", writers, func(ctx context.Context) error {
			return refusal(e.Table.Update(ctx, sinks.Update{Key: key, Set: []sinks.Attr{{Name: "x", Value: sinks.Int(0)}}, If: never}))
		}},
		{"UpdateItem on tokens", []Role{RoleServe}, func(ctx context.Context) error {
			return refusal(e.Table.Update(ctx, sinks.Update{Key: token, Set: []sinks.Attr{{Name: "x", Value: sinks.Int(0)}}, If: never}))
		}},
		{"PutItem", writers, put(key)},
		{"PutItem of annotations", []Role{RoleServe}, put(note)},
		{"DeleteItem", writers, remove(key)},
		{"DeleteItem of annotations", []Role{RoleServe}, remove(note)},
	}
	if s, ok := e.Admin.(sinks.Inspector); ok {
		attempts = append(attempts, attempt{"BatchWriteItem", []Role{RoleRun}, func(ctx context.Context) error {
			return s.DeleteAbsent(ctx,
				key)
		}})
	}
	return attempts
}

// refusal returns the error of a write whose condition cannot hold.
func refusal(r sinks.Result, err error) error {
	if err == nil && !r.Refused {
		return errors.New("the table made a write whose conditions cannot hold")
	}
	return err
}

// checkPermissions tries the requests of a role.
func (e *exam) checkPermissions(ctx context.Context) {
	var allowed, denied []string
	for _, a := range e.attempts() {
		if !slices.Contains(a.roles, e.Role) {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, tablePatience)
		err := a.try(ctx)
		cancel()
		switch {
		case errors.Is(err, sinks.ErrDenied):
			denied = append(denied, a.action)
		case err != nil:
			e.unchecked(ctx, "table.permissions", fmt.Errorf("%s: %w", a.action, err))
		default:
			allowed = append(allowed, a.action)
		}
	}
	if denied != nil {
		e.fail("table.permissions", "these credentials may not "+strings.Join(denied, ", "), fmt.Sprintf("what role %s does ends with an error: "+
			"allow it, see the policy of docs/iam.md", e.Role))
	}
	if allowed != nil {
		e.ok("table.permissions", "these credentials may %s", strings.Join(allowed, ", "))
	}
}
