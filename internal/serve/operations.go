package serve

// operations registers every operation, each in the file of its name, in the order in which OpenAPI lists them.
var operations = []func(api){
	addSites,
	addSite,
	addOverview,
	addStats,
	addUniques,
	addTop,
	addRealtime,
	addGoals,
	addConversions,
	addFunnels,
	addFunnelReport,
	addSessions,
	addSession,
	addSessionEvents,
}
