package locale

// frenchTexts are the texts in French, by those in English.
var frenchTexts = map[string]string{
	"%s as a graph; the table below has its figures": "" +
		"%s sous forme de graphique\u00a0; le tableau ci-dessous en donne les chiffres",
	"%s by %s":                    "%s par %s",
	"%s difference":               "%s écart",
	"%s difference in all sites":  "%s écart sur l’ensemble des sites",
	"%s differences":              "%s écarts",
	"%s differences in all sites": "%s écarts sur l’ensemble des sites",
	"%s events":                   "%s événements",
	"%s events are beyond the site's budget: they are in no session and no list.": "" +
		"%s événements dépassent le quota du site\u00a0: ils ne figurent dans aucune session ni aucune liste.",
	"%s events are in no list.": "%s événements ne figurent dans aucune liste.",
	"%s events are in no list: they were beyond the site's budget, or came while breakdowns were off, or are being " +
		"written.": "" +
		"%s événements ne figurent dans aucune liste\u00a0: ils dépassaient le quota du site, sont arrivés alors que les " +
		"répartitions étaient désactivées ou sont en cours d’écriture.",
	"%s events are of pages that the site excludes, and in no other figure.": "" +
		"%s événements proviennent de pages que le site exclut et n’entrent dans aucun autre chiffre.",
	"%s events of bots are in no figure.": "%s événements de robots n’entrent dans aucun chiffre.",
	"%s or %s":                            "%s ou %s",
	"%s points":                           "%s points",
	"%s raw events are missing.":          "%s événements bruts sont absents.",
	"%s step":                             "%s étape",
	"%s steps":                            "%s étapes",
	"%s to %s":                            "du %s au %s",
	"%s value":                            "%s valeur",
	"%s values":                           "%s valeurs",
	"%s values have a row in this range. (others) are those after this page, and what any value did while it had no row.": "" +
		"%s valeurs ont une ligne sur cette période. (autres) regroupe celles des pages suivantes et l’activité de toute " +
		"valeur tant qu’elle n’avait pas de ligne.",
	"%s visitors, %s page views": "%s visiteurs, %s pages vues",
	"(none)":                     "(aucun)",
	"(others)":                   "(autres)",
	"28 days to today":           "28 jours jusqu’à aujourd’hui",
	"30 minutes ago":             "il y a 30 minutes",
	"7 days to today":            "7 jours jusqu’à aujourd’hui",
	"90 days to today":           "90 jours jusqu’à aujourd’hui",
	"A funnel is computed from raw events when it is opened.": "" +
		"Un entonnoir est calculé à partir des événements bruts à son ouverture.",
	"A value that no list names has at most %s events.": "Une valeur absente des listes compte au plus %s événements.",
	"A value without a row has at most %s events.":      "Une valeur sans ligne compte au plus %s événements.",
	"Add":                           "Ajouter",
	"Add a filter":                  "Ajouter un filtre",
	"Add another filter":            "Ajouter un autre filtre",
	"All":                           "Tout",
	"All figures as CSV":            "Tous les chiffres en CSV",
	"All sessions":                  "Toutes les sessions",
	"All sites":                     "Tous les sites",
	"Alerts":                        "Alertes",
	"Annotations":                   "Annotations",
	"As a table":                    "Sous forme de tableau",
	"Avg. duration":                 "Durée moyenne",
	"Before":                        "Avant",
	"Bounce rate":                   "Taux de rebond",
	"Browser":                       "Navigateur",
	"Browsers":                      "Navigateurs",
	"Campaign":                      "Campagne",
	"Campaigns":                     "Campagnes",
	"Change":                        "Évolution",
	"Channel":                       "Canal",
	"Channels":                      "Canaux",
	"Cities":                        "Villes",
	"City":                          "Ville",
	"Close":                         "Fermer",
	"Compare":                       "Comparer",
	"Compare with nothing":          "Ne rien comparer",
	"Compare with the range before": "Comparer à la période précédente",
	"Compare with the year before":  "Comparer à l’année précédente",
	"Comparison":                    "Comparaison",
	"Complete up to records of %s":  "Complet jusqu’aux enregistrements du %s",
	"Computed from %s raw events for %s read units; %s were estimated before.": "" +
		"Calculé à partir de %s événements bruts pour %s unités de lecture\u00a0; l’estimation était de %s.",
	"Computed from %s raw events of both ranges for %s read units; %s were estimated before.": "" +
		"Calculé à partir de %s événements bruts des deux périodes pour %s unités de lecture\u00a0; l’estimation était de %s.",
	"Computed from raw events.":              "Calculé à partir des événements bruts.",
	"Condition":                              "Condition",
	"Conv. rate":                             "Taux de conv.",
	"Conversions":                            "Conversions",
	"Copy link to this view":                 "Copier le lien vers cette vue",
	"Countries":                              "Pays",
	"Country":                                "Pays",
	"Days are those of %s, the site's zone.": "Jours dans le fuseau du site\u00a0: %s.",
	"Days are those of %s.":                  "Jours dans le fuseau %s.",
	"Days are those of each site's own zone. Change is that of page views since the range before.": "" +
		"Jours dans le fuseau de chaque site. L’évolution est celle des pages vues par rapport à la période précédente.",
	"Definition":       "Définition",
	"Definition of %s": "Définition : %s",
	"Device":           "Appareil",
	"Devices":          "Appareils",
	"Dimension":        "Dimension",
	"Direct / none":    "Direct / aucune",
	"Duration":         "Durée",
	"Each minute counts its %s busiest pages one by one, and this list has the %s busiest of all. Views of other pages " +
		"are in (others).": "" +
		"Chaque minute compte une à une ses %s pages les plus vues, et cette liste contient les %s pages les plus vues au " +
		"total. Les vues des autres pages sont dans (autres).",
	"Entries":    "Entrées",
	"Entry page": "Page d’entrée",
	"Event":      "Événement",
	"Events":     "Événements",
	"Exit page":  "Page de sortie",
	"Exit rate":  "Taux de sortie",
	"Exits":      "Sorties",
	"Figures are those of the last flush of each partition: events of the last seconds or minutes may be missing.": "" +
		"Les chiffres sont ceux de la dernière écriture de chaque partition\u00a0: des événements des dernières secondes ou " +
		"minutes peuvent manquer.",
	"Filter":       "Filtre",
	"Filters":      "Filtres",
	"Find":         "Rechercher",
	"Find a site":  "Rechercher un site",
	"Find a value": "Rechercher une valeur",
	"First page":   "Première page",
	"First sites":  "Premiers sites",
	"From":         "Du",
	"Funnels":      "Entonnoirs",
	"Go to the graph, then ← and → from bucket to bucket": "Aller au graphique, puis ← et → d’un intervalle à l’autre",
	"Goal":                   "Objectif",
	"Goals":                  "Objectifs",
	"Goals with conversions": "Objectifs et conversions",
	"Hostname":               "Nom d’hôte",
	"Hostnames":              "Noms d’hôte",
	"It could not compare all of its range, so it says nothing of these figures.": "" +
		"Il n’a pas pu comparer toute sa période et ne dit donc rien de ces chiffres.",
	"It is of another range than these figures.": "Il porte sur une autre période que ces chiffres.",
	"Keys":                               "Raccourcis",
	"Last event":                         "Dernier événement",
	"Last month":                         "Mois dernier",
	"Last recount at %s, range: %s: %s.": "Dernier recomptage le %s, période\u00a0: %s\u00a0: %s.",
	"Link to this view":                  "Lien vers cette vue",
	"List of sessions":                   "Liste des sessions",
	"List the keys":                      "Afficher les raccourcis",
	"Log out":                            "Se déconnecter",
	"More sites":                         "Plus de sites",
	"New and returning":                  "Nouveaux et récurrents",
	"New visitors":                       "Nouveaux visiteurs",
	"New visitors are those since %s, when the site began to count them.": "" +
		"Les nouveaux visiteurs sont ceux depuis le %s, date à laquelle le site a commencé à les compter.",
	"Next page": "Page suivante",
	"No event in this range passes the filters.": "Aucun événement de cette période ne correspond aux filtres.",
	"No events in this range.":                   "Aucun événement sur cette période.",
	"No page was viewed in the last 5 minutes.":  "Aucune page vue au cours des 5 dernières minutes.",
	"No recount is recorded yet.":                "Aucun recomptage n’est encore enregistré.",
	"No site has this in its id:":                "Aucun site n’a ceci dans son identifiant\u00a0:",
	"No value has this in it:":                   "Aucune valeur ne contient\u00a0:",
	"None in this range.":                        "Aucun sur cette période.",
	"Not known.":                                 "Inconnu.",
	"Not known: raw events do not say it for this range, or have too many values.": "" +
		"Inconnu\u00a0: les événements bruts ne l’indiquent pas pour cette période ou comptent trop de valeurs.",
	"Not known: the site did not count new visitors in all of this range.": "" +
		"Inconnu\u00a0: le site n’a pas compté les nouveaux visiteurs sur toute cette période.",
	"Not read: it needs raw events.": "Non lu\u00a0: des événements bruts sont nécessaires.",
	"Nothing is compared: reading both ranges would cost about %s read units, more than this page reads.": "" +
		"Aucune comparaison\u00a0: lire les deux périodes coûterait environ %s unités de lecture, plus que cette page n’en " +
		"lit.",
	"Nothing is compared: the earlier range cannot be read for this page.": "" +
		"Aucune comparaison\u00a0: la période antérieure ne peut pas être lue pour cette page.",
	"Nothing is compared: the earlier range lacks raw events.": "" +
		"Aucune comparaison\u00a0: il manque des événements bruts à la période antérieure.",
	"Nothing is compared: the raw events of the earlier range have expired.": "" +
		"Aucune comparaison\u00a0: les événements bruts de la période antérieure ont expiré.",
	"Nothing is compared: the site has no data before %s.": "Aucune comparaison\u00a0: le site n’a pas de données avant le %s.",
	"Now": "En ce moment",
	"Numbers of visitors with a ~ are estimates. ± is their relative standard error.": "" +
		"Les nombres de visiteurs précédés de ~ sont des estimations. ± est leur erreur type relative.",
	"Numbers with a ~ are estimates with a relative standard error of %s.": "" +
		"Les nombres précédés de ~ sont des estimations, avec une erreur type relative de %s.",
	"Other range": "Autre période",
	"Page":        "Page",
	"Page views":  "Pages vues",
	"Page views in each of the last %s minutes; %s in total": "" +
		"Pages vues au cours de chacune des %s dernières minutes\u00a0; %s au total",
	"Pages":               "Pages",
	"Pages now":           "Pages en ce moment",
	"Pages per session":   "Pages par session",
	"Part of a site's id": "Partie de l’identifiant d’un site",
	"Part of a value":     "Partie d’une valeur",
	"Partition %s, %s, %s. It is counted up to records of %s.": "" +
		"La partition %s, %s, %s. Elle est comptée jusqu’aux enregistrements du %s.",
	"Place":                 "Lieu",
	"Places":                "Lieux",
	"Range":                 "Période",
	"Range to compare with": "Période de comparaison",
	"Rate":                  "Taux",
	"Raw events are not there for this range, or do not say it.": "" +
		"Les événements bruts manquent pour cette période ou ne l’indiquent pas.",
	"Raw events, which these figures need, are kept for %s day: some or all of this range is older.": "" +
		"Les événements bruts nécessaires à ces chiffres sont conservés %s jour\u00a0: cette période est plus ancienne, en " +
		"tout ou en partie.",
	"Raw events, which these figures need, are kept for %s days: some or all of this range is older.": "" +
		"Les événements bruts nécessaires à ces chiffres sont conservés %s jours\u00a0: cette période est plus ancienne, en " +
		"tout ou en partie.",
	"Read at %s, for %s read units.": "Lu à %s, pour %s unités de lecture.",
	"Read at %s.":                    "Lu à %s.",
	"Read for %s read units.":        "Lu pour %s unités de lecture.",
	"Read them":                      "Les lire",
	"Reading the %s raw events of this range would cost about %s read units. This page reads at most what %s packed ones " +
		"cost.": "Lire les %s événements bruts de cette période coûterait environ %s unités de lecture. Cette page lit au plus " +
		"l’équivalent de %s événements groupés.",
	"Realtime figures, funnels and new visitors cannot be filtered: remove the filters to see them.": "" +
		"Les chiffres en temps réel, les entonnoirs et les nouveaux visiteurs ne peuvent pas être filtrés\u00a0: supprimez les " +
		"filtres pour les voir.",
	"Realtime is switched off for this site.": "Le temps réel est désactivé pour ce site.",
	"Recent sessions":                         "Sessions récentes",
	"Records that came after it may have changed these figures.": "" +
		"Des enregistrements arrivés ensuite ont pu modifier ces chiffres.",
	"Recounted at %s, range: %s: %s.": "Recompté le %s, période\u00a0: %s\u00a0: %s.",
	"Region":                          "Région",
	"Regions":                         "Régions",
	"Remark":                          "Remarque",
	"Remove all filters":              "Supprimer tous les filtres",
	"Remove the filter %s":            "Supprimer le filtre %s",
	"Remove this filter":              "Supprimer ce filtre",
	"Returning":                       "Récurrents",
	"Returning visitors":              "Visiteurs récurrents",
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
	"Conversions are of all goals together. Raw events say those of one:": "" +
		"Les conversions sont celles de tous les objectifs. Celles d’un seul, d’après les événements bruts\u00a0:",
	"Raw events say the conversions of a goal:": "" +
		"Les conversions d’un objectif, d’après les événements bruts\u00a0:",
	"The filter by a goal cannot be applied: %s.": "" +
		"Le filtre par objectif ne peut pas être appliqué\u00a0: %s.",
	"The filter by a goal cannot be applied: the site has no active goal of this id.": "" +
		"Le filtre par objectif ne peut pas être appliqué\u00a0: le site n’a pas d’objectif actif avec cet identifiant.",
	"Scope: sessions whose first event passes, with their events that pass.": "" +
		"Portée\u00a0: les sessions dont le premier événement correspond, avec leurs événements qui correspondent.",
	"Scroll depth": "Profondeur de défilement",
	"Sessions":     "Sessions",
	"Sessions of a row may lack up to %s, which are in (others).": "" +
		"Il peut manquer à une ligne jusqu’à %s sessions, qui sont dans (autres).",
	"Share": "Part",
	"Shares of visitors are of ~%s, an estimate of all visitors in the lists.": "" +
		"Les parts de visiteurs se rapportent à ~%s, une estimation de tous les visiteurs des listes.",
	"Show":                         "Afficher",
	"Show %s":                      "Afficher %s",
	"Show days of my zone":         "Afficher les jours de mon fuseau",
	"Show days of my zone, %s":     "Afficher les jours de mon fuseau, %s",
	"Show days of the site's zone": "Afficher les jours du fuseau du site",
	"Show from %s on":              "Afficher à partir du %s",
	"Site":                         "Site",
	"Sites":                        "Sites",
	"Skip to the figures":          "Aller aux chiffres",
	"Some hours or days of the earlier range have expired: changes are or may be too high.": "" +
		"Des heures ou des jours de la période antérieure ont expiré\u00a0: les évolutions sont ou peuvent être trop élevées.",
	"Some hours or days of this range have expired: its totals are or may be too low.": "" +
		"Des heures ou des jours de cette période ont expiré\u00a0: ses totaux sont ou peuvent être trop bas.",
	"Some or all of the raw events of this range, which these figures need, have expired.": "" +
		"Les événements bruts de cette période nécessaires à ces chiffres ont expiré, en tout ou en partie.",
	"Sort by this": "Trier selon cette colonne",
	"Source":       "Source",
	"Sources":      "Sources",
	"Started":      "Début",
	"System":       "Système",
	"Systems":      "Systèmes",
	"The counting of some records, %s, %s. They are counted up to %s.": "" +
		"Le comptage de certains enregistrements, %s, %s. Ils sont comptés jusqu’au %s.",
	"The earlier range ends at a full hour, %s. It has all of its last hour; this range has what has passed of that " +
		"hour, so changes are a little too low until it is over.": "" +
		"La période antérieure se termine à une heure pleine, %s. Elle contient toute sa dernière heure\u00a0; cette période " +
		"n’en a que la partie écoulée, si bien que les évolutions sont un peu trop basses jusqu’à la fin de l’heure.",
	"The graph ends early: the range has more than %s buckets. Choose larger ones.": "" +
		"Le graphique s’arrête plus tôt\u00a0: la période compte plus de %s intervalles. Choisissez-en de plus grands.",
	"The link is copied": "Le lien est copié",
	"The range after":    "La période suivante",
	"The range before":   "La période précédente",
	"The range is not over: its figures, and the dashed end of the graph, are those so far.": "" +
		"La période n’est pas terminée\u00a0: ses chiffres et la fin en pointillé du graphique sont provisoires.",
	"The raw events of this range are too many for this page: choose a shorter range.": "" +
		"Cette période compte trop d’événements bruts pour cette page\u00a0: choisissez-en une plus courte.",
	"The same range, comparison, zone and filters, also tomorrow": "Même période, comparaison, fuseau et filtres, demain aussi",
	"The site does not count new visitors.":                       "Le site ne compte pas les nouveaux visiteurs.",
	"The site does not keep a list of recent sessions.":           "Le site ne conserve pas de liste des sessions récentes.",
	"The site has data from %s.":                                  "Le site a des données pour la période %s.",
	"The site has data only from %s on: figures of before are unknown, and changes since that day or earlier ones have " +
		"no percentages.": "" +
		"Le site n’a de données qu’à partir du %s\u00a0: les chiffres antérieurs sont inconnus, et les évolutions depuis ce " +
		"jour ou avant n’ont pas de pourcentage.",
	"The site has no funnels.": "Le site n’a pas d’entonnoir.",
	"The site has no goals.":   "Le site n’a pas d’objectif.",
	"The totals are from breakdowns. The lists need raw events.": "" +
		"Les totaux proviennent des répartitions. Les listes nécessitent des événements bruts.",
	"The totals may lack up to %s events.":    "Il peut manquer jusqu’à %s événements aux totaux.",
	"There are more. This command names all:": "Il y en a d’autres. Cette commande les nomme tous\u00a0:",
	"There are more: choose a shorter range.": "Il y en a d’autres\u00a0: choisissez une période plus courte.",
	"There are no changes until the first hour of the range is over.": "" +
		"Il n’y a pas d’évolution avant la fin de la première heure de la période.",
	"There are no sites yet. A site appears with its first event, or with this command:": "" +
		"Il n’y a pas encore de site. Un site apparaît avec son premier événement, ou avec cette commande\u00a0:",
	"There was no session in the last two days.": "Aucune session ces deux derniers jours.",
	"There was no session that passes the filters in the last two days.": "" +
		"Aucune session correspondant aux filtres ces deux derniers jours.",
	"This cannot be shown":                                "Affichage impossible",
	"This command adds one:":                              "Cette commande en ajoute un\u00a0:",
	"This command has it count them from then on:":        "Cette commande les fait compter dès lors\u00a0:",
	"This month":                                          "Ce mois-ci",
	"This view is filtered. It is only about what passes": "Cette vue est filtrée. Elle ne porte que sur ce qui correspond à",
	"This year":                                           "Cette année",
	"Time on page":                                        "Temps passé sur la page",
	"Time zone":                                           "Fuseau horaire",
	"Times are those of %s.":                              "Heures dans le fuseau %s.",
	"Today":                                               "Aujourd’hui",
	"Type":                                                "Type",
	"UTM content":                                         "Contenu UTM",
	"UTM contents":                                        "Contenus UTM",
	"UTM media":                                           "Supports UTM",
	"UTM medium":                                          "Support UTM",
	"UTM source":                                          "Source UTM",
	"UTM sources":                                         "Sources UTM",
	"UTM term":                                            "Terme UTM",
	"UTM terms":                                           "Termes UTM",
	"Until":                                               "Au",
	"Value":                                               "Valeur",
	"Views":                                               "Vues",
	"Visitors":                                            "Visiteurs",
	"Visitors are not known: the hours that had them have expired.": "" +
		"Les visiteurs sont inconnus\u00a0: les heures qui les contenaient ont expiré.",
	"Visitors by day":                        "Visiteurs par jour",
	"Visitors of %s days: %s":                "Visiteurs de %s jours\u00a0: %s",
	"Visitors with a ~ are estimates, ± %s.": "Les visiteurs précédés de ~ sont des estimations, ± %s.",
	"Visitors without a value are not counted. These are their sessions, with the share of all sessions.": "" +
		"Les visiteurs sans valeur ne sont pas comptés. Ce sont leurs sessions, avec leur part de toutes les sessions.",
	"What a recount is":                                "Qu’est-ce qu’un recomptage\u00a0?",
	"What each number means":                           "Signification de chaque chiffre",
	"What filters select":                              "Ce que sélectionnent les filtres",
	"What this range had, if anything, has expired.":   "Ce que cette période contenait éventuellement a expiré.",
	"Without raw events, one filter alone can be had:": "Sans événements bruts, un seul filtre à la fois est possible\u00a0:",
	"Yesterday":                   "Hier",
	"all times":                   "toutes les dates",
	"among the %s greatest of %s": "parmi les %s plus grandes sur %s",
	"and":                         "et",
	"before":                      "avant",
	"before %s":                   "avant le %s",
	"before: %s":                  "avant\u00a0: %s",
	"begins with":                 "commence par",
	"clipped by the range":        "tronqué par la période",
	"compared with %s":            "par rapport à %s",
	"contains":                    "contient",
	"current visitors":            "visiteurs en ce moment",
	"data expired":                "données expirées",
	"day":                         "jour",
	"from %s":                     "contre %s",
	"from %s on":                  "à partir du %s",
	"has stopped":                 "s’est arrêtée",
	"has stopped at lost records": "s’est arrêtée à des enregistrements perdus",
	"hour":                        "heure",
	"is":                          "est",
	"is behind":                   "est en retard",
	"is not":                      "n’est pas",
	"last 5 minutes: %s visitors, %s page views": "5 dernières minutes\u00a0: %s visiteurs, %s pages vues",
	"may lack up to %s events, from when the value had no row": "" +
		"il peut manquer jusqu’à %s événements, d’avant que la valeur ait une ligne",
	"may lack up to %s page views, from minutes in which it was not among the busiest pages": "" +
		"il peut manquer jusqu’à %s pages vues, des minutes où elle n’était pas parmi les pages les plus vues",
	"month":                           "mois",
	"new":                             "nouveau",
	"no change":                       "inchangé",
	"nothing":                         "rien",
	"now":                             "maintenant",
	"of which the first %s are shown": "dont les %s premières sont affichées",
	"other":                           "autre",
	"range before":                    "période précédente",
	"sessions":                        "sessions",
	"since %s":                        "depuis le %s",
	"so far":                          "provisoire",
	"some data of the range has expired: figures are or may be too low": "" +
		"des données de la période ont expiré\u00a0: les chiffres sont ou peuvent être trop bas",
	"some of them of this site":            "dont certains de ce site",
	"the latest, whatever the range":       "les plus récentes, quelle que soit la période",
	"visitors ± %s":                        "visiteurs ± %s",
	"week":                                 "semaine",
	"week of %s":                           "semaine du %s",
	"which had events of this site lately": "qui avait récemment des événements de ce site",
	"which may be of this site":            "qui peuvent être de ce site",
	"which may have events of this site":   "qui peut avoir des événements de ce site",
	"year":                                 "an",
	"year before":                          "année précédente",
}
