package sinks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/footfall/footfall/sinks/internal/ids"
)

// What is spelled with the number of a goal: the names of its sums in stats items, and the keys of its conversions. A number is
// given to one goal of a site and to no other ever, so that what was counted of a goal is never taken for another's of the same id.

// Attributes of goals and conversions.
const (
	AttrGoal        = "goalId"
	AttrGoalNumber  = "goalNumber"
	AttrConversions = "conversions"
	AttrAt          = "at"
	AttrPage        = "page"
	AttrDefinition  = "definition"
	AttrDeleted     = "deleted"
)

// How the names of a goal's sums begin.
const (
	goalCountPrefix = "g"
	goalValuePrefix = "gv"
	goalPlaceholder = "{n}"
	returnPrefix    = "rw"
)

// MaxReturnWeeks is for how many weeks after the one in which a visitor was new a return is counted. Each takes some 6 bytes of a day.
const MaxReturnWeeks = 52

// AttrReturns returns the name of the attribute of a day's stats that counts the visitors who were new the given number of weeks before.
func AttrReturns(weeks int) string { return returnPrefix + strconv.Itoa(weeks) }

// AttrGoalCount returns the name of the attribute of stats that counts the conversions of a goal.
func AttrGoalCount(n uint64) string { return goalCountPrefix + strconv.FormatUint(n, 10) }

// AttrGoalValue returns the name of the attribute of stats that has the sum of the values of a goal's conversions, in millionths.
func AttrGoalValue(n uint64) string { return goalValuePrefix + strconv.FormatUint(n, 10) }

// GoalSum tells of which goal an attribute of stats is a sum, and whether of values; ok is false when it is of none.
func GoalSum(attr string) (n uint64, value, ok bool) {
	digits, value := strings.CutPrefix(attr, goalValuePrefix)
	if !value {
		if digits, ok = strings.CutPrefix(attr, goalCountPrefix); !ok {
			return 0, false, false
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != digits {
		return 0, false, false
	}
	return n, value, true
}

// sumTemplate returns the template of a sum's name, as g{n}; "" when it has no number.
func sumTemplate(attr string) string {
	weeks, back := strings.CutPrefix(attr, returnPrefix)
	n, err := strconv.Atoi(weeks)
	switch _, value, ok := GoalSum(attr); {
	case back && err == nil && AttrReturns(n) == attr:
		return returnPrefix + goalPlaceholder
	case !ok:
		return ""
	case value:
		return goalValuePrefix + goalPlaceholder
	}
	return goalCountPrefix + goalPlaceholder
}

// Goal is where a goal of a site lies, by its id.
func (k Keys) Goal(site, goal string) Key { return Key{Decided(site), GoalPrefix + ids.Escape(goal)} }

// GoalPrefix and ConversionPrefix are how the sort keys of goals, and of conversions, begin.
const (
	GoalPrefix       = "GOAL#"
	ConversionPrefix = "CONVERSION#"
)

// Conversion is where the conversion of a session lies, in the session's shard; n is the number of the goal, shards the table's
// number of shards of sessions.
func (k Keys) Conversion(site string, n uint64, session string, tp TP, shards int) Key {
	return Key{k.Shard(site, ShardOf(session, shards)), ConversionPrefix + strconv.FormatUint(n, 10) + "#" + ids.EscapeID(session) + "#" +
		tp.String()}
}

// GoalConversions is the partition key of GSI1 that lists the conversions of a goal in one shard. The sort keys are made by
// SessionOrder, of the conversions' times.
func (k Keys) GoalConversions(site string, n uint64, nn int) string {
	return k.pk(fmt.Sprintf("SITE#%s#GOAL#%d#%02d", ids.Escape(site), n, nn))
}
