// Package transition changes one state by one event: a session, the visits or the arrival of a visitor, the page that is read, the minutes
// of a flood, what a site has spent, how many sites are new. Each rule depends only on the state, the event and the settings that it is
// given, and calls none of the others.
package transition
