package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// What a simulation must have met, or it proves nothing: the faults, and the branches of the protocol that answer
// them. All are seen from outside: in the requests and answers at the table, the log and the metrics.
var (
	onRefused         = listed("table: refused, outcome unknown")
	onLostAnswer      = listed("table: applied, answer lost")
	onApplied500      = listed("table: applied, answered 500")
	onHeld            = listed("table: held, then applied")
	onTwice           = listed("table: delivered twice")
	onAgain           = listed("table: delivered again later")
	onSlow            = listed("table: slow")
	onCheckpointAgain = listed("table: write of a checkpoint delivered again later")
	onPartPut         = listed("table: part of a batch taken")
	onPartGet         = listed("table: part of a read answered")
	onKill            = listed("process: killed before a request")
	onKillAfter       = listed("process: killed after a request")
	onKillDrain       = listed("process: killed while it drained")
	onOutage          = listed("table: site throttled for long")
	onChainsOut       = listed("table: chains throttled for long")
	onThrottled       = listedThrottles()

	onLeaderMoved    = listed("broker: leader moved")
	onLeaders        = listed("broker: all leaders moved")
	onCoordinator    = listed("broker: coordinators moved")
	onSessionLost    = listed("broker: session lost")
	onRebalance      = listed("broker: rebalance forced")
	onMember         = listed("broker: member came and went")
	onFailedTimedOut = listed("broker: failed event written, answered REQUEST_TIMED_OUT")
	onFetchRefused   = listed("broker: fetch refused")
	onOffsetsRefused = listed("broker: offsets refused")
	onCommitRefused  = listed("broker: commit of the group's offsets refused")
	onGroupReset     = listed("broker: offsets of the group set by hand")
	onJoinRefused    = listed("broker: join or sync refused")
	onCut            = listed("broker: connection cut")

	onRedoScratch      = listed("redo from scratch")
	onRedoPart         = listed("redo of a step that was applied in part")
	onRedoWhole        = listed("redo of a step that was applied as a whole")
	onRedoSettings     = listed("redo under other settings")
	onRedoRedo         = listed("redo of a redo")
	onPrev             = listed("redo: session taken from prev")
	onVisitorPrev      = listed("redo: visitor taken from prev")
	onVisitForgotten   = listed("visitor's oldest visit forgotten")
	onMinuteSkipped    = listed("redo: realtime minute left out")
	onHistoryAgain     = listed("redo: history put again")
	onRecognised       = listed("intent recognised as its own")
	onRepeated         = listed("update recognised as applied")
	onFencedIntent     = listed("fenced at the intent")
	onFencedItem       = listed("fenced at an item")
	onFencedFinish     = listed("fenced at finish")
	onFencedSelf       = listed("fenced by its own acquire, and came back")
	onFencedBack       = listed("fenced by another, and came back")
	onTakenOver        = listed("fenced when no longer assigned")
	onDrained          = listed("drained")
	onDrainCut         = listed("drain cut short")
	onIdleDone         = listed("idle tick marks the step as done")
	onDrainDone        = listed("drain marks the step as done")
	onLost             = listed("partition lost")
	onApart            = listed("lanes taken over at different positions")
	onPaused           = listed("queue paused")
	onAhead            = listed("records decoded ahead")
	onReleased         = listed("states let go above the memory ceiling")
	onExpired          = listed("write left out, its item expired")
	onSwollen          = listed("batch larger than what some processes decompress")
	onWrongOffset      = listed("record with another offset than its place in the batch")
	onRange            = listed("batch that cannot be read rejected as a range")
	onGapAccepted      = listed("operator: gap accepted")
	onSkipped          = listed("operator: damaged batch skipped")
	onResumed          = listed("operator: parked partition resumed")
	onOperatorCut      = listed("operator: command cut short, and repeated")
	onTrimmed          = listed("records deleted before they were folded")
	onUndecided        = listed("open step left undecided by a gap")
	onRowsDropped      = listed("erasure: rows of breakdowns dropped by the sweep")
	onRecentMore       = listed("more new sessions of a minute than one list takes")
	onBuckets          = listed("new sessions of an hour listed in buckets by visitor")
	onNewSessions      = listed("few new sessions of an hour named in one item")
	onNewSessionsAgain = listed("redo: item of new sessions put again")
	onExactWindow      = listed("record repeated at exactly the window's distance")
	onDuplicate        = listed("duplicate counted once")
	onBotAgent         = listed("bot detected by its user agent")
	onBotReferrer      = listed("bot detected by its referrer")
	onBotRate          = listed("bot detected by its rate")
	onNewSettings      = listed("chain went on under other settings")
	onFailedCut        = listed("query of a failed event cut")
	onRules            = listed("rules of a site decided")
	onCreated          = listed("site created before its first event was counted")
	onCreatedLate      = listed("site created after its first event was counted")
	onCreationCut      = listed("creation of a site cut short, and done again")
	onNewRules         = listed("chain went on under other rules")
	onRedoRules        = listed("redo under rules that are not the latest")
	onConversion       = listed("goal reached")
	onDurationGoal     = listed("goal reached by a session's duration")
	onConversionAgain  = listed("conversion put again by another process")
	onPrecededRedone   = listed("redo: session whose earliest event the step has found taken from prev")
	onLingeredRedone   = listed("redo: page view whose attention the step has changed taken from prev")
	onLingeredHour     = listed("redo: page view in another hour than its session")
	onReachedRedone    = listed("redo: goal reached in the step taken from prev")
	onGoalsFull        = listed("goal not reached, the session having reached all it can")
	onUnknown          = listed("record of an unknown site rejected")
	onTooMany          = listed("record of one new site too many rejected")
	onAdmitted         = listed("redo: site that the step itself has admitted is new again")
	onNewSitesPrev     = listed("redo: new sites taken from prev")
	onNewHour          = listed("new sites of another hour")
	onJumpAhead        = listed("new sites of an hour more than a day ahead")
	onJumpBack         = listed("new sites of an hour more than a day before")
	onOverBudget       = listed("events beyond a site's budget")
	onBudgetKnown      = listed("redo: budget recognised as written")
	onMisdated         = listed("record time not believed")
	onMidnight         = listed("record time believed from midnight on")
	onYesterdays       = listed("redo of a step that was begun before midnight")
	onGone             = listed("site deleted")
	onBack             = listed("site that was deleted came back")
	onChosen           = listed("property chosen by a site")
	onRows             = listed("rows of a site's dimensions decided")
	onSwitched         = listed("realtime, recent sessions or visitors of a site switched")
	onUnindexed        = listed("session left out of the lists by visitor")
	onForeign          = listed("foreign event")
	onExcluded         = listed("event of an excluded page")
	onFailedAgain      = listed("failed event published again")
	onTransaction      = listed("records of a transaction")
	onAborted          = listed("aborted transaction")
	onSealed           = listed("sealed item equal to the recount")
	onSealedStale      = listed("sealed item out of date")
	onTrailingMarker   = listed("log ends with a control record")
	onErased           = listed("person erased")
	onErasureCut       = listed("erasure cut short, and gone on with")
	onErasedFolded     = listed("session erased by a step")
	onErasedAgain      = listed("redo: session erased by a step that had erased it")
	onAlias            = listed("visits of an erased visitor")
	onArrivalMoved     = listed("new visitor counted in an earlier hour")
	onNewAgain         = listed("visitor new again after the horizon")
	onArrivalErased    = listed("new visitor after an erasure")
	onArrivalPrev      = listed("redo: arrival taken from prev")
	onBegunAnew        = listed("new visits after an erasure")
	onDamaged          = listed("part damaged")
	onQuarantine       = listed("damaged part quarantined")
	onQuarantineRedone = listed("redo: damaged part of the step itself quarantined")
	onNoted            = listed("idle owner notes the rules' revision")
	onLaterGroup       = listed("a chain passes to a later group")
	onRolledBack       = listed("a chain passes back to an earlier group")
	onPacked           = listed("raw events packed")
	onPackedAgain      = listed("redo: pack put again, the same")
	onRepacked         = listed("erasure: pack written without events of a person")
)

// happening is the name of a fault or a branch that is on the list.
type happening string

var happenings []happening

func listed(name string) happening {
	happenings = append(happenings, happening(name))
	return happening(name)
}

// throttles are the reasons that DynamoDB gives, those of reads and those of writes.
var throttles = map[bool][]string{}

func listedThrottles() map[string]happening {
	all := make(map[string]happening)
	for _, where := range []string{"Table", "Index"} {
		for _, verb := range []string{"Read", "Write"} {
			for _, limit := range []string{"ProvisionedThroughput", "AccountLimit", "KeyRangeThroughput", "MaxOnDemandThroughput"} {
				reason := where + verb + limit + "Exceeded"
				throttles[verb == "Write"] = append(throttles[verb == "Write"], reason)
				all[reason] = listed("throttle: " + reason)
			}
		}
	}
	return all
}

// coverage counts what happened. Safe for concurrent use.
type coverage struct {
	mu    sync.Mutex // covers count
	count map[happening]int
}

func newCoverage() *coverage { return &coverage{count: make(map[happening]int)} }

func (c *coverage) hit(h happening) { c.add(h, 1) }

func (c *coverage) add(h happening, n int) {
	if n == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count[h] += n
}

// missed lists what never happened.
func (c *coverage) missed() []happening {
	return slices.DeleteFunc(slices.Clone(happenings), func(h happening) bool { return c.count[h] > 0 })
}

func (c *coverage) String() string {
	var b strings.Builder
	for i, h := range happenings {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %d", h, c.count[h])
	}
	return b.String()
}
