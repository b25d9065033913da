// Package query answers questions about sites from the table. It is the read side of footfall.
//
// A [Reader] has a method for each question. It merges what the writers keep apart: the shards of raw events and of the list of
// sites, and the parts of a session, an hour or a minute that each partition of the topic has written. Counters are added up.
// Rates are derived from them here and never stored. Visitors are merged as sketches and never added.
//
// All answers have this in common:
//
//   - A range is half-open, [from, to), and the answer names the range that it used. Instants are in UTC; those of stats, uniques
//     and top are in the zone of the question.
//   - Expired items are left out, because the store deletes them late. ExpiredOmitted counts those that were read for this answer.
//     It can be added up over the pages of a question. Stats are the exception: their pages read a little ahead, and the first page
//     reads the whole range for its totals.
//   - A site that has no events and was never created gives an empty answer with SiteKnown false, not an error.
//   - Lists come in pages. A page may hold fewer rows than its limit. There are more pages while the cursor is not empty.
//   - Memory is bounded by the page, not by the range. A funnel report is the exception: it keeps a few numbers for each visitor.
//   - Parameters that have no answer are a [ParamError]. Other errors come from the table.
//
// Each question has a file, with its parameters and its answer. Types that questions share are declared in five packages, and are
// part of this one by the same names: see there for their fields.
//
//	figures                the figures of answers, and how they change
//	filters                the words of filters
//	paths                  the paths of sessions
//	retention              visitors who come back
//	ranges                 the words of a range and a page, and the error of a wrong parameter
//
// Below them are
//
//	internal/breakdowns    values of dimensions, merged over hours, partitions and sites
//	internal/cohorts       visitors who come back, by the week in which they were new
//	internal/compared      a range and the earlier one that it is compared with, row by row
//	internal/derived       figures of sums
//	internal/funnelcount   how far visitors get in a funnel, from raw events
//	internal/passing       what passes filters, from raw events
//	internal/pathcount     the pages that sessions view around a page or a goal, from raw events
//	internal/rawevents     raw events as one sequence, what it costs to read them, why some are missing
//	internal/recounts      the last recount of figures, and whether it covers a range
//	internal/sessionlists  lists that name sessions and conversions
//	internal/sitelist      the list of sites, and those of an owner
//	internal/sitetable     what the table holds of a site, merged over shards, partitions and seals; pages and cursors
//	internal/calendar      spans, the buckets of a zone, the range that a range is compared with, words for instants and periods
//
// Answers are plain data. encoding/json spells them as `footfall query --output json` prints them.
package query
