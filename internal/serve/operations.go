package serve

// operations registers every operation, each in the file of its name, in the order in which OpenAPI lists them.
var operations = []func(api){
	addSites,
	addSite,
	addOverview,
	addBulk,
	addStats,
	addUniques,
	addTop,
	addVerified,
	addRetention,
	addAnnotations,
	addAlerts,
	addRealtime,
	addRealtimeStream,
	addGoals,
	addConversions,
	addFunnels,
	addFunnelReport,
	addSegments,
	addPaths,
	addSessions,
	addSession,
	addSessionEvents,
}
