package locale

// frenchSentences are whole sentences in French, by those in English.
var frenchSentences = map[string]string{
	"%s {value has|values have} as many. (others) are those after this page or with fewer, and what any value did while it had no " +
		"row.": "" +
		"%s {valeur atteint|valeurs atteignent} ce nombre. (autres) regroupe celles des pages suivantes ou en dessous, et " +
		"l’activité de toute valeur tant qu’elle n’avait pas de ligne.",
	"Commas separate several values.": "Séparez plusieurs valeurs par des virgules.",
	"Funnels and paths cannot be filtered by page, event, type or property.": "" +
		"Les entonnoirs et les parcours ne peuvent pas être filtrés par page, événement, type ou propriété.",
	"No event passes the filters in this range.":   "Aucun événement ne correspond aux filtres sur cette période.",
	"No session passes the filters in this range.": "Aucune session ne correspond aux filtres sur cette période.",
	"Now cannot be filtered: this is all traffic.": "" +
		"«\u00a0En ce moment\u00a0» ne peut pas être filtré\u00a0: voici tout le trafic.",
	"%s {event is|events are} beyond the site's budget: {it is|they are} in no session and no list.": "" +
		"%s {événement dépasse|événements dépassent} le quota du site\u00a0: {il ne figure|ils ne figurent} dans aucune session ni " +
		"aucune liste.",
	"%s {event is|events are} in no list.": "%s {événement ne figure|événements ne figurent} dans aucune liste.",
	"%s {event is|events are} in no list: {it was|they were} beyond the site's budget, or came while breakdowns were off, or " +
		"{is|are} being " +
		"written.": "" +
		"%s {événement ne figure|événements ne figurent} dans aucune liste\u00a0: {il dépassait|ils dépassaient} le quota du site, " +
		"{est arrivé|sont arrivés} alors que les " +
		"répartitions étaient désactivées ou {est|sont} en cours d’écriture.",
	"%s {event is|events are} of pages that the site excludes, and in no other figure.": "" +
		"%s {événement provient|événements proviennent} de pages que le site exclut et {n’entre|n’entrent} dans aucun autre chiffre.",
	"%s {event of bots is|events of bots are} in no figure.": "%s {événement de robots n’entre|événements de robots n’entrent} dans " +
		"aucun chiffre.",
	"%s raw {event is|events are} missing.": "%s {événement brut est absent|événements bruts sont absents}.",
	"%s {value has|values have} a row in this range. (others) are those after this page, and what any value did while it had no " +
		"row.": "" +
		"%s {valeur a|valeurs ont} une ligne sur cette période. (autres) regroupe celles des pages suivantes et l’activité de toute " +
		"valeur tant qu’elle n’avait pas de ligne.",
	"A funnel is computed from raw events when it is opened.": "" +
		"Un entonnoir est calculé à partir des événements bruts à son ouverture.",
	"A value that no list names has at most %s {event|events}.": "Une valeur absente des listes compte au plus %s " +
		"{événement|événements}.",
	"A value without a row has at most %s {event|events}.": "Une valeur sans ligne compte au plus %s {événement|événements}.",
	"Computed from %s raw {event|events} for %s read {unit|units}; %s {was|were} estimated before.": "" +
		"Calculé à partir de %s {événement brut|événements bruts} pour %s {unité|unités} de lecture\u00a0; l’estimation était de %s.",
	"Computed from %s raw {event|events} of both ranges for %s read {unit|units}; %s {was|were} estimated before.": "" +
		"Calculé à partir de %s {événement brut|événements bruts} des deux périodes pour %s {unité|unités} de lecture\u00a0; " +
		"l’estimation était de %s.",
	"Computed from raw events.":              "Calculé à partir des événements bruts.",
	"Days are those of %s, the site's zone.": "Jours dans le fuseau du site\u00a0: %s.",
	"Days are those of %s.":                  "Jours dans le fuseau %s.",
	"Days are those of each site's own zone. Change is that of page views since the range before.": "" +
		"Jours dans le fuseau de chaque site. L’évolution est celle des pages vues par rapport à la période précédente.",
	"Each minute counts its %s busiest pages one by one, and this list has the %s busiest of all. Views of other pages " +
		"are in (others).": "" +
		"Chaque minute compte une à une ses %s pages les plus vues, et cette liste contient les %s pages les plus vues au " +
		"total. Les vues des autres pages sont dans (autres).",
	"Figures are those of the last flush of each partition: events of the last seconds or minutes may be missing.": "" +
		"Les chiffres sont ceux de la dernière écriture de chaque partition\u00a0: des événements des dernières secondes ou " +
		"minutes peuvent manquer.",
	"It could not compare all of its range, so it says nothing of these figures.": "" +
		"Il n’a pas pu comparer toute sa période et ne dit donc rien de ces chiffres.",
	"It is of another range than these figures.": "Il porte sur une autre période que ces chiffres.",
	"Last recount at %s, range: %s: %s.":         "Dernier recomptage le %s, période\u00a0: %s\u00a0: %s.",
	"New visitors are those since %s, when the site began to count them.": "" +
		"Les nouveaux visiteurs sont ceux depuis le %s, date à laquelle le site a commencé à les compter.",
	"No event in this range passes the filters.": "Aucun événement de cette période ne correspond aux filtres.",
	"No events in this range.":                   "Aucun événement sur cette période.",
	"No page was viewed in the last 5 minutes.":  "Aucune page vue au cours des 5 dernières minutes.",
	"No recount is recorded yet.":                "Aucun recomptage n’est encore enregistré.",
	"None in this range.":                        "Aucun sur cette période.",
	"Not known.":                                 "Inconnu.",
	"Not known: raw events do not say it for this range, or have too many values.": "" +
		"Inconnu\u00a0: les événements bruts ne l’indiquent pas pour cette période ou comptent trop de valeurs.",
	"Not known: the site did not count new visitors in all of this range.": "" +
		"Inconnu\u00a0: le site n’a pas compté les nouveaux visiteurs sur toute cette période.",
	"Not read: it needs raw events.": "Non lu\u00a0: des événements bruts sont nécessaires.",
	"Nothing is compared: reading both ranges would cost about %s read {unit|units}, more than this page reads.": "" +
		"Aucune comparaison\u00a0: lire les deux périodes coûterait environ %s {unité|unités} de lecture, plus que cette page n’en " +
		"lit.",
	"Nothing is compared: the earlier range cannot be read for this page.": "" +
		"Aucune comparaison\u00a0: la période antérieure ne peut pas être lue pour cette page.",
	"Nothing is compared: the earlier range lacks raw events.": "" +
		"Aucune comparaison\u00a0: il manque des événements bruts à la période antérieure.",
	"Nothing is compared: the raw events of the earlier range have expired.": "" +
		"Aucune comparaison\u00a0: les événements bruts de la période antérieure ont expiré.",
	"Nothing is compared: the site has no data before %s.": "Aucune comparaison\u00a0: le site n’a pas de données avant le %s.",
	"Numbers of visitors with a ~ are estimates. ± is their relative standard error.": "" +
		"Les nombres de visiteurs précédés de ~ sont des estimations. ± est leur erreur type relative.",
	"Numbers with a ~ are estimates with a relative standard error of %s.": "" +
		"Les nombres précédés de ~ sont des estimations, avec une erreur type relative de %s.",
	"Partition %s, %s, %s. It is counted up to records of %s.": "" +
		"La partition %s, %s, %s. Elle est comptée jusqu’aux enregistrements du %s.",
	"Paths are computed from raw events when they are opened.": "Les parcours sont calculés à partir des événements bruts à leur " +
		"ouverture.",
	"Raw events are not there for this range, or do not say it.": "" +
		"Les événements bruts manquent pour cette période ou ne l’indiquent pas.",
	"Raw events, which these figures need, are kept for %s {day|days}: some or all of this range is older.": "" +
		"Les événements bruts nécessaires à ces chiffres sont conservés %s {jour|jours}\u00a0: cette période est plus ancienne, en " +
		"tout ou en partie.",
	"Read at %s, for %s read {unit|units}.": "Lu à %s, pour %s {unité|unités} de lecture.",
	"Read at %s.":                           "Lu à %s.",
	"Read for %s read {unit|units}.":        "Lu pour %s {unité|unités} de lecture.",
	"Reading the %s raw {event|events} of this range would cost about %s read {unit|units}. This page reads at most what %s packed " +
		"{one costs|ones cost}.": "Lire {le|les} %s {événement brut|événements bruts} de cette période coûterait environ %s " +
		"{unité|unités} de lecture. Cette page lit au plus " +
		"l’équivalent de %s {événement groupé|événements groupés}.",
	"Realtime figures and new visitors cannot be filtered: remove the filters to see them.": "" +
		"Les chiffres en temps réel et les nouveaux visiteurs ne peuvent pas être filtrés\u00a0: supprimez les " +
		"filtres pour les voir.",
	"Realtime is switched off for this site.": "Le temps réel est désactivé pour ce site.",
	"Records that came after it may have changed these figures.": "" +
		"Des enregistrements arrivés ensuite ont pu modifier ces chiffres.",
	"Recounted at %s, range: %s: %s.": "Recompté le %s, période\u00a0: %s\u00a0: %s.",
	"Returning visitors are not known: new ones were not counted in all of this range, or its visitors have expired.": "" +
		"Les visiteurs récurrents sont inconnus\u00a0: les nouveaux n’ont pas été comptés sur toute cette période, ou ses " +
		"visiteurs ont expiré.",
	"Scope: events that pass. Figures of sessions are not known.": "" +
		"Portée\u00a0: les événements qui correspondent. Les chiffres des sessions sont inconnus.",
	"Scope: sessions whose entry or exit page and first event pass, with their events that pass.": "" +
		"Portée\u00a0: les sessions dont la page d’entrée ou de sortie et le premier événement correspondent, avec leurs " +
		"événements qui correspondent.",
	"Scope: sessions that pass, with their events that pass. A session reaches a goal within the range.": "" +
		"Portée\u00a0: les sessions qui correspondent, avec leurs événements qui correspondent. Un objectif est atteint dans la période.",
	"Conversions are of the goal that the filter asks for.": "" +
		"Les conversions sont celles de l’objectif filtré.",
	"Their rate is of the sessions that pass the other filters.": "" +
		"Leur taux porte sur les sessions qui correspondent aux autres filtres.",
	"The filter by a goal cannot be applied: %s.": "" +
		"Le filtre par objectif ne peut pas être appliqué\u00a0: %s.",
	"The filter by a goal cannot be applied: the site has no active goal of this id.": "" +
		"Le filtre par objectif ne peut pas être appliqué\u00a0: le site n’a pas d’objectif actif avec cet identifiant.",
	"Scope: sessions whose first event passes, with their events that pass.": "" +
		"Portée\u00a0: les sessions dont le premier événement correspond, avec leurs événements qui correspondent.",
	"Sessions of a row may lack up to %s, which are in (others).": "" +
		"Il peut manquer à une ligne jusqu’à %s {session, qui est|sessions, qui sont} dans (autres).",
	"Shares of visitors are of ~%s, an estimate of all visitors in the lists.": "" +
		"Les parts de visiteurs se rapportent à ~%s, une estimation de tous les visiteurs des listes.",
	"Some hours or days of the earlier range have expired: changes are or may be too high.": "" +
		"Des heures ou des jours de la période antérieure ont expiré\u00a0: les évolutions sont ou peuvent être trop élevées.",
	"Some hours or days of this range have expired: its totals are or may be too low.": "" +
		"Des heures ou des jours de cette période ont expiré\u00a0: ses totaux sont ou peuvent être trop bas.",
	"Some or all of the raw events of this range, which these figures need, have expired.": "" +
		"Les événements bruts de cette période nécessaires à ces chiffres ont expiré, en tout ou en partie.",
	"The counting of some records, %s, %s. They are counted up to %s.": "" +
		"Le comptage de certains enregistrements, %s, %s. Ils sont comptés jusqu’au %s.",
	"The earlier range ends at a full hour, %s. It has all of its last hour; this range has what has passed of that " +
		"hour, so changes are a little too low until it is over.": "" +
		"La période antérieure se termine à une heure pleine, %s. Elle contient toute sa dernière heure\u00a0; cette période " +
		"n’en a que la partie écoulée, si bien que les évolutions sont un peu trop basses jusqu’à la fin de l’heure.",
	"The graph ends early: the range has more than %s {bucket|buckets}. Choose larger ones.": "" +
		"Le graphique s’arrête plus tôt\u00a0: la période compte plus de %s {intervalle|intervalles}. Choisissez-en de plus grands.",
	"The range is not over: its figures, and the dashed end of the graph, are those so far.": "" +
		"La période n’est pas terminée\u00a0: ses chiffres et la fin en pointillé du graphique sont provisoires.",
	"The raw events of this range are too many for this page: choose a shorter range.": "" +
		"Cette période compte trop d’événements bruts pour cette page\u00a0: choisissez-en une plus courte.",
	"The site does not count new visitors.":             "Le site ne compte pas les nouveaux visiteurs.",
	"The site does not keep a list of recent sessions.": "Le site ne conserve pas de liste des sessions récentes.",
	"The site has data from %s.":                        "Le site a des données pour la période %s.",
	"The site has data only from %s on: figures of before are unknown, and changes since that day or earlier ones have " +
		"no percentages.": "" +
		"Le site n’a de données qu’à partir du %s\u00a0: les chiffres antérieurs sont inconnus, et les évolutions depuis ce " +
		"jour ou avant n’ont pas de pourcentage.",
	"The site has no funnels.": "Le site n’a pas d’entonnoir.",
	"The site has no goals.":   "Le site n’a pas d’objectif.",
	"The totals are from breakdowns. The lists need raw events.": "" +
		"Les totaux proviennent des répartitions. Les listes nécessitent des événements bruts.",
	"The totals may lack up to %s {event|events}.": "Il peut manquer jusqu’à %s {événement|événements} aux totaux.",
	"There are more: choose a shorter range.":      "Il y en a d’autres\u00a0: choisissez une période plus courte.",
	"There are no changes until the first hour of the range is over.": "" +
		"Il n’y a pas d’évolution avant la fin de la première heure de la période.",
	"There was no session in the last two days.": "Aucune session ces deux derniers jours.",
	"There was no session that passes the filters in the last two days.": "" +
		"Aucune session correspondant aux filtres ces deux derniers jours.",
	"Times are those of %s.": "Heures dans le fuseau %s.",
	"Visitors are not known: the hours that had them have expired.": "" +
		"Les visiteurs sont inconnus\u00a0: les heures qui les contenaient ont expiré.",
	"Visitors with a ~ are estimates, ± %s.": "Les visiteurs précédés de ~ sont des estimations, ± %s.",
	"Visitors without a value are not counted. These are their sessions, with the share of all sessions.": "" +
		"Les visiteurs sans valeur ne sont pas comptés. Ce sont leurs sessions, avec leur part de toutes les sessions.",
	"What this range had, if anything, has expired.": "Ce que cette période contenait éventuellement a expiré.",
	"Total of %s {site|sites}": "" +
		"Total de %s {site|sites}",
	"Visitors of several sites cannot be added: one may have been at several.": "" +
		"Les visiteurs de plusieurs sites ne s’additionnent pas\u00a0: l’un d’eux a pu en visiter plusieurs.",
	"Save as a segment": "" +
		"Enregistrer comme segment",
	"This command saves the filters, with a name instead of NAME:": "" +
		"Cette commande enregistre les filtres, avec un nom à la place de NAME\u00a0:",
}
