package locale

// germanSentences are whole sentences in German, by those in English.
var germanSentences = map[string]string{
	"%s {value has|values have} as many. (others) are those after this page or with fewer, and what any value did while it had no " +
		"row.": "" +
		"%s {Wert erreicht|Werte erreichen} diese Anzahl. (andere) sind die nach dieser Seite oder mit weniger, und was ein Wert ohne eigene " +
		"Zeile hatte.",
	"Commas separate several values.": "Mehrere Werte durch Kommas trennen.",
	"Funnels and paths cannot be filtered by page, event, type or property.": "" +
		"Trichter und Pfade lassen sich nicht nach Seite, Ereignis, Typ oder Eigenschaft filtern.",
	"No event passes the filters in this range.":   "In diesem Zeitraum entspricht kein Ereignis den Filtern.",
	"No session passes the filters in this range.": "In diesem Zeitraum entspricht keine Sitzung den Filtern.",
	"Now cannot be filtered: this is all traffic.": "" +
		"„Jetzt“ lässt sich nicht filtern: Dies ist der gesamte Verkehr.",
	"%s {event is|events are} beyond the site's budget: {it is|they are} in no session and no list.": "" +
		"%s {Ereignis überschreitet|Ereignisse überschreiten} das Kontingent der Website: {Es ist|Sie sind} in keiner Sitzung und " +
		"keiner Liste enthalten.",
	"%s {event is|events are} in no list.": "%s {Ereignis ist|Ereignisse sind} in keiner Liste enthalten.",
	"%s {event is|events are} in no list: {it was|they were} beyond the site's budget, or came while breakdowns were off, or " +
		"{is|are} being " +
		"written.": "%s {Ereignis ist|Ereignisse sind} in keiner Liste enthalten: {Es überschritt|Sie überschritten} das Kontingent " +
		"der Website, {kam|kamen}, während " +
		"Aufschlüsselungen abgeschaltet waren, oder {wird|werden} gerade geschrieben.",
	"%s {event is|events are} of pages that the site excludes, and in no other figure.": "" +
		"%s {Ereignis stammt|Ereignisse stammen} von Seiten, die die Website ausschließt, und {ist|sind} in keiner anderen Zahl " +
		"enthalten.",
	"%s {event of bots is|events of bots are} in no figure.": "%s {Ereignis von Bots ist|Ereignisse von Bots sind} in keiner Zahl " +
		"enthalten.",
	"%s raw {event is|events are} missing.": "%s {Rohereignis fehlt|Rohereignisse fehlen}.",
	"%s {value has|values have} a row in this range. (others) are those after this page, and what any value did while it had no " +
		"row.": "" +
		"%s {Wert hat|Werte haben} in diesem Zeitraum eine Zeile. (andere) sind die nach dieser Seite, und was ein Wert ohne eigene " +
		"Zeile hatte.",
	"A funnel is computed from raw events when it is opened.": "Ein Trichter wird beim Öffnen aus Rohereignissen berechnet.",
	"A value that no list names has at most %s {event|events}.": "Ein Wert, den keine Liste nennt, hat höchstens %s " +
		"{Ereignis|Ereignisse}.",
	"A value without a row has at most %s {event|events}.": "Ein Wert ohne Zeile hat höchstens %s {Ereignis|Ereignisse}.",
	"Computed from %s raw {event|events} for %s read {unit|units}; %s {was|were} estimated before.": "" +
		"Berechnet aus %s {Rohereignis|Rohereignissen} für %s {Leseeinheit|Leseeinheiten}; die Schätzung war %s.",
	"Computed from %s raw {event|events} of both ranges for %s read {unit|units}; %s {was|were} estimated before.": "" +
		"Berechnet aus %s {Rohereignis|Rohereignissen} beider Zeiträume für %s {Leseeinheit|Leseeinheiten}; die Schätzung war %s.",
	"Computed from raw events.":              "Berechnet aus Rohereignissen.",
	"Days are those of %s, the site's zone.": "Tage in der Zeitzone der Website: %s.",
	"Days are those of %s.":                  "Tage in der Zeitzone %s.",
	"Days are those of each site's own zone. Change is that of page views since the range before.": "" +
		"Tage in der Zeitzone der jeweiligen Website. Die Änderung ist die der Seitenaufrufe gegenüber dem Zeitraum " +
		"davor.",
	"Each minute counts its %s busiest pages one by one, and this list has the %s busiest of all. Views of other pages " +
		"are in (others).": "" +
		"Jede Minute zählt ihre %s meistbesuchten Seiten einzeln, und diese Liste enthält die %s meistbesuchten " +
		"insgesamt. Aufrufe anderer Seiten stehen unter (andere).",
	"Figures are those of the last flush of each partition: events of the last seconds or minutes may be missing.": "" +
		"Die Zahlen sind die des letzten Schreibvorgangs jeder Partition: Ereignisse der letzten Sekunden oder Minuten " +
		"können fehlen.",
	"It could not compare all of its range, so it says nothing of these figures.": "" +
		"Sie konnte nicht ihren ganzen Zeitraum vergleichen und sagt daher nichts über diese Zahlen.",
	"It is of another range than these figures.": "Sie betrifft einen anderen Zeitraum als diese Zahlen.",
	"Last recount at %s, range: %s: %s.":         "Letzte Nachzählung am %s, Zeitraum: %s: %s.",
	"New visitors are those since %s, when the site began to count them.": "" +
		"Neue Besucher sind die seit dem %s, als die Website begann, sie zu zählen.",
	"No event in this range passes the filters.": "Kein Ereignis in diesem Zeitraum entspricht den Filtern.",
	"No events in this range.":                   "Keine Ereignisse in diesem Zeitraum.",
	"No page was viewed in the last 5 minutes.":  "In den letzten 5 Minuten wurde keine Seite aufgerufen.",
	"No recount is recorded yet.":                "Noch keine Nachzählung aufgezeichnet.",
	"None in this range.":                        "Keine in diesem Zeitraum.",
	"Not known.":                                 "Nicht bekannt.",
	"Not known: raw events do not say it for this range, or have too many values.": "" +
		"Nicht bekannt: Rohereignisse sagen es für diesen Zeitraum nicht oder haben zu viele Werte.",
	"Not known: the site did not count new visitors in all of this range.": "" +
		"Nicht bekannt: Die Website zählte neue Besucher nicht im ganzen Zeitraum.",
	"Not read: it needs raw events.": "Nicht gelesen: Dafür sind Rohereignisse nötig.",
	"Nothing is compared: reading both ranges would cost about %s read {unit|units}, more than this page reads.": "" +
		"Kein Vergleich: Beide Zeiträume zu lesen würde etwa %s {Leseeinheit|Leseeinheiten} kosten, mehr als diese Seite liest.",
	"Nothing is compared: the earlier range cannot be read for this page.": "" +
		"Kein Vergleich: Der frühere Zeitraum kann für diese Seite nicht gelesen werden.",
	"Nothing is compared: the earlier range lacks raw events.": "Kein Vergleich: Dem früheren Zeitraum fehlen Rohereignisse.",
	"Nothing is compared: the raw events of the earlier range have expired.": "" +
		"Kein Vergleich: Die Rohereignisse des früheren Zeitraums sind abgelaufen.",
	"Nothing is compared: the site has no data before %s.": "Kein Vergleich: Die Website hat keine Daten vor dem %s.",
	"Numbers of visitors with a ~ are estimates. ± is their relative standard error.": "" +
		"Besucherzahlen mit ~ sind Schätzungen. ± ist ihr relativer Standardfehler.",
	"Numbers with a ~ are estimates with a relative standard error of %s.": "" +
		"Zahlen mit ~ sind Schätzungen mit einem relativen Standardfehler von %s.",
	"Partition %s, %s, %s. It is counted up to records of %s.": "Partition %s, %s, %s. Sie ist bis zu Datensätzen vom %s gezählt.",
	"Paths are computed from raw events when they are opened.": "Pfade werden beim Öffnen aus Rohereignissen berechnet.",
	"Raw events are not there for this range, or do not say it.": "" +
		"Rohereignisse gibt es für diesen Zeitraum nicht, oder sie sagen es nicht.",
	"Raw events, which these figures need, are kept for %s {day|days}: some or all of this range is older.": "" +
		"Rohereignisse, die diese Zahlen brauchen, werden %s {Tag|Tage} aufbewahrt: Dieser Zeitraum ist ganz oder teilweise " +
		"älter.",
	"Read at %s, for %s read {unit|units}.": "Gelesen um %s, für %s {Leseeinheit|Leseeinheiten}.",
	"Read at %s.":                           "Gelesen um %s.",
	"Read for %s read {unit|units}.":        "Gelesen für %s {Leseeinheit|Leseeinheiten}.",
	"Reading the %s raw {event|events} of this range would cost about %s read {unit|units}. This page reads at most what %s packed " +
		"{one costs|ones cost}.": "" +
		"{Das|Die} %s {Rohereignis|Rohereignisse} dieses Zeitraums zu lesen würde etwa %s {Leseeinheit|Leseeinheiten} kosten. Diese " +
		"Seite liest höchstens " +
		"so viel, wie %s {gepacktes kostet|gepackte kosten}.",
	"Realtime figures and new visitors cannot be filtered: remove the filters to see them.": "" +
		"Echtzeitzahlen und neue Besucher lassen sich nicht filtern: Entfernen Sie die Filter, um sie zu sehen.",
	"Realtime is switched off for this site.": "Echtzeit ist für diese Website abgeschaltet.",
	"Records that came after it may have changed these figures.": "" +
		"Später eingetroffene Datensätze können diese Zahlen geändert haben.",
	"Recounted at %s, range: %s: %s.": "Nachgezählt am %s, Zeitraum: %s: %s.",
	"Returning visitors are not known: new ones were not counted in all of this range, or its visitors have expired.": "" +
		"Wiederkehrende Besucher sind nicht bekannt: Neue wurden nicht im ganzen Zeitraum gezählt, oder seine Besucher " +
		"sind abgelaufen.",
	"Scope: events that pass. Figures of sessions are not known.": "" +
		"Umfang: Ereignisse, die den Filtern entsprechen. Zahlen von Sitzungen sind nicht bekannt.",
	"Scope: sessions whose entry or exit page and first event pass, with their events that pass.": "" +
		"Umfang: Sitzungen, deren Ein- oder Ausstiegsseite und erstes Ereignis den Filtern entsprechen, mit ihren " +
		"entsprechenden Ereignissen.",
	"Scope: sessions that pass, with their events that pass. A session reaches a goal within the range.": "" +
		"Umfang: Sitzungen, die den Filtern entsprechen, mit ihren entsprechenden Ereignissen. Ein Ziel wird im Zeitraum erreicht.",
	"Conversions are of the goal that the filter asks for.": "" +
		"Conversions sind die des gefilterten Ziels.",
	"Their rate is of the sessions that pass the other filters.": "" +
		"Ihre Rate ist die der Sitzungen, die den anderen Filtern entsprechen.",
	"The filter by a goal cannot be applied: %s.": "" +
		"Der Filter nach einem Ziel kann nicht angewendet werden: %s.",
	"The filter by a goal cannot be applied: the site has no active goal of this id.": "" +
		"Der Filter nach einem Ziel kann nicht angewendet werden: Die Website hat kein aktives Ziel mit dieser ID.",
	"Scope: sessions whose first event passes, with their events that pass.": "" +
		"Umfang: Sitzungen, deren erstes Ereignis den Filtern entspricht, mit ihren entsprechenden Ereignissen.",
	"Sessions of a row may lack up to %s, which are in (others).": "" +
		"Einer Zeile {kann|können} bis zu %s {Sitzung fehlen, die unter (andere) steht|Sitzungen fehlen, die unter (andere) stehen}.",
	"Shares of visitors are of ~%s, an estimate of all visitors in the lists.": "" +
		"Anteile an Besuchern beziehen sich auf ~%s, eine Schätzung aller Besucher in den Listen.",
	"Some hours or days of the earlier range have expired: changes are or may be too high.": "" +
		"Einige Stunden oder Tage des früheren Zeitraums sind abgelaufen: Änderungen sind oder können zu hoch sein.",
	"Some hours or days of this range have expired: its totals are or may be too low.": "" +
		"Einige Stunden oder Tage dieses Zeitraums sind abgelaufen: Die Summen sind oder können zu niedrig sein.",
	"Some or all of the raw events of this range, which these figures need, have expired.": "" +
		"Einige oder alle Rohereignisse dieses Zeitraums, die diese Zahlen brauchen, sind abgelaufen.",
	"The counting of some records, %s, %s. They are counted up to %s.": "" +
		"Die Zählung einiger Datensätze, %s, %s. Sie sind bis %s gezählt.",
	"The earlier range ends at a full hour, %s. It has all of its last hour; this range has what has passed of that " +
		"hour, so changes are a little too low until it is over.": "" +
		"Der frühere Zeitraum endet zur vollen Stunde, %s. Er enthält seine letzte Stunde ganz, dieser Zeitraum nur, was " +
		"von ihr vergangen ist: Bis sie vorüber ist, sind Änderungen etwas zu niedrig.",
	"The graph ends early: the range has more than %s {bucket|buckets}. Choose larger ones.": "" +
		"Das Diagramm endet früher: Der Zeitraum hat mehr als %s {Abschnitt|Abschnitte}. Wählen Sie größere.",
	"The range is not over: its figures, and the dashed end of the graph, are those so far.": "" +
		"Der Zeitraum ist noch nicht vorüber: Die Zahlen und das gestrichelte Ende des Diagramms sind die bisherigen.",
	"The raw events of this range are too many for this page: choose a shorter range.": "" +
		"Dieser Zeitraum hat zu viele Rohereignisse für diese Seite: Wählen Sie einen kürzeren.",
	"The site does not count new visitors.":             "Die Website zählt neue Besucher nicht.",
	"The site does not keep a list of recent sessions.": "Die Website führt keine Liste der letzten Sitzungen.",
	"The site has data from %s.":                        "Die Website hat Daten vom Zeitraum %s.",
	"The site has data only from %s on: figures of before are unknown, and changes since that day or earlier ones have " +
		"no percentages.": "" +
		"Die Website hat erst ab dem %s Daten: Frühere Zahlen sind unbekannt, und Änderungen seit diesem Tag oder " +
		"früheren haben keine Prozente.",
	"The site has no funnels.": "Die Website hat keine Trichter.",
	"The site has no goals.":   "Die Website hat keine Ziele.",
	"The totals are from breakdowns. The lists need raw events.": "" +
		"Die Summen stammen aus Aufschlüsselungen. Die Listen brauchen Rohereignisse.",
	"The totals may lack up to %s {event|events}.": "Den Summen {kann|können} bis zu %s {Ereignis|Ereignisse} fehlen.",
	"There are more: choose a shorter range.":      "Es gibt weitere: Wählen Sie einen kürzeren Zeitraum.",
	"There are no changes until the first hour of the range is over.": "" +
		"Änderungen gibt es erst, wenn die erste Stunde des Zeitraums vorüber ist.",
	"There was no session in the last two days.": "In den letzten zwei Tagen gab es keine Sitzung.",
	"There was no session that passes the filters in the last two days.": "" +
		"In den letzten zwei Tagen gab es keine Sitzung, die den Filtern entspricht.",
	"Times are those of %s.": "Zeiten in der Zeitzone %s.",
	"Visitors are not known: the hours that had them have expired.": "" +
		"Besucher sind nicht bekannt: Die Stunden, die sie enthielten, sind abgelaufen.",
	"Visitors with a ~ are estimates, ± %s.": "Besucherzahlen mit ~ sind Schätzungen, ± %s.",
	"Visitors without a value are not counted. These are their sessions, with the share of all sessions.": "" +
		"Besucher ohne Wert werden nicht gezählt. Dies sind ihre Sitzungen mit dem Anteil an allen Sitzungen.",
	"What this range had, if anything, has expired.": "Was dieser Zeitraum gegebenenfalls enthielt, ist abgelaufen.",
	"Total of %s {site|sites}": "" +
		"Summe von %s {Website|Websites}",
	"Visitors of several sites cannot be added: one may have been at several.": "" +
		"Besucher mehrerer Websites lassen sich nicht addieren: Einer kann auf mehreren gewesen sein.",
	"Save as a segment": "" +
		"Als Segment speichern",
	"This command saves the filters, with a name instead of NAME:": "" +
		"Dieser Befehl speichert die Filter mit einem Namen statt NAME:",
}
