// Package sites holds what people decide about sites, and how these decisions apply to events.
//
// Rules ([Rules], [Log]): the settings of a site, such as the shards of its raw events, retention, time zone, own lists of bots,
// goals. All decisions of a table form one log of revisions, 1, 2, 3 and so on, which is only ever appended to. A [Revision] holds
// one site and all of its rules from then on. A flush names the revision it was folded under, so that a redo and a recount
// decide the same, whatever was decided since. The zero values are the defaults: 16 shards, the retention of the settings, UTC.
//
// Decisions ([Create], [Update], [Delete], [Decision]): what the commands append to the log, with the checks that a change needs.
//
// Patterns ([Pattern], [Matcher]): which events a goal or a step of a funnel means. A pattern is on page views, by their page, or
// on events, by type, name or both:
//
//	{"on":"page","how":"exact","text":"/pricing"}        a page view of this page
//	{"on":"page","how":"prefix","text":"/shop/"}         of a page with this prefix
//	{"on":"page","how":"contains","text":"checkout"}     of a page that contains the text
//	{"on":"page","how":"regexp","text":"^/item/[0-9]+$"} of a page that the expression matches in any part
//	{"on":"event","type":"click"}                        an event of this type, page_view included
//	{"on":"event","name":"signup"}                       an event of this name, whatever its type
//	{"on":"event","type":"click","name":"signup"}        an event of both
//
// Comparisons are of bytes, so case matters; types and names are compared whole. The page is the path of the event's url,
// without query and fragment; an event without url has no page. A regexp is one of package regexp, whose time is linear in the
// page; [MaxInstructions] bounds its program. A pattern is stored forever and folded again under the meaning it had: a stored
// spelling never changes its meaning, and a new meaning gets a new spelling.
//
// Zones ([Zone], [LoadZone], [DayOf], [HourOf]): time zones, and the hours and days of their clocks. An event's day must not
// depend on the machine that counts, so zones come from a copy of the IANA database in the program, never from the system's;
// [ZoneVersion] names it.
//
// Funnels ([Funnel], [FunnelStore], [FunnelCount]): sequences of steps, kept as items that change with optimistic concurrency. The
// pipeline ignores them: a report is computed from raw events under the definition as it is at that moment. So funnels are not
// part of the log. [FunnelCount] is the computation alone.
package sites
