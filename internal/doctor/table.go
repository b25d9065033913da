package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// examineTable checks the table. It reports whether it could be asked.
func (e *exam) examineTable(ctx context.Context) bool {
	if e.TableError != nil {
		e.fail("table", e.TableError.Error(), "nothing is counted")
		return false
	}
	answered := false
	e.within(ctx, func(ctx context.Context) { answered = e.checkTable(ctx) })
	if !answered {
		return false
	}
	if e.unusable {
		e.unchecked(ctx, "table.permissions", errUnusable)
	} else {
		e.within(ctx, e.checkPermissions)
		e.within(ctx, e.checkFormat)
		e.within(ctx, generations{e}.check)
	}
	if s, ok := e.Admin.(sinks.Inspector); ok {
		e.within(ctx, func(ctx context.Context) { e.checkQuotas(ctx, s) })
		e.add(compareClock(ctx, "table", s.ServerTime))
	}
	return true
}

// errUnusable is why nothing is asked of the items of a table that no update mends.
var errUnusable = errors.New("the table's shape is another: see table.shape")

// inspect describes the table, in parts where the store does so.
func (e *exam) inspect(ctx context.Context) (in sinks.Inspection, err error) {
	if s, ok := e.Admin.(sinks.Inspector); ok {
		return s.Inspect(ctx)
	}
	in.Description, err = e.Admin.Describe(ctx)
	return in, err
}

// checkTable checks what the table is. It reports whether the table is there.
func (e *exam) checkTable(ctx context.Context) bool {
	url := e.Config.Table
	in, err := e.inspect(ctx)
	switch {
	case errors.Is(err, sinks.ErrNoTable):
		e.fail("table", tableError(ctx, url, err).Error(), "nothing is counted", "footfall table create --table "+url)
		return false
	case err != nil:
		e.fail("table", tableError(ctx, url, err).Error(), "nothing is counted")
		return false
	}
	e.checkStatus(in)
	e.checkShape(in)
	if in.Kind != "dynamodb" {
		return true
	}
	switch {
	case in.TTLError != nil:
		e.unchecked(ctx, "table.expiry", in.TTLError)
	case in.TTL:
		e.ok("table.expiry", "items expire by the attribute %q", sinks.AttrTTL)
	}
	switch {
	case in.RecoveryError != nil:
		e.unchecked(ctx, "table.recovery", in.RecoveryError)
	case in.Recovery:
		e.ok("table.recovery", "point-in-time recovery is on")
	default:
		e.warn("table.recovery", "point-in-time recovery is off",
			"after a mistake, such as a deleted item, figures can be counted again only from "+
				"what the topic still holds", "aws dynamodb update-continuous-backups --table-name "+in.Name+
				" --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true")
	}
	if protected := in.DeletionProtection; protected != nil && *protected {
		e.ok("table.protection", "the table is protected against deletion")
	} else {
		e.warn("table.protection", "the table is not protected against deletion", "one command deletes all figures",
			"footfall table update --deletion-protection --table "+url)
	}
	return true
}

func (e *exam) checkStatus(in sinks.Inspection) {
	switch in.Status {
	case "ACTIVE":
		e.ok("table", "%s is there, %s", in.Name, in.Kind)
	case "UPDATING":
		e.warn("table", in.Name+" is being changed", "requests may be throttled until it is done: see footfall table describe")
	default:
		e.fail("table", fmt.Sprintf("%s is %s", in.Name, in.Status), "it takes no writes")
	}
}

// checkShape checks keys, indexes and expiry, and says which differences an update takes away.
func (e *exam) checkShape(in sinks.Inspection) {
	url := e.Config.Table
	var mendable []string
	for _, d := range in.Differences {
		if !strings.Contains(strings.Join(in.Lasting, "\n"), d) {
			mendable = append(mendable, d)
		}
	}
	const endangers = "run refuses the table"
	switch {
	case onlyOtherTTL(in.Description):
		e.fail("table.shape", in.Lasting[0], endangers+", and its items never expire: turn expiry off, and on again for the right attribute; "+
			"AWS permits the second change an hour after the first", turnOffTTL(in.Description), "footfall table update --table "+url)
	case in.Lasting != nil:
		e.unusable = true
		e.fail("table.shape", strings.Join(in.Lasting, "; "), endangers+"; no update changes this: create another, and count the topic into it",
			"footfall table create --table dynamodb://NAME")
	}
	if mendable != nil {
		e.fail("table.shape", strings.Join(mendable, "; "), endangers, "footfall table update --table "+url)
	}
	if in.Differences == nil {
		e.ok("table.shape", "keys and indexes %s are as they should be", strings.Join(in.Indexes, ", "))
	}
}

// checkQuotas checks what the account may use against what the table has.
func (e *exam) checkQuotas(ctx context.Context, s sinks.Inspector) {
	q, err := s.Quotas(ctx)
	if err != nil {
		e.unchecked(ctx, "table.quotas", err)
		return
	}
	in, err := s.Inspect(ctx)
	if err != nil {
		e.unchecked(ctx, "table.quotas", err)
		return
	}
	found := fmt.Sprintf("a table may have %d write and %d read units per second, the account %d and %d", q.TableWrite, q.TableRead,
		q.AccountWrite, q.AccountRead)
	const raise = "raise the quotas of DynamoDB in AWS Service Quotas"
	switch wanted := max(in.WriteCapacity, in.WarmWriteUnits, in.MaxWriteUnits); {
	case q.TableWrite > 0 && wanted > q.TableWrite:
		e.warn("table.quotas", fmt.Sprintf("%s; this table is set to %d write units", found, wanted),
			"beyond the quota writes are throttled, and "+
				"the lag grows: "+raise)
	case q.TableWrite > 0 && in.WriteCapacity*5 > q.TableWrite*4:
		e.warn("table.quotas", fmt.Sprintf("%s; this table uses %d write units", found, in.WriteCapacity), "little is left to grow: "+raise)
	default:
		e.ok("table.quotas", "%s", found)
	}
}

// tablePatience is how long one request of the permissions may take.
const tablePatience = 5 * time.Second
