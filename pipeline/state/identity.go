package state

import "github.com/footfall/footfall/sinks"

// Identity is the id of a session and whose it is; "" unknown, or erased.
type Identity struct{ Session, Visitor, User string }

// IdentityOf reads the ids of a session's item: those that its keys spell, and the attributes of others, which keys shorten or do
// not have.
func IdentityOf(it sinks.Item) Identity {
	id := Identity{it[sinks.AttrSessionID].Str(), sinks.ExpandID(it[sinks.AttrVisitorID].Str()), it[sinks.AttrUserID].Str()}
	if id.Session == "" && it[sinks.AttrErased].Kind() == sinks.None {
		id.Session = sinks.SessionIn(it[sinks.AttrSK].Str())
	}
	if id.User == "" {
		id.User = sinks.ListedIn(it[sinks.AttrGSI1PK].Str())
	}
	return id
}
