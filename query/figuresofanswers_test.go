package query_test

// figuresOfAnswers are what showcases have, by name.
var figuresOfAnswers = map[string]shown{
	"conversions": {
		says: []string{
			"Conversions of goal bought of site aims, all times",
		},
		rows: "2026-05-12 10:00:01 | 2026-05-12 11:00:00",
		figures: `
answer from=- goalId=bought siteId=aims to=-
answer.conversions[0] at=2026-05-12T10:00:01.5Z page="/thanks\u001b" partition=1_0 sessionId=s-1 source=events/0/7 type=page_view
	 userId=u value=2.5 visitorId="v\u202e1"
answer.conversions[1] at=2026-05-12T11:00:00Z name=order partition=1_17 sessionId=s-2 source=events/0/7 type=buy value=-
answer.goal active=true goalId=bought name="Bought \u001b[31msomething" number=2 on=page-prefix:/thanks revision=7 since=- value=2.5`,
	},
	"conversions-deleted": {
		says: []string{
			"Conversions of goal gone#1 of site aims, all times",
			"None.",
			"The goal was deleted: these are the conversions that it had.",
		},
		figures: `
answer from=- goalId=gone#1 siteId=aims to=-
answer.goal active=true deleted=true goalId=gone#1 number=1 on=name:signup revision=7 since=- value=-`,
	},
	"events": {
		says: []string{
			"Events of site shop#1, [2026-05-12T09:00:00Z, 2026-05-12T10:00:00Z)",
			"Expired items left out: 1.",
		},
		rows: "2026-05-12 09:00:00.000 | 2026-05-12 09:00:01.500",
		figures: `
answer expiredCount=1 from=2026-05-12T09:00:00Z siteId=shop#1 to=2026-05-12T10:00:00Z
answer.events[0] id=e1 recordTime=2026-05-12T09:00:00.04Z sessionId=s-1 source=events/0/1 timestamp=2026-05-12T09:00:00Z type=page_view
	 ulid=01KRDPM7M0GYKR22RP1ENWA000 userId=u-1 visitorId=v-1
answer.events[0].properties a=b big=12345678901234567890.10
answer.events[1] bot=rate country=DE id=e2 name="two\nlines, \"quoted\"" os=Linux recordTime=2026-05-12T09:00:01.54Z sessionId=s-1
	 source=events/0/2 timestamp=2026-05-12T09:00:01.5Z type=purchase ulid=01KRDPM92W2DG28EKH2W9DG000 value=-12.5`,
	},
	"events-expired": {
		says: []string{
			"Events of site forgetful, [2026-04-22T00:00:00Z, 2026-04-23T00:00:00Z)",
			"None.",
			"The site keeps raw events for 7 days: those of before 2026-05-05T14:35:20Z have expired.",
		},
		figures: `
answer from=2026-04-22T00:00:00Z siteId=forgetful to=2026-04-23T00:00:00Z`,
	},
	"funnel": {
		says: []string{
			"Funnel buy of site shop#1, Funnel buy: within 30m0s, strict, version 1",
		},
		rows: "1 | 2 | 3",
		figures: `
answer changedAt=2026-05-12T14:35:20Z changedBy="me@here" createdAt=2026-05-12T14:35:20Z funnelId=buy name="Funnel buy" siteId=shop#1
	 strict=true version=1 windowMs=1800000
answer.steps[0] how=contains on=page text=/long/
answer.steps[1] on=event type=purchase
answer.steps[2] how=regexp on=page text="<never>"`,
	},
	"funnel-report": {
		says: []string{
			"Funnel buy of site shop#1, Funnel buy: within 30m0s, strict, version 1, [2026-05-12T08:00:00Z, 2026-05-12T09:00:02Z)",
			"Raw events read: 2; events of bots (included): 1; read units: 8.",
		},
		rows: "1 | 2 | 3",
		figures: `
answer botEvents=1 eventsRead=2 from=2026-05-12T08:00:00Z includesBots=true readUnits=8 siteId=shop#1 to=2026-05-12T09:00:02Z
answer.funnel changedAt=2026-05-12T14:35:20Z changedBy="me@here" createdAt=2026-05-12T14:35:20Z funnelId=buy name="Funnel buy"
	 strict=true version=1 windowMs=1800000
answer.funnel.steps[0] how=contains on=page text=/long/
answer.funnel.steps[1] on=event type=purchase
answer.funnel.steps[2] how=regexp on=page text="<never>"
answer.steps[0] medianMs=- shareOfFirst=1 shareOfPrevious=- step=1 visitors=1
answer.steps[0].match how=contains on=page text=/long/
answer.steps[1] dropOff=1 medianMs=- step=2
answer.steps[1].match on=event type=purchase
answer.steps[2] medianMs=- shareOfPrevious=- step=3
answer.steps[2].match how=regexp on=page text="<never>"`,
	},
	"funnel-report-none": {
		says: []string{
			"Funnel none of site shop#1, Funnel none: within 30m0s, version 1, [2026-05-12T08:00:00Z, 2026-05-12T09:00:02Z)",
			"Raw events read: 2; events of bots (excluded): 1; read units: 8.",
		},
		rows: "1 | 2",
		figures: `
answer botEvents=1 eventsRead=2 from=2026-05-12T08:00:00Z readUnits=8 siteId=shop#1 to=2026-05-12T09:00:02Z
answer.funnel changedAt=2026-05-12T14:35:20Z changedBy="me@here" createdAt=2026-05-12T14:35:20Z funnelId=none name="Funnel none"
	 version=1 windowMs=1800000
answer.funnel.steps[0] name=never on=event
answer.funnel.steps[1] name="\u001b[31mred" on=event type=page_view
answer.steps[0] medianMs=- shareOfFirst=- shareOfPrevious=- step=1
answer.steps[0].match name=never on=event
answer.steps[1] medianMs=- shareOfFirst=- shareOfPrevious=- step=2
answer.steps[1].match name="\u001b[31mred" on=event type=page_view`,
	},
	"funnels": {
		says: []string{
			"Funnels of site shop#1",
		},
		rows: "buy | none",
		figures: `
answer siteId=shop#1
answer.funnels[0] changedAt=2026-05-12T14:35:20Z changedBy="me@here" createdAt=2026-05-12T14:35:20Z funnelId=buy name="Funnel buy"
	 strict=true version=1 windowMs=1800000
answer.funnels[0].steps[0] how=contains on=page text=/long/
answer.funnels[0].steps[1] on=event type=purchase
answer.funnels[0].steps[2] how=regexp on=page text="<never>"
answer.funnels[1] changedAt=2026-05-12T14:35:20Z changedBy="me@here" createdAt=2026-05-12T14:35:20Z funnelId=none name="Funnel none"
	 version=1 windowMs=1800000
answer.funnels[1].steps[0] name=never on=event
answer.funnels[1].steps[1] name="\u001b[31mred" on=event type=page_view`,
	},
	"goal-stats": {
		says: []string{
			"Goals of site aims by hour, [2026-05-12T10:00:00Z, 2026-05-12T14:00:00Z)",
			"In all",
			"Expired items left out: 1.",
		},
		rows: "2026-05-12 10:00 | 2026-05-12 10:00 | 2026-05-12 11:00 | 2026-05-12 11:00 || gone#1 | bought | stayed | ",
		figures: `
answer by=hour completeThrough=- expiredCount=1 from=2026-05-12T10:00:00Z siteId=aims timeZone=UTC to=2026-05-12T14:00:00Z
answer.buckets[0] conversions=4 end=2026-05-12T11:00:00Z sessions=8 start=2026-05-12T10:00:00Z
answer.buckets[0].goals[0] conversionRate=0.125 conversions=1 conversionsSince=1 deleted=true goalId=gone#1 number=1 sessionsSince=8
	 since=- valueSum=-0.5
answer.buckets[0].goals[1] conversionRate=0.375 conversions=3 conversionsSince=3 goalId=bought name="Bought \u001b[31msomething" number=2
	 sessionsSince=8 since=- valueSum=7.5
answer.buckets[1] conversions=2 end=2026-05-12T12:00:00Z start=2026-05-12T11:00:00Z
answer.buckets[1].goals[0] conversionRate=- conversions=1 conversionsSince=1 goalId=bought name="Bought \u001b[31msomething" number=2
	 since=- valueSum=2.5
answer.buckets[1].goals[1] conversionRate=- conversions=1 conversionsSince=1 deleted=true number=9 since=-
answer.buckets[2] end=2026-05-12T14:00:00Z sessions=2 start=2026-05-12T13:00:00Z
answer.totals conversions=6 sessions=10
answer.totals.goals[0] conversionRate=0.1 conversions=1 conversionsSince=1 deleted=true goalId=gone#1 number=1 sessionsSince=10 since=-
	 valueSum=-0.5
answer.totals.goals[1] conversionRate=0.4 conversions=4 conversionsSince=4 goalId=bought name="Bought \u001b[31msomething" number=2
	 sessionsSince=10 since=- valueSum=10
answer.totals.goals[2] goalId=stayed number=3 sessionsSince=10 since=-
answer.totals.goals[3] conversionRate=0.1 conversions=1 conversionsSince=1 deleted=true number=9 sessionsSince=10 since=-`,
	},
	"goal-stats-more": {
		says: []string{
			"Goals of site aims by hour, [2026-05-12T10:00:00Z, 2026-05-12T14:00:00Z)",
			"In all",
			"Expired items left out: 1.",
			"There is more: continue with --cursor eyJxIjoiYzg2MGU4NjRlOTZkIiwiayI6IjE3Nzg1ODAwMDAwMDAiLCJmIjoxNzc4NTgwMDAw" +
				"MDAwLCJ0IjoxNzc4NTk0NDAwMDAwfQ",
		},
		rows: "2026-05-12 10:00 | 2026-05-12 10:00 || gone#1 | bought | stayed | ",
		figures: `
answer by=hour completeThrough=-
	 cursor=eyJxIjoiYzg2MGU4NjRlOTZkIiwiayI6IjE3Nzg1ODAwMDAwMDAiLCJmIjoxNzc4NTgwMDAwMDAwLCJ0IjoxNzc4NTk0NDAwMDAwfQ expiredCount=1
	 from=2026-05-12T10:00:00Z siteId=aims timeZone=UTC to=2026-05-12T14:00:00Z
answer.buckets[0] conversions=4 end=2026-05-12T11:00:00Z sessions=8 start=2026-05-12T10:00:00Z
answer.buckets[0].goals[0] conversionRate=0.125 conversions=1 conversionsSince=1 deleted=true goalId=gone#1 number=1 sessionsSince=8
	 since=- valueSum=-0.5
answer.buckets[0].goals[1] conversionRate=0.375 conversions=3 conversionsSince=3 goalId=bought name="Bought \u001b[31msomething" number=2
	 sessionsSince=8 since=- valueSum=7.5
answer.totals conversions=6 sessions=10
answer.totals.goals[0] conversionRate=0.1 conversions=1 conversionsSince=1 deleted=true goalId=gone#1 number=1 sessionsSince=10 since=-
	 valueSum=-0.5
answer.totals.goals[1] conversionRate=0.4 conversions=4 conversionsSince=4 goalId=bought name="Bought \u001b[31msomething" number=2
	 sessionsSince=10 since=- valueSum=10
answer.totals.goals[2] goalId=stayed number=3 sessionsSince=10 since=-
answer.totals.goals[3] conversionRate=0.1 conversions=1 conversionsSince=1 deleted=true number=9 sessionsSince=10 since=-`,
	},
	"goal-unknown": {
		says: []string{
			"Goal never of site aims",
			"None.",
			"The site has never had this goal: footfall goal list lists its goals.",
		},
		figures: `
answer goal=- goalId=never siteId=aims`,
	},
	"goals": {
		says: []string{
			"Goals of site aims",
		},
		rows: "bought | gone#1 | stayed",
		figures: `
answer siteId=aims
answer.goals[0] active=true goalId=bought name="Bought \u001b[31msomething" number=2 on=page-prefix:/thanks revision=7 since=- value=2.5
answer.goals[1] active=true deleted=true goalId=gone#1 number=1 on=name:signup revision=7 since=- value=-
answer.goals[2] durationMs=180000 goalId=stayed number=3 revision=7 since=- value=-`,
	},
	"realtime": {
		says: []string{
			"Site shop#1, the last five minutes, [2026-05-12T14:31:00Z, 2026-05-12T14:36:00Z)",
			"Active pages",
			"Minutes, [2026-05-12T14:31:00Z, 2026-05-12T14:36:00Z)",
			"Expired items left out: 1.",
		},
		rows: `3 || / | /\x1b[31mred || 2026-05-12 14:31 | 2026-05-12 14:32 | 2026-05-12 14:33 | 2026-05-12 14:34 | 2026-05-12 14:35`,
		figures: `
answer currentVisitors=3 events=4 expiredCount=1 from=2026-05-12T14:31:00Z pageViews=3 siteId=shop#1 to=2026-05-12T14:36:00Z
answer.activePages[0] page=/ pageViews=2
answer.activePages[1] page="/\u001b[31mred" pageViews=1
answer.series[0] start=2026-05-12T14:31:00Z
answer.series[1] start=2026-05-12T14:32:00Z
answer.series[2] events=4 pageViews=3 start=2026-05-12T14:33:00Z visitors=3
answer.series[3] start=2026-05-12T14:34:00Z
answer.series[4] start=2026-05-12T14:35:00Z`,
	},
	"realtime-bots": {
		says: []string{
			"Site crawled, the last five minutes, [2026-05-12T14:31:00Z, 2026-05-12T14:36:00Z)",
			"Active pages",
			"Minutes, [2026-05-12T14:31:00Z, 2026-05-12T14:36:00Z)",
		},
		rows: "3 || / || 2026-05-12 14:31 | 2026-05-12 14:32 | 2026-05-12 14:33 | 2026-05-12 14:34 | 2026-05-12 14:35",
		figures: `
answer botEvents=5 botPageViews=3 currentVisitors=3 events=4 from=2026-05-12T14:31:00Z pageViews=2 siteId=crawled to=2026-05-12T14:36:00Z
answer.activePages[0] page=/ pageViews=2
answer.series[0] start=2026-05-12T14:31:00Z
answer.series[1] start=2026-05-12T14:32:00Z
answer.series[2] botEvents=5 botPageViews=3 events=4 pageViews=2 start=2026-05-12T14:33:00Z visitors=3
answer.series[3] start=2026-05-12T14:34:00Z
answer.series[4] start=2026-05-12T14:35:00Z`,
	},
	"session": {
		says: []string{
			"Session s-2 of site shop#1, seen by 2 partitions",
		},
		rows: "Session | Visitor | User | Opened (UTC) | Started (UTC) | Ended (UTC) | Duration | Page views | Events | Bounce | Engaged " +
			"| Entry page | Exit page | Hostname | Referrer | Channel | UTM source | UTM medium | UTM campaign | UTM content | " +
			"UTM term | Country | Region | City | Device | Browser | OS | Event | Goals | Partition",
		figures: `
answer durationMs=150000 endedAt=2026-05-12T09:03:30Z events=6 found=true pageViews=4 sessionId=s-2 siteId=shop#1
	 startedAt=2026-05-12T09:01:00Z
answer.parts[0] browser="a browser" channel="a channel" city="a city" country="a country" device="a device" durationMs=90000
	 endedAt=2026-05-12T09:03:30Z engaged=true entryPage=/ eventName="a eventName" events=3 exitPage=/cart goals=[3,300]
	 hostname="a hostname" openedAt=2026-05-12T09:02:00Z os="a os" pageViews=2 partition=1_0 referrer="a referrer" region="a region"
	 sessionId=s-2 startedAt=2026-05-12T09:02:00Z utmCampaign="a utmCampaign" utmContent="a utmContent" utmMedium="a utmMedium"
	 utmSource="a utmSource" utmTerm="a utmTerm" visitorId="v\u202e2"
answer.parts[1] durationMs=90000 endedAt=2026-05-12T09:02:30Z engaged=true entryPage=/ events=3 exitPage=/cart
	 openedAt=2026-05-12T09:01:00Z pageViews=2 partition=1_17 sessionId=s-2 startedAt=2026-05-12T09:01:00Z visitorId="v\u202e2"`,
	},
	"sessions": {
		says: []string{
			"Sessions of site shop#1, all times",
		},
		rows: "s-2 | s-1",
		figures: `
answer from=- siteId=shop#1 to=-
answer.sessions[0] durationMs=90000 endedAt=2026-05-12T09:02:30Z engaged=true entryPage=/ events=3 exitPage=/cart
	 openedAt=2026-05-12T09:01:00Z pageViews=2 partition=1_17 sessionId=s-2 startedAt=2026-05-12T09:01:00Z visitorId="v\u202e2"
answer.sessions[1] browser="a browser" channel="a channel" city="a city" country="a country" device="a device" durationMs=90000
	 endedAt=2026-05-12T09:01:30Z engaged=true entryPage=/ eventName="a eventName" events=3 exitPage=/cart goals=[3,300]
	 hostname="a hostname" openedAt=2026-05-12T09:00:00Z os="a os" pageViews=2 partition=1_0 referrer="a referrer" region="a region"
	 sessionId=s-1 startedAt=2026-05-12T09:00:00Z userId=u-1 utmCampaign="a utmCampaign" utmContent="a utmContent" utmMedium="a utmMedium"
	 utmSource="a utmSource" utmTerm="a utmTerm" visitorId=v-1`,
	},
	"sessions-long-ago": {
		says: []string{
			"Sessions of site shop#1, [2026-04-22T00:00:00Z, 2026-04-23T00:00:00Z)",
			"None.",
			"The site has data of 2026-05-11 to 2026-05-12.",
			"The list of recent sessions holds those that were opened in the last two days: --visitor and --user find those of " +
				"a visitor or user for as long as sessions are kept, and footfall query stats counts all.",
		},
		figures: `
answer from=2026-04-22T00:00:00Z siteId=shop#1 to=2026-04-23T00:00:00Z
answer.stored from=2026-05-11T00:00:00Z to=2026-05-13T00:00:00Z`,
	},
	"site": {
		says: []string{
			"Site shop#1",
		},
		rows: "shop#1",
		figures: `
answer siteId=shop#1
answer.site created=true createdAt=2026-05-12T08:00:00Z deletedAt=- domains=["www.example","example"] name="Name of shop#1"
	 newVisitorsSince=- owner=acme queryParameters=- realtime=true recent=true revision=1 shards=16 siteId=shop#1 timeZone=UTC
	 visitorIndex=true
answer.site.retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.site.shardsFrom[0] from=- shards=16
answer.site.timeZonesFrom[0] from=- timeZone=UTC`,
	},
	"site-rules": {
		says: []string{
			"Site ruled",
			"Changes of shards and zone",
			"The site's own lists of bots, spam and exclusions",
		},
		rows: "ruled || - | 2026-07-01 00:00 | - | 2026-03-01 00:00 | 2026-08-01 00:00 || user agents | user agents | referrers",
		figures: `
answer siteId=ruled
answer.site created=true createdAt=- deletedAt=- newVisitorsSince=- queryParameters=- realtime=true recent=true
	 referrers=["spam.example"] revision=4 shards=4 siteId=ruled timeZone=Africa/Abidjan userAgents=["shopbot","price\u001bwatch"]
	 visitorIndex=true
answer.site.retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.site.shardsFrom[0] from=- shards=4
answer.site.shardsFrom[1] from=2026-07-01T00:00:00Z shards=8
answer.site.timeZonesFrom[0] from=- timeZone=UTC
answer.site.timeZonesFrom[1] from=2026-03-01T00:00:00Z timeZone=Africa/Abidjan
answer.site.timeZonesFrom[2] from=2026-08-01T00:00:00Z timeZone=UTC`,
	},
	"sites": {
		says: []string{
			"Sites",
		},
		rows: "aims | busy | crawled | crowded | forgetful | grown | plain | ruled | shop#1",
		figures: `
answer.sites[0] createdAt=- deletedAt=- newVisitorsSince=- queryParameters=- realtime=true recent=true shards=16 siteId=aims timeZone=UTC
	 visitorIndex=true
answer.sites[0].retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.sites[0].shardsFrom[0] from=- shards=16
answer.sites[0].timeZonesFrom[0] from=- timeZone=UTC
answer.sites[1] createdAt=- deletedAt=- newVisitorsSince=- queryParameters=- realtime=true recent=true shards=16 siteId=busy timeZone=UTC
	 visitorIndex=true
answer.sites[1].retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.sites[1].shardsFrom[0] from=- shards=16
answer.sites[1].timeZonesFrom[0] from=- timeZone=UTC
answer.sites[2] createdAt=- deletedAt=- newVisitorsSince=- queryParameters=- realtime=true recent=true shards=16 siteId=crawled
	 timeZone=UTC visitorIndex=true
answer.sites[2].retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.sites[2].shardsFrom[0] from=- shards=16
answer.sites[2].timeZonesFrom[0] from=- timeZone=UTC
answer.sites[3] createdAt=- deletedAt=- newVisitorsSince=- queryParameters=- realtime=true recent=true shards=16 siteId=crowded
	 timeZone=UTC visitorIndex=true
answer.sites[3].retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.sites[3].shardsFrom[0] from=- shards=16
answer.sites[3].timeZonesFrom[0] from=- timeZone=UTC
answer.sites[4] created=true createdAt=- deletedAt=- newVisitorsSince=- queryParameters=- realtime=true recent=true revision=3 shards=16
	 siteId=forgetful timeZone=UTC visitorIndex=true
answer.sites[4].retention dayDays=- hourDays=- rawDays=7 sessionDays=- visitorDays=-
answer.sites[4].shardsFrom[0] from=- shards=16
answer.sites[4].timeZonesFrom[0] from=- timeZone=UTC
answer.sites[5] created=true createdAt=- deletedAt=- newVisitors=true newVisitorsSince=2026-05-12T09:00:00Z queryParameters=-
	 realtime=true recent=true revision=2 shards=16 siteId=grown timeZone=UTC visitorIndex=true
answer.sites[5].retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.sites[5].shardsFrom[0] from=- shards=16
answer.sites[5].timeZonesFrom[0] from=- timeZone=UTC
answer.sites[6] createdAt=- deletedAt=- newVisitorsSince=- queryParameters=- realtime=true recent=true shards=16 siteId=plain
	 timeZone=UTC visitorIndex=true
answer.sites[6].retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.sites[6].shardsFrom[0] from=- shards=16
answer.sites[6].timeZonesFrom[0] from=- timeZone=UTC
answer.sites[7] created=true createdAt=- deletedAt=- newVisitorsSince=- queryParameters=- realtime=true recent=true
	 referrers=["spam.example"] revision=4 shards=4 siteId=ruled timeZone=Africa/Abidjan userAgents=["shopbot","price\u001bwatch"]
	 visitorIndex=true
answer.sites[7].retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.sites[7].shardsFrom[0] from=- shards=4
answer.sites[7].shardsFrom[1] from=2026-07-01T00:00:00Z shards=8
answer.sites[7].timeZonesFrom[0] from=- timeZone=UTC
answer.sites[7].timeZonesFrom[1] from=2026-03-01T00:00:00Z timeZone=Africa/Abidjan
answer.sites[7].timeZonesFrom[2] from=2026-08-01T00:00:00Z timeZone=UTC
answer.sites[8] created=true createdAt=2026-05-12T08:00:00Z deletedAt=- domains=["www.example","example"] name="Name of shop#1"
	 newVisitorsSince=- owner=acme queryParameters=- realtime=true recent=true revision=1 shards=16 siteId=shop#1 timeZone=UTC
	 visitorIndex=true
answer.sites[8].retention dayDays=- hourDays=- rawDays=- sessionDays=- visitorDays=-
answer.sites[8].shardsFrom[0] from=- shards=16
answer.sites[8].timeZonesFrom[0] from=- timeZone=UTC`,
	},
	"stats": {
		says: []string{
			"Site shop#1 by hour, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)",
			`Figures marked "so far" are of a time that is not over.`,
			"Expired items left out: 2.",
		},
		rows: "2026-05-12 10:00 | 2026-05-12 11:00 | Total (so far)",
		figures: `
answer by=hour completeThrough=- expiredCount=2 from=2026-05-11T00:00:00Z inProgress=true siteId=shop#1 timeZone=UTC
	 to=2026-05-12T15:00:00Z
answer.buckets[0] avgDurationMs=60000 bounceRate=0.3 bounces=6 completeThrough=- durationMs=1200000 end=2026-05-12T11:00:00Z engaged=10
	 engagementRate=0.5 events=80 newVisitors=- pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20 start=2026-05-12T10:00:00Z
	 uniqueVisitors=30 valueMax=12 valueMin=-0.5 valueSum=50 values=20
answer.buckets[1] avgDurationMs=- bounceRate=- completeThrough=- end=2026-05-12T12:00:00Z engagementRate=- events=15 newVisitors=-
	 pagesPerSession=- returningVisitors=- start=2026-05-12T11:00:00Z uniqueVisitors=15 valueMax=- valueMin=-
answer.totals avgDurationMs=60000 bounceRate=0.3 bounces=6 durationMs=1200000 engaged=10 engagementRate=0.5 events=95 newVisitors=-
	 pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20 uniqueVisitors=35 valueMax=12 valueMin=-0.5 valueSum=50 values=20`,
	},
	"stats-bots": {
		says: []string{
			"Site crawled by hour, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z), compared with [2026-05-04T00:00:00Z, " +
				"2026-05-05T15:00:00Z)",
			"Totals of both ranges",
			"The site has data only from 2026-05-12 on, and may have only a part of that day: changes since that day or earlier " +
				"ones have no percentages.",
			`Figures marked "so far" are of a time that is not over. The previous range is whole.`,
			"Events, page views and values include bots; visitors, sessions and rates do not.",
		},
		rows: "2026-05-12 10:00 | 2026-05-12 11:00 | Total (so far) || Page views | Events | Visitors | Sessions | Bounce rate | " +
			"Engagement rate | Avg duration | Pages/session | Values | Value sum | Bot events | Bot page views",
		figures: `
answer by=hour completeThrough=- from=2026-05-11T00:00:00Z inProgress=true includesBots=true siteId=crawled timeZone=UTC
	 to=2026-05-12T15:00:00Z
answer.buckets[0] avgDurationMs=60000 botEvents=5 botPageViews=3 completeThrough=- durationMs=120000 end=2026-05-12T11:00:00Z engaged=1
	 engagementRate=0.5 events=13 newVisitors=- pageViews=9 pagesPerSession=3 returningVisitors=- sessions=2 start=2026-05-12T10:00:00Z
	 uniqueVisitors=7 valueMax=- valueMin=- valueSum=4.5 values=3
answer.buckets[0].change avgDurationMs=-/- botEvents=5/- botPageViews=3/- bounceRate=-/- bounces=0/- conversions=0/- durationMs=120000/-
	 engaged=1/- engagementRate=-/- events=13/- excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=9/- pagesPerSession=-/- returningVisitors=-/- sessions=2/- uniqueVisitors=7/- valueMax=-/- valueMin=-/-
	 valueSum=4.5/- values=3/-
answer.buckets[0].previous avgDurationMs=- bounceRate=- completeThrough=- end=2026-05-05T11:00:00Z engagementRate=- newVisitors=-
	 pagesPerSession=- returningVisitors=- start=2026-05-05T10:00:00Z valueMax=- valueMin=-
answer.buckets[1] avgDurationMs=- botEvents=5 botPageViews=3 bounceRate=- completeThrough=- end=2026-05-12T12:00:00Z engagementRate=-
	 events=5 newVisitors=- pageViews=3 pagesPerSession=- returningVisitors=- start=2026-05-12T11:00:00Z valueMax=- valueMin=- valueSum=-0.5
	 values=1
answer.buckets[1].change avgDurationMs=-/- botEvents=5/- botPageViews=3/- bounceRate=-/- bounces=0/- conversions=0/- durationMs=0/-
	 engaged=0/- engagementRate=-/- events=5/- excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=3/- pagesPerSession=-/- returningVisitors=-/- sessions=0/- uniqueVisitors=0/- valueMax=-/- valueMin=-/-
	 valueSum=-0.5/- values=1/-
answer.buckets[1].previous avgDurationMs=- bounceRate=- completeThrough=- end=2026-05-05T12:00:00Z engagementRate=- newVisitors=-
	 pagesPerSession=- returningVisitors=- start=2026-05-05T11:00:00Z valueMax=- valueMin=-
answer.previous byBucket=true dataFrom=2026-05-12T00:00:00Z from=2026-05-04T00:00:00Z to=2026-05-05T15:00:00Z
answer.previous.change avgDurationMs=-/- botEvents=10/- botPageViews=6/- bounceRate=-/- bounces=0/- conversions=0/- durationMs=120000/-
	 engaged=1/- engagementRate=-/- events=18/- excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=12/- pagesPerSession=-/- returningVisitors=-/- sessions=2/- uniqueVisitors=7/- valueMax=-/- valueMin=-/-
	 valueSum=4/- values=4/-
answer.previous.totals avgDurationMs=- bounceRate=- engagementRate=- newVisitors=- pagesPerSession=- returningVisitors=- valueMax=-
	 valueMin=-
answer.totals avgDurationMs=60000 botEvents=10 botPageViews=6 durationMs=120000 engaged=1 engagementRate=0.5 events=18 newVisitors=-
	 pageViews=12 pagesPerSession=3 returningVisitors=- sessions=2 uniqueVisitors=7 valueMax=- valueMin=- valueSum=4 values=4`,
	},
	"stats-bots-apart": {
		says: []string{
			"Site crawled by hour, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)",
			`Figures marked "so far" are of a time that is not over.`,
		},
		rows: "2026-05-12 10:00 | 2026-05-12 11:00 | Total (so far)",
		figures: `
answer by=hour completeThrough=- from=2026-05-11T00:00:00Z inProgress=true siteId=crawled timeZone=UTC to=2026-05-12T15:00:00Z
answer.buckets[0] avgDurationMs=60000 botEvents=5 botPageViews=3 completeThrough=- durationMs=120000 end=2026-05-12T11:00:00Z engaged=1
	 engagementRate=0.5 events=8 newVisitors=- pageViews=6 pagesPerSession=3 returningVisitors=- sessions=2 start=2026-05-12T10:00:00Z
	 uniqueVisitors=7 valueMax=- valueMin=- valueSum=5 values=2
answer.buckets[1] avgDurationMs=- botEvents=5 botPageViews=3 bounceRate=- completeThrough=- end=2026-05-12T12:00:00Z engagementRate=-
	 newVisitors=- pagesPerSession=- returningVisitors=- start=2026-05-12T11:00:00Z valueMax=- valueMin=-
answer.totals avgDurationMs=60000 botEvents=10 botPageViews=6 durationMs=120000 engaged=1 engagementRate=0.5 events=8 newVisitors=-
	 pageViews=6 pagesPerSession=3 returningVisitors=- sessions=2 uniqueVisitors=7 valueMax=- valueMin=- valueSum=5 values=2`,
	},
	"stats-compare": {
		says: []string{
			"Site shop#1 by day, [2026-05-12T00:00:00Z, 2026-05-13T00:00:00Z), compared with [2026-05-11T00:00:00Z, " +
				"2026-05-12T00:00:00Z)",
			"Totals of both ranges",
			"The site has data only from 2026-05-11 on, and may have only a part of that day: changes since that day or earlier " +
				"ones have no percentages.",
			`Figures marked "so far" are of a time that is not over. The previous range is whole.`,
			"Expired items left out: 2.",
		},
		rows: "2026-05-12 (so far) | Total (so far) || Page views | Events | Visitors | Sessions | Bounce rate | Engagement rate " +
			"| Avg duration | Pages/session | Values | Value sum | Least value | Greatest value",
		figures: `
answer by=day completeThrough=- expiredCount=2 from=2026-05-12T00:00:00Z inProgress=true siteId=shop#1 timeZone=UTC
	 to=2026-05-13T00:00:00Z
answer.buckets[0] avgDurationMs=60000 bounceRate=0.3 bounces=6 completeThrough=- durationMs=1200000 end=2026-05-13T00:00:00Z engaged=10
	 engagementRate=0.5 events=95 inProgress=true newVisitors=- pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20
	 start=2026-05-12T00:00:00Z uniqueVisitors=35 valueMax=12 valueMin=-0.5 valueSum=50 values=20
answer.buckets[0].change avgDurationMs=0/- botEvents=0/- botPageViews=0/- bounceRate=0.3/- bounces=6/- conversions=0/-
	 durationMs=1140000/- engaged=10/- engagementRate=0.5/- events=91/- excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/-
	 newVisitors=-/- overBudgetEvents=0/- pageViews=56/- pagesPerSession=-1/- returningVisitors=-/- sessions=19/- uniqueVisitors=-/-
	 valueMax=-/- valueMin=-/- valueSum=47.5/- values=19/-
answer.buckets[0].previous avgDurationMs=60000 completeThrough=- durationMs=60000 end=2026-05-12T00:00:00Z events=4 newVisitors=-
	 pageViews=4 pagesPerSession=4 returningVisitors=- sessions=1 start=2026-05-11T00:00:00Z uniqueVisitors=- valueMax=- valueMin=-
	 valueSum=2.5 values=1
answer.previous byBucket=true dataFrom=2026-05-11T00:00:00Z from=2026-05-11T00:00:00Z to=2026-05-12T00:00:00Z
answer.previous.change avgDurationMs=0/- botEvents=0/- botPageViews=0/- bounceRate=0.3/- bounces=6/- conversions=0/- durationMs=1140000/-
	 engaged=10/- engagementRate=0.5/- events=91/- excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=56/- pagesPerSession=-1/- returningVisitors=-/- sessions=19/- uniqueVisitors=-/- valueMax=-/-
	 valueMin=-/- valueSum=47.5/- values=19/-
answer.previous.totals avgDurationMs=60000 durationMs=60000 events=4 newVisitors=- pageViews=4 pagesPerSession=4 returningVisitors=-
	 sessions=1 uniqueVisitors=- valueMax=- valueMin=- valueSum=2.5 values=1
answer.totals avgDurationMs=60000 bounceRate=0.3 bounces=6 durationMs=1200000 engaged=10 engagementRate=0.5 events=95 newVisitors=-
	 pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20 uniqueVisitors=35 valueMax=12 valueMin=-0.5 valueSum=50 values=20`,
	},
	"stats-compare-grown": {
		says: []string{
			"Site grown by day, [2026-05-12T00:00:00Z, 2026-05-13T00:00:00Z), compared with [2026-05-11T00:00:00Z, " +
				"2026-05-11T15:00:00Z)",
			"Totals of both ranges",
			`Figures marked "so far" are of a time that is not over. The previous range is cut there, too, at a full hour or day.`,
			"New visitors marked with a * are those since 2026-05-12 09:00 UTC, when the site began to count them, and the " +
				"visitors are all.",
		},
		rows: "2026-05-12 (so far) | Total (so far) || Page views | Events | Visitors | New | Returning | Sessions | Bounce rate " +
			"| Engagement rate | Avg duration | Pages/session | Values | Value sum | Least value | Greatest value",
		figures: `
answer by=day completeThrough=- from=2026-05-12T00:00:00Z inProgress=true siteId=grown timeZone=UTC to=2026-05-13T00:00:00Z
answer.buckets[0] avgDurationMs=60000 bounceRate=0.333333 bounces=5 completeThrough=- durationMs=900000 end=2026-05-13T00:00:00Z
	 engaged=7 engagementRate=0.466667 events=28 inProgress=true newVisitors=2 newVisitorsSince=2026-05-12T09:00:00Z pageViews=18
	 pagesPerSession=1.2 returningVisitors=- sessions=15 start=2026-05-12T00:00:00Z uniqueVisitors=4 valueMax=3.5 valueMin=-0.5
	 valueSum=37.5 values=15
answer.buckets[0].change botEvents=0/- botPageViews=0/- bounces=4/4 conversions=0/- durationMs=720000/4 engaged=6/6
	 engagementRate=0.133334/0.400002 events=20/2.5 excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=12/2 pagesPerSession=-0.8/-0.4 returningVisitors=-/- sessions=12/4 valueSum=30/4 values=12/4
answer.buckets[0].previous avgDurationMs=60000 bounceRate=0.333333 bounces=1 clippedByRange=true completeThrough=- durationMs=180000
	 end=2026-05-12T00:00:00Z engaged=1 engagementRate=0.333333 events=8 newVisitors=- pageViews=6 pagesPerSession=2 returningVisitors=-
	 sessions=3 start=2026-05-11T00:00:00Z uniqueVisitors=4 valueMax=3.5 valueMin=-0.5 valueSum=7.5 values=3
answer.previous byBucket=true from=2026-05-11T00:00:00Z to=2026-05-11T15:00:00Z toDate=true
answer.previous.change botEvents=0/- botPageViews=0/- bounces=4/4 conversions=0/- durationMs=720000/4 engaged=6/6
	 engagementRate=0.133334/0.400002 events=20/2.5 excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=12/2 pagesPerSession=-0.8/-0.4 returningVisitors=-/- sessions=12/4 valueSum=30/4 values=12/4
answer.previous.totals avgDurationMs=60000 bounceRate=0.333333 bounces=1 durationMs=180000 engaged=1 engagementRate=0.333333 events=8
	 newVisitors=- pageViews=6 pagesPerSession=2 returningVisitors=- sessions=3 uniqueVisitors=4 valueMax=3.5 valueMin=-0.5 valueSum=7.5
	 values=3
answer.totals avgDurationMs=60000 bounceRate=0.333333 bounces=5 durationMs=900000 engaged=7 engagementRate=0.466667 events=28
	 newVisitors=2 newVisitorsSince=2026-05-12T09:00:00Z pageViews=18 pagesPerSession=1.2 returningVisitors=- sessions=15 uniqueVisitors=4
	 valueMax=3.5 valueMin=-0.5 valueSum=37.5 values=15`,
	},
	"stats-compare-uneven": {
		says: []string{
			"Site shop#1 by month, [2026-04-30T00:00:00Z, 2026-05-13T00:00:00Z), compared with [2026-04-16T00:00:00Z, " +
				"2026-04-28T15:00:00Z)",
			"Totals of both ranges",
			"The site has data only from 2026-05-11 on, and may have only a part of that day: changes since that day or earlier " +
				"ones have no percentages.",
			`Figures marked "so far" are of a time that is not over. The previous range is cut there, too, at a full hour or day.`,
			"Rows are not compared: the previous range has another number of rows.",
			"Expired items left out: 2.",
		},
		rows: "2026-05 (so far) | Total (so far) || Page views | Events | Visitors | Sessions | Bounce rate | Engagement rate | " +
			"Avg duration | Pages/session | Values | Value sum",
		figures: `
answer by=month completeThrough=- expiredCount=2 from=2026-04-30T00:00:00Z inProgress=true siteId=shop#1 timeZone=UTC
	 to=2026-05-13T00:00:00Z
answer.buckets[0] avgDurationMs=60000 bounceRate=0.285714 bounces=6 completeThrough=- durationMs=1260000 end=2026-06-01T00:00:00Z
	 engaged=10 engagementRate=0.47619 events=99 inProgress=true newVisitors=- pageViews=64 pagesPerSession=3.047619 returningVisitors=-
	 sessions=21 start=2026-05-01T00:00:00Z uniqueVisitors=- valueMax=- valueMin=- valueSum=52.5 values=21
answer.previous dataFrom=2026-05-11T00:00:00Z from=2026-04-16T00:00:00Z to=2026-04-28T15:00:00Z toDate=true
answer.previous.change avgDurationMs=-/- botEvents=0/- botPageViews=0/- bounceRate=-/- bounces=6/- conversions=0/- durationMs=1260000/-
	 engaged=10/- engagementRate=-/- events=99/- excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=64/- pagesPerSession=-/- returningVisitors=-/- sessions=21/- uniqueVisitors=-/- valueMax=-/-
	 valueMin=-/- valueSum=52.5/- values=21/-
answer.previous.totals avgDurationMs=- bounceRate=- engagementRate=- newVisitors=- pagesPerSession=- returningVisitors=- valueMax=-
	 valueMin=-
answer.totals avgDurationMs=60000 bounceRate=0.285714 bounces=6 durationMs=1260000 engaged=10 engagementRate=0.47619 events=99
	 newVisitors=- pageViews=64 pagesPerSession=3.047619 returningVisitors=- sessions=21 uniqueVisitors=- valueMax=- valueMin=-
	 valueSum=52.5 values=21`,
	},
	"stats-day": {
		says: []string{
			"Site shop#1 by day, [2026-05-11T00:00:00Z, 2026-05-13T00:00:00Z)",
			`Figures marked "so far" are of a time that is not over.`,
			"Expired items left out: 2.",
		},
		rows: "2026-05-11 | 2026-05-12 (so far) | Total (so far)",
		figures: `
answer by=day completeThrough=- expiredCount=2 from=2026-05-11T00:00:00Z inProgress=true siteId=shop#1 timeZone=UTC
	 to=2026-05-13T00:00:00Z
answer.buckets[0] avgDurationMs=60000 completeThrough=- durationMs=60000 end=2026-05-12T00:00:00Z events=4 newVisitors=- pageViews=4
	 pagesPerSession=4 returningVisitors=- sessions=1 start=2026-05-11T00:00:00Z uniqueVisitors=- valueMax=- valueMin=- valueSum=2.5
	 values=1
answer.buckets[1] avgDurationMs=60000 bounceRate=0.3 bounces=6 completeThrough=- durationMs=1200000 end=2026-05-13T00:00:00Z engaged=10
	 engagementRate=0.5 events=95 inProgress=true newVisitors=- pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20
	 start=2026-05-12T00:00:00Z uniqueVisitors=35 valueMax=12 valueMin=-0.5 valueSum=50 values=20
answer.totals avgDurationMs=60000 bounceRate=0.285714 bounces=6 durationMs=1260000 engaged=10 engagementRate=0.47619 events=99
	 newVisitors=- pageViews=64 pagesPerSession=3.047619 returningVisitors=- sessions=21 uniqueVisitors=- valueMax=- valueMin=-
	 valueSum=52.5 values=21`,
	},
	"stats-estimates": {
		says: []string{
			"Site crowded by hour, [2026-05-12T10:00:00Z, 2026-05-12T12:00:00Z)",
			"Some numbers of visitors (~) are estimates with a standard error of 0.81 %.",
		},
		rows: "2026-05-12 10:00 | 2026-05-12 11:00 | Total",
		figures: `
answer by=hour completeThrough=- from=2026-05-12T10:00:00Z siteId=crowded timeZone=UTC to=2026-05-12T12:00:00Z
answer.buckets[0] avgDurationMs=- bounceRate=- completeThrough=- end=2026-05-12T11:00:00Z engagementRate=- events=2000 newVisitors=-
	 pageViews=2000 pagesPerSession=- returningVisitors=- start=2026-05-12T10:00:00Z uniqueVisitors=1511 uniqueVisitorsError=0.008125
	 valueMax=- valueMin=-
answer.buckets[1] avgDurationMs=- bounceRate=- completeThrough=- end=2026-05-12T12:00:00Z engagementRate=- events=3 newVisitors=-
	 pageViews=3 pagesPerSession=- returningVisitors=- start=2026-05-12T11:00:00Z uniqueVisitors=3 valueMax=- valueMin=-
answer.totals avgDurationMs=- bounceRate=- engagementRate=- events=2003 newVisitors=- pageViews=2003 pagesPerSession=-
	 returningVisitors=- uniqueVisitors=1511 uniqueVisitorsError=0.008125 valueMax=- valueMin=-`,
	},
	"stats-estimates-then": {
		says: []string{
			"Site crowded by hour, [2026-05-12T11:00:00Z, 2026-05-12T12:00:00Z), compared with [2026-05-11T11:00:00Z, " +
				"2026-05-11T12:00:00Z)",
			"Totals of both ranges",
			"The site has data only from 2026-05-12 on, and may have only a part of that day: changes since that day or earlier " +
				"ones have no percentages.",
		},
		rows: "2026-05-12 11:00 | Total || Page views | Events | Visitors | Sessions | Bounce rate | Engagement rate | Avg " +
			"duration | Pages/session",
		figures: `
answer by=hour completeThrough=- from=2026-05-12T11:00:00Z siteId=crowded timeZone=UTC to=2026-05-12T12:00:00Z
answer.buckets[0] avgDurationMs=- bounceRate=- completeThrough=- end=2026-05-12T12:00:00Z engagementRate=- events=3 newVisitors=-
	 pageViews=3 pagesPerSession=- returningVisitors=- start=2026-05-12T11:00:00Z uniqueVisitors=3 valueMax=- valueMin=-
answer.buckets[0].change avgDurationMs=-/- botEvents=0/- botPageViews=0/- bounceRate=-/- bounces=0/- conversions=0/- durationMs=0/-
	 engaged=0/- engagementRate=-/- events=3/- excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=3/- pagesPerSession=-/- returningVisitors=-/- sessions=0/- uniqueVisitors=3/- valueMax=-/- valueMin=-/-
	 valueSum=0/- values=0/-
answer.buckets[0].previous avgDurationMs=- bounceRate=- completeThrough=- end=2026-05-11T12:00:00Z engagementRate=- newVisitors=-
	 pagesPerSession=- returningVisitors=- start=2026-05-11T11:00:00Z valueMax=- valueMin=-
answer.previous byBucket=true dataFrom=2026-05-12T00:00:00Z from=2026-05-11T11:00:00Z to=2026-05-11T12:00:00Z
answer.previous.change avgDurationMs=-/- botEvents=0/- botPageViews=0/- bounceRate=-/- bounces=0/- conversions=0/- durationMs=0/-
	 engaged=0/- engagementRate=-/- events=3/- excludedEvents=0/- excludedPageViews=0/- foreignEvents=0/- newVisitors=-/-
	 overBudgetEvents=0/- pageViews=3/- pagesPerSession=-/- returningVisitors=-/- sessions=0/- uniqueVisitors=3/- valueMax=-/- valueMin=-/-
	 valueSum=0/- values=0/-
answer.previous.totals avgDurationMs=- bounceRate=- engagementRate=- newVisitors=- pagesPerSession=- returningVisitors=- valueMax=-
	 valueMin=-
answer.totals avgDurationMs=- bounceRate=- engagementRate=- events=3 newVisitors=- pageViews=3 pagesPerSession=- returningVisitors=-
	 uniqueVisitors=3 valueMax=- valueMin=-`,
	},
	"stats-goals": {
		says: []string{
			"Site aims by hour, [2026-05-12T10:00:00Z, 2026-05-12T14:00:00Z)",
			"Expired items left out: 1.",
		},
		rows: "2026-05-12 10:00 | 2026-05-12 11:00 | 2026-05-12 13:00 | Total",
		figures: `
answer by=hour completeThrough=- expiredCount=1 from=2026-05-12T10:00:00Z siteId=aims timeZone=UTC to=2026-05-12T14:00:00Z
answer.buckets[0] avgDurationMs=60000 bounceRate=0.25 bounces=2 completeThrough=- conversions=4 durationMs=480000
	 end=2026-05-12T11:00:00Z engaged=4 engagementRate=0.5 events=12 newVisitors=- pageViews=10 pagesPerSession=1.25 returningVisitors=-
	 sessions=8 start=2026-05-12T10:00:00Z valueMax=- valueMin=- valueSum=20 values=8
answer.buckets[1] avgDurationMs=- bounceRate=- completeThrough=- conversions=2 end=2026-05-12T12:00:00Z engagementRate=- events=12
	 newVisitors=- pageViews=10 pagesPerSession=- returningVisitors=- start=2026-05-12T11:00:00Z valueMax=- valueMin=-
answer.buckets[2] avgDurationMs=60000 completeThrough=- durationMs=120000 end=2026-05-12T14:00:00Z engaged=1 engagementRate=0.5 events=12
	 newVisitors=- pageViews=10 pagesPerSession=5 returningVisitors=- sessions=2 start=2026-05-12T13:00:00Z valueMax=- valueMin=- valueSum=5
	 values=2
answer.totals avgDurationMs=60000 bounceRate=0.2 bounces=2 conversions=6 durationMs=600000 engaged=5 engagementRate=0.5 events=36
	 newVisitors=- pageViews=30 pagesPerSession=3 returningVisitors=- sessions=10 valueMax=- valueMin=- valueSum=25 values=10`,
	},
	"stats-hour-zone": {
		says: []string{
			"Site shop#1 by hour, [2026-05-10T20:00:00-04:00, 2026-05-12T11:00:00-04:00)",
			`Figures marked "so far" are of a time that is not over.`,
			"Expired items left out: 2.",
		},
		rows: "2026-05-12 06:00 -04:00 | 2026-05-12 07:00 -04:00 | Total (so far)",
		figures: `
answer by=hour completeThrough=- expiredCount=2 from=2026-05-10T20:00:00-04:00 inProgress=true siteId=shop#1 timeZone=America/New_York
	 to=2026-05-12T11:00:00-04:00
answer.buckets[0] avgDurationMs=60000 bounceRate=0.3 bounces=6 completeThrough=- durationMs=1200000 end=2026-05-12T07:00:00-04:00
	 engaged=10 engagementRate=0.5 events=80 newVisitors=- pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20
	 start=2026-05-12T06:00:00-04:00 uniqueVisitors=30 valueMax=12 valueMin=-0.5 valueSum=50 values=20
answer.buckets[1] avgDurationMs=- bounceRate=- completeThrough=- end=2026-05-12T08:00:00-04:00 engagementRate=- events=15 newVisitors=-
	 pagesPerSession=- returningVisitors=- start=2026-05-12T07:00:00-04:00 uniqueVisitors=15 valueMax=- valueMin=-
answer.totals avgDurationMs=60000 bounceRate=0.3 bounces=6 durationMs=1200000 engaged=10 engagementRate=0.5 events=95 newVisitors=-
	 pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20 uniqueVisitors=35 valueMax=12 valueMin=-0.5 valueSum=50 values=20`,
	},
	"stats-more": {
		says: []string{
			"Site shop#1 by hour, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)",
			`Figures marked "so far" are of a time that is not over.`,
			"Expired items left out: 2.",
			"There is more: continue with --cursor eyJxIjoiYzk4MDhhNWYxZTJlIiwiayI6IjE3Nzg1ODAwMDAwMDAiLCJmIjoxNzc4NDU3NjAw" +
				"MDAwLCJ0IjoxNzc4NTk2NTIwMDAwfQ",
		},
		rows: "2026-05-12 10:00 | Total (so far)",
		figures: `
answer by=hour completeThrough=-
	 cursor=eyJxIjoiYzk4MDhhNWYxZTJlIiwiayI6IjE3Nzg1ODAwMDAwMDAiLCJmIjoxNzc4NDU3NjAwMDAwLCJ0IjoxNzc4NTk2NTIwMDAwfQ expiredCount=2
	 from=2026-05-11T00:00:00Z inProgress=true siteId=shop#1 timeZone=UTC to=2026-05-12T15:00:00Z
answer.buckets[0] avgDurationMs=60000 bounceRate=0.3 bounces=6 completeThrough=- durationMs=1200000 end=2026-05-12T11:00:00Z engaged=10
	 engagementRate=0.5 events=80 newVisitors=- pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20 start=2026-05-12T10:00:00Z
	 uniqueVisitors=30 valueMax=12 valueMin=-0.5 valueSum=50 values=20
answer.totals avgDurationMs=60000 bounceRate=0.3 bounces=6 durationMs=1200000 engaged=10 engagementRate=0.5 events=95 newVisitors=-
	 pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20 uniqueVisitors=35 valueMax=12 valueMin=-0.5 valueSum=50 values=20`,
	},
	"stats-owner": {
		says: []string{
			"Sites of acme by day, [2026-05-11T00:00:00Z, 2026-05-13T00:00:00Z)",
			`Figures marked "so far" are of a time that is not over.`,
			"Sites: 1, with events in the range: 1.",
			"Expired items left out: 2.",
		},
		rows: "2026-05-11 | 2026-05-12 (so far) | Total (so far)",
		figures: `
answer by=day completeThrough=- expiredCount=2 from=2026-05-11T00:00:00Z inProgress=true timeZone=own to=2026-05-13T00:00:00Z
answer.buckets[0] avgDurationMs=60000 completeThrough=- durationMs=60000 end=2026-05-12T00:00:00Z events=4 newVisitors=- pageViews=4
	 pagesPerSession=4 returningVisitors=- sessions=1 start=2026-05-11T00:00:00Z uniqueVisitors=- valueMax=- valueMin=- valueSum=2.5
	 values=1
answer.buckets[1] avgDurationMs=60000 bounceRate=0.3 bounces=6 completeThrough=- durationMs=1200000 end=2026-05-13T00:00:00Z engaged=10
	 engagementRate=0.5 events=95 inProgress=true newVisitors=- pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20
	 start=2026-05-12T00:00:00Z uniqueVisitors=35 valueMax=12 valueMin=-0.5 valueSum=50 values=20
answer.included owner=acme sites=1 sitesWithEvents=1
answer.totals avgDurationMs=60000 bounceRate=0.285714 bounces=6 durationMs=1260000 engaged=10 engagementRate=0.47619 events=99
	 newVisitors=- pageViews=64 pagesPerSession=3.047619 returningVisitors=- sessions=21 uniqueVisitors=- valueMax=- valueMin=-
	 valueSum=52.5 values=21`,
	},
	"stats-zone": {
		says: []string{
			"Site shop#1 by week, [2026-05-11T00:00:00+02:00, 2026-05-13T00:00:00+02:00)",
			`Figures marked "data expired" are or may be too low: some of their hours or days have expired.`,
			`Figures marked "so far" are of a time that is not over.`,
			"Expired items left out: 2.",
		},
		rows: "2026-05-11 (W20) (so far) (data expired) | Total (so far) (data expired)",
		figures: `
answer by=week completeThrough=- dataExpired=true expiredCount=2 from="2026-05-11T00:00:00+02:00" inProgress=true siteId=shop#1
	 timeZone=Europe/Berlin to="2026-05-13T00:00:00+02:00"
answer.buckets[0] avgDurationMs=60000 bounceRate=0.3 bounces=6 completeThrough=- dataExpired=true durationMs=1200000
	 end="2026-05-18T00:00:00+02:00" engaged=10 engagementRate=0.5 events=95 inProgress=true newVisitors=- pageViews=60 pagesPerSession=3
	 returningVisitors=- sessions=20 start="2026-05-11T00:00:00+02:00" uniqueVisitors=- valueMax=- valueMin=- valueSum=50 values=20
answer.totals avgDurationMs=60000 bounceRate=0.3 bounces=6 durationMs=1200000 engaged=10 engagementRate=0.5 events=95 newVisitors=-
	 pageViews=60 pagesPerSession=3 returningVisitors=- sessions=20 uniqueVisitors=- valueMax=- valueMin=- valueSum=50 values=20`,
	},
	"top": {
		says: []string{
			"Top page of site shop#1 by pageViews, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)",
			"Events of a value that is not known, at the most: 1.",
			"Each row may lack at most: sessions 1, entries 1, exits 1. These are in (others), because their values had no row " +
				"when they were counted. An exit rate is too low where exits are.",
			"Events in no breakdown, and so in none of these rows: 90. They were beyond the site's budget, or came while " +
				"breakdowns were off or after hours had expired, or are being written.",
		},
		rows: `/\x1b[31mred | (none) | (others)`,
		figures: `
answer bots=- completeThrough=- conversionsSince=- dimension=page eventsNotBrokenDown=90 from=2026-05-11T00:00:00Z hours=1 maxIfAbsent=1
	 siteId=shop#1 sites=1 sort=pageViews timeZone=UTC to=2026-05-12T15:00:00Z values=1
answer.maxUndercountOfSessions bounces=1 entries=1 exits=1 sessions=1
answer.none avgDurationMs=- bounceRate=- conversionRate=- events=1
answer.other avgScrollDepth=- avgTimeOnPageMs=- bounceRate=1 bounces=1 conversionRate=- entries=1 events=1 exitRate=1 exits=1 pageViews=1
	 sessions=1 share=0.25 uniqueVisitors=1
answer.rows[0] avgScrollDepth=0.666667 avgTimeOnPageMs=30501 bounceRate=1 bounces=3 conversionRate=- entries=3 events=3 exitRate=0.333333
	 exits=1 maxUndercount=1 pageViews=3 scrollDepthSum=200 scrolledPageViews=3 sessions=3 share=0.75 timeOnPageMs=61001 timedPageViews=2
	 uniqueVisitors=3 value="/\u001b[31mred"`,
	},
	"top-bots": {
		says: []string{
			"Top page of site crawled by pageViews, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)",
			"Bots are in a row of their own: breakdowns have no bots, so their events are in no other row.",
			"Events in no breakdown, and so in none of these rows: 8. They were beyond the site's budget, or came while " +
				"breakdowns were off or after hours had expired, or are being written.",
		},
		rows: "(bots)",
		figures: `
answer completeThrough=- conversionsSince=- dimension=page eventsNotBrokenDown=8 from=2026-05-11T00:00:00Z siteId=crawled sort=pageViews
	 timeZone=UTC to=2026-05-12T15:00:00Z
answer.bots events=10 pageViews=6
answer.none avgDurationMs=- bounceRate=- conversionRate=- share=-
answer.other avgDurationMs=- avgScrollDepth=- avgTimeOnPageMs=- bounceRate=- conversionRate=- exitRate=- share=-`,
	},
	"top-estimates": {
		says: []string{
			"Top page of site busy by pageViews, [2026-05-12T00:00:00Z, 2026-05-12T15:00:00Z)",
			"Some numbers of visitors (~) are estimates with a standard error of 1.63 %.",
		},
		rows: "/many | /few",
		figures: `
answer bots=- completeThrough=- conversionsSince=- dimension=page from=2026-05-12T00:00:00Z hours=1 siteId=busy sites=1 sort=pageViews
	 timeZone=UTC to=2026-05-12T15:00:00Z values=2
answer.none avgDurationMs=- bounceRate=- conversionRate=-
answer.other avgDurationMs=- avgScrollDepth=- avgTimeOnPageMs=- bounceRate=- conversionRate=- exitRate=-
answer.rows[0] avgScrollDepth=- avgTimeOnPageMs=- bounceRate=1 bounces=100 conversionRate=- entries=100 events=100 exitRate=1 exits=100
	 pageViews=100 sessions=100 share=0.970874 uniqueVisitors=100 uniqueVisitorsError=0.01625 value=/many
answer.rows[1] avgScrollDepth=- avgTimeOnPageMs=- bounceRate=1 bounces=3 conversionRate=- entries=3 events=3 exitRate=1 exits=3
	 pageViews=3 sessions=3 share=0.029126 uniqueVisitors=3 value=/few`,
	},
	"top-event": {
		says: []string{
			"Top event of all sites (2) by uniqueVisitors, [2026-05-11T02:00:00+02:00, 2026-05-12T17:00:00+02:00)",
			"Events in no breakdown, and so in none of these rows: 2050. They were beyond the site's budget, or came while " +
				"breakdowns were off or after hours had expired, or are being written.",
		},
		rows: "order | (none)",
		figures: `
answer bots=- completeThrough=- conversionsSince=- dimension=event eventsNotBrokenDown=2050 from="2026-05-11T02:00:00+02:00" hours=2
	 sites=2 sort=uniqueVisitors timeZone=Europe/Berlin to="2026-05-12T17:00:00+02:00" values=1
answer.included sites=9 sitesWithEvents=2
answer.none bounceRate=1 bounces=107 conversionRate=- events=107 pageViews=107 sessions=107 share=-
answer.other avgDurationMs=- avgScrollDepth=- avgTimeOnPageMs=- bounceRate=- conversionRate=- exitRate=-
answer.rows[0] avgDurationMs=- avgScrollDepth=- avgTimeOnPageMs=- bounceRate=- conversionRate=- events=1 exitRate=- share=0.009434
	 uniqueVisitors=1 value=order valueMax=2.5 valueMin=2.5 valueSum=2.5 values=1`,
	},
	"top-owner": {
		says: []string{
			"Top page of sites of acme (1) by pageViews, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)",
			"Events of a value that is not known, at the most: 1.",
			"Each row may lack at most: sessions 1, entries 1, exits 1. These are in (others), because their values had no row " +
				"when they were counted. An exit rate is too low where exits are.",
			"Events in no breakdown, and so in none of these rows: 90. They were beyond the site's budget, or came while " +
				"breakdowns were off or after hours had expired, or are being written.",
		},
		rows: `/\x1b[31mred | (none) | (others)`,
		figures: `
answer bots=- completeThrough=- conversionsSince=- dimension=page eventsNotBrokenDown=90 from=2026-05-11T00:00:00Z hours=1 maxIfAbsent=1
	 sites=1 sort=pageViews timeZone=UTC to=2026-05-12T15:00:00Z values=1
answer.included owner=acme sites=1 sitesWithEvents=1
answer.maxUndercountOfSessions bounces=1 entries=1 exits=1 sessions=1
answer.none avgDurationMs=- bounceRate=- conversionRate=- events=1
answer.other avgScrollDepth=- avgTimeOnPageMs=- bounceRate=1 bounces=1 conversionRate=- entries=1 events=1 exitRate=1 exits=1 pageViews=1
	 sessions=1 share=0.25 uniqueVisitors=1
answer.rows[0] avgScrollDepth=0.666667 avgTimeOnPageMs=30501 bounceRate=1 bounces=3 conversionRate=- entries=3 events=3 exitRate=0.333333
	 exits=1 maxUndercount=1 pageViews=3 scrollDepthSum=200 scrolledPageViews=3 sessions=3 share=0.75 timeOnPageMs=61001 timedPageViews=2
	 uniqueVisitors=3 value="/\u001b[31mred"`,
	},
	"uniques": {
		says: []string{
			"Site shop#1, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)",
			"Expired items left out: 2.",
		},
		rows: "35",
		figures: `
answer completeThrough=- events=95 exact=true expiredCount=2 from=2026-05-11T00:00:00Z hours=2 siteId=shop#1 timeZone=UTC
	 to=2026-05-12T15:00:00Z uniqueVisitors=35`,
	},
	"uniques-bots": {
		says: []string{
			"Site crawled, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)",
			"Events include bots; visitors do not, because visitors of bots are not kept.",
		},
		rows: "7",
		figures: `
answer botEvents=10 completeThrough=- events=18 exact=true from=2026-05-11T00:00:00Z hours=2 includesBots=true siteId=crawled
	 timeZone=UTC to=2026-05-12T15:00:00Z uniqueVisitors=7`,
	},
	"unknown-site": {
		says: []string{
			`Site no\x1bwhere by hour, [2026-05-11T00:00:00Z, 2026-05-12T15:00:00Z)`,
			"No events in this range.",
			`Site "no\x1bwhere" is not known: none of its events was counted, and it was not created.`,
		},
		figures: `
answer by=hour completeThrough=- from=2026-05-11T00:00:00Z inProgress=true siteId="no\u001bwhere" timeZone=UTC to=2026-05-12T15:00:00Z
answer.totals avgDurationMs=- bounceRate=- engagementRate=- newVisitors=- pagesPerSession=- returningVisitors=- valueMax=- valueMin=-`,
	},
}
