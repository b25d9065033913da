package mapping

import (
	"maps"
	"slices"
	"strings"
)

// presets are mappings of other products' records. What they lack (a site, for most) is the owner's to add.
var presets = map[string]Config{
	// https://segment.com/docs/connections/spec/common/
	"segment": calls,
	// https://www.rudderstack.com/docs/event-spec/standard-events/common-fields/
	"rudderstack":   calls,
	"snowplow-tsv":  {Input: inputSnowplow, Map: snowplow, TimeLayout: iso8601},
	"snowplow-json": {Map: snowplow},
	// https://posthog.com/docs/data/events
	"posthog": {TimeLayout: iso8601, Map: []string{"siteId=properties.$host", "type=event==$pageview=>page_view|event==$screen=>page_view|event",
		"timestamp=timestamp", "id=uuid?", "visitorId=distinct_id", "sessionId=properties.$session_id?", "url=properties.$current_url?",
		"referrer=properties.$referrer==$direct=>|properties.$referrer?", "title=properties.title|properties.$title?",
		"userAgent=properties.$raw_user_agent|properties.$user_agent?", "value=properties.revenue|properties.value?",
		"country=properties.$geoip_country_code?", "region=properties.$geoip_subdivision_1_code?", "city=properties.$geoip_city_name?",
		"device=properties.$device_type?", "browser=properties.$browser?", "os=properties.$os?"}},
	// https://support.google.com/analytics/answer/7029846
	"ga4": {TimeUnit: "us", Map: []string{"siteId=device.web_info.hostname|stream_id", "type=event_name", "timestamp=event_timestamp",
		"visitorId=user_pseudo_id?", "userId=user_id?", "sessionId={user_pseudo_id?}.{event_params[key=ga_session_id].value.int_value?}",
		"url=event_params[key=page_location].value.string_value?", "referrer=event_params[key=page_referrer].value.string_value?",
		"title=event_params[key=page_title].value.string_value?", "value=ecommerce.purchase_revenue|ecommerce.purchase_revenue_in_usd|event_value_in_usd?",
		"country=geo.country?", "region=geo.region?", "city=geo.city?", "device=device.category?", "browser=device.web_info.browser?",
		"os=device.operating_system?"}},
	// Rows of the table events_v2: https://github.com/plausible/analytics
	"plausible": {TimeLayout: iso8601, Map: []string{"siteId=hostname", "type=name==pageview=>page_view|name",
		"timestamp=timestamp", "visitorId=user_id?", "sessionId=session_id?",
		"url=https://{hostname}{+pathname?}{?utm_source,utm_medium,utm_campaign,utm_content,utm_term}", "referrer=https://{+referrer?}",
		"value=revenue_source_amount?", "browser=browser?", "os=operating_system?", "device=screen_size?", "country=country_code==\x00\x00=>|country_code==ZZ=>|country_code?",
		"region=subdivision1_code?"}},
	// The messages of its Kafka mode, and rows of website_event: https://github.com/umami-software/umami
	"umami": {TimeLayout: iso8601, Map: []string{"siteId=hostname|website_id", "type=event_name|event_type==3=>link|event_type==4=>pixel|event_type==5=>performance", "timestamp=created_at",
		"id=event_id?", "visitorId=session_id?", "sessionId=visit_id?", "userId=distinct_id?", "title=page_title?",
		"url=https://{hostname?}{+url_path?}?{+url_query?}", "referrer=https://{+referrer_domain?}{+referrer_path?}", "browser=browser?", "os=os?",
		"device=device?", "country=country?", "region=region?", "city=city?"}, Default: []string{"type=page_view"}},
	// https://developer.matomo.org/api-reference/tracking-api
	"matomo": {Input: inputQuery, TimeUnit: "s", TimeLayout: iso8601, Map: []string{"siteId=idsite",
		"type=ping=>ping|download=>download|link=>outbound|search=>search|e_a|c_n=>content|idgoal=>goal", "timestamp=cdt|kafka:timestamp",
		"visitorId=cid|_id|uid?", "userId=uid?", "url=url?", "referrer=urlref?", "title=action_name?", "userAgent=ua?",
		"name=e_n|search?", "value=revenue|e_v?", "country=country?", "region=region?", "city=city?"}, Default: []string{"type=page_view"}},
}

// calls are those of Segment's protocol.
var calls = Config{Map: []string{"type=type==page=>page_view|type==screen=>page_view|event|type",
	"timestamp=timestamp|originalTimestamp|sentAt", "id=messageId?", "visitorId=anonymousId|userId?", "userId=userId?",
	"sessionId=context.sessionId?", "url=context.page.url|properties.url?",
	"referrer=context.page.referrer==$direct=>|context.page.referrer|properties.referrer?",
	"title=context.page.title|properties.title?", "userAgent=context.userAgent?", "name=name?",
	"value=properties.revenue|properties.value?", "country=context.location.country?", "os=context.os.name?", "properties=properties?"}}

// snowplow maps an enriched event: https://docs.snowplow.io/docs/fundamentals/canonical-event/
var snowplow = []string{"siteId=app_id", "type=event==struct=>struct|event_name|event", "timestamp=derived_tstamp|collector_tstamp",
	"id=event_id?", "visitorId=domain_userid|network_userid|user_fingerprint?", "userId=user_id?", "sessionId=domain_sessionid?",
	"url=page_url?", "referrer=page_referrer?", "title=page_title?", "userAgent=useragent?", "name=se_action?", "value=se_value|tr_total?",
	"country=geo_country?", "region=geo_region?", "city=geo_city?", "browser=br_name|br_family?", "os=os_name?", "device=dvce_type?"}

// Presets are the names of the mappings that are there.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// Over returns the mapping with what it does not say itself as a preset has it: field by field, and setting by setting.
func (c Config) Over(preset string) Config {
	p := presets[preset]
	add := func(list, more []string, unless ...string) []string {
		list = slices.Clone(list)
		for _, a := range more {
			name, _, _ := strings.Cut(a, "=")
			if !has(name, c.Map, c.Set, unless) && !(name == "properties" && c.Rest) {
				list = append(list, a)
			}
		}
		return list
	}
	c.Map, c.Default, c.Input = add(c.Map, p.Map), add(c.Default, p.Default, c.Default...), p.Input
	if !c.Configured { // Lines of files have no record around them.
		for i := range c.Map {
			c.Map[i] = strings.TrimSuffix(c.Map[i], "|"+kafkaPrefix+"timestamp")
		}
	}
	if c.TimeUnit+c.TimeLayout == "" {
		c.TimeUnit, c.TimeLayout = p.TimeUnit, p.TimeLayout
	}
	return c
}

// has reports whether one of the lists assigns to a field.
func has(field string, lists ...[]string) bool {
	return slices.ContainsFunc(slices.Concat(lists...), func(a string) bool { return strings.HasPrefix(a, field+"=") })
}
