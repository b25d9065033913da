package locale

// spanishTexts are the texts in Spanish, by those in English.
var spanishTexts = map[string]string{
	"%s as a graph; the table below has its figures": "%s en un gráfico; la tabla de abajo contiene las cifras",
	"%s by %s":                    "%s por %s",
	"%s difference":               "%s diferencia",
	"%s difference in all sites":  "%s diferencia en todos los sitios",
	"%s differences":              "%s diferencias",
	"%s differences in all sites": "%s diferencias en todos los sitios",
	"%s events":                   "%s eventos",
	"%s events are beyond the site's budget: they are in no session and no list.": "" +
		"%s eventos superan el cupo del sitio: no figuran en ninguna sesión ni lista.",
	"%s events are in no list.": "%s eventos no figuran en ninguna lista.",
	"%s events are in no list: they were beyond the site's budget, or came while breakdowns were off, or are being " +
		"written.": "" +
		"%s eventos no figuran en ninguna lista: superaban el cupo del sitio, llegaron mientras los desgloses estaban " +
		"desactivados o se están escribiendo.",
	"%s events are of pages that the site excludes, and in no other figure.": "" +
		"%s eventos son de páginas que el sitio excluye y no figuran en ninguna otra cifra.",
	"%s events of bots are in no figure.": "%s eventos de bots no figuran en ninguna cifra.",
	"%s or %s":                            "%s o %s",
	"%s points":                           "%s puntos",
	"%s raw events are missing.":          "Faltan %s eventos sin procesar.",
	"%s step":                             "%s paso",
	"%s steps":                            "%s pasos",
	"%s to %s":                            "del %s al %s",
	"%s value":                            "%s valor",
	"%s values":                           "%s valores",
	"%s values have a row in this range. (others) are those after this page, and what any value did while it had no row.": "" +
		"%s valores tienen una fila en este periodo. (otros) reúne los que siguen a esta página y lo que hizo cualquier " +
		"valor mientras no tenía fila.",
	"%s visitors, %s page views": "%s visitantes, %s páginas vistas",
	"(none)":                     "(ninguno)",
	"(others)":                   "(otros)",
	"28 days to today":           "28 días hasta hoy",
	"30 minutes ago":             "hace 30 minutos",
	"7 days to today":            "7 días hasta hoy",
	"90 days to today":           "90 días hasta hoy",
	"A funnel is computed from raw events when it is opened.": "" +
		"Un embudo se calcula a partir de los eventos sin procesar al abrirlo.",
	"A value that no list names has at most %s events.": "Un valor que no figura en ninguna lista tiene como máximo %s eventos.",
	"A value without a row has at most %s events.":      "Un valor sin fila tiene como máximo %s eventos.",
	"Add":                           "Añadir",
	"Add a filter":                  "Añadir un filtro",
	"Add another filter":            "Añadir otro filtro",
	"All":                           "Todo",
	"All figures as CSV":            "Todas las cifras en CSV",
	"All sessions":                  "Todas las sesiones",
	"All sites":                     "Todos los sitios",
	"Alerts":                        "Alertas",
	"Annotations":                   "Anotaciones",
	"As a table":                    "Como tabla",
	"Avg. duration":                 "Duración media",
	"Before":                        "Antes",
	"Bounce rate":                   "Tasa de rebote",
	"Browser":                       "Navegador",
	"Browsers":                      "Navegadores",
	"Campaign":                      "Campaña",
	"Campaigns":                     "Campañas",
	"Change":                        "Variación",
	"Channel":                       "Canal",
	"Channels":                      "Canales",
	"Cities":                        "Ciudades",
	"City":                          "Ciudad",
	"Close":                         "Cerrar",
	"Compare":                       "Comparar",
	"Compare with nothing":          "No comparar",
	"Compare with the range before": "Comparar con el periodo anterior",
	"Compare with the year before":  "Comparar con el año anterior",
	"Comparison":                    "Comparación",
	"Complete up to records of %s":  "Completo hasta los registros del %s",
	"Computed from %s raw events for %s read units; %s were estimated before.": "" +
		"Calculado a partir de %s eventos sin procesar con %s unidades de lectura; se habían estimado %s.",
	"Computed from %s raw events of both ranges for %s read units; %s were estimated before.": "" +
		"Calculado a partir de %s eventos sin procesar de ambos periodos con %s unidades de lectura; se habían estimado " +
		"%s.",
	"Computed from raw events.":              "Calculado a partir de los eventos sin procesar.",
	"Condition":                              "Condición",
	"Conv. rate":                             "Tasa de conv.",
	"Conversions":                            "Conversiones",
	"Copy link to this view":                 "Copiar el enlace a esta vista",
	"Countries":                              "Países",
	"Country":                                "País",
	"Days are those of %s, the site's zone.": "Días en la zona horaria del sitio: %s.",
	"Days are those of %s.":                  "Días en la zona horaria %s.",
	"Days are those of each site's own zone. Change is that of page views since the range before.": "" +
		"Días en la zona horaria de cada sitio. La variación es la de las páginas vistas respecto al periodo anterior.",
	"Definition":       "Definición",
	"Definition of %s": "Definición: %s",
	"Device":           "Dispositivo",
	"Devices":          "Dispositivos",
	"Dimension":        "Dimensión",
	"Direct / none":    "Directo / ninguna",
	"Duration":         "Duración",
	"Each minute counts its %s busiest pages one by one, and this list has the %s busiest of all. Views of other pages " +
		"are in (others).": "" +
		"Cada minuto cuenta una a una sus %s páginas más vistas, y esta lista contiene las %s más vistas en total. Las " +
		"vistas de otras páginas están en (otros).",
	"Entries":    "Entradas",
	"Entry page": "Página de entrada",
	"Event":      "Evento",
	"Events":     "Eventos",
	"Exit page":  "Página de salida",
	"Exit rate":  "Tasa de salida",
	"Exits":      "Salidas",
	"Figures are those of the last flush of each partition: events of the last seconds or minutes may be missing.": "" +
		"Las cifras son las de la última escritura de cada partición: pueden faltar eventos de los últimos segundos o " +
		"minutos.",
	"Filter":       "Filtro",
	"Filters":      "Filtros",
	"Find":         "Buscar",
	"Find a site":  "Buscar un sitio",
	"Find a value": "Buscar un valor",
	"First page":   "Primera página",
	"First sites":  "Primeros sitios",
	"From":         "Desde",
	"Funnels":      "Embudos",
	"Go to the graph, then ← and → from bucket to bucket": "Ir al gráfico y luego ← y → de un intervalo a otro",
	"Goal":                   "Objetivo",
	"Goals":                  "Objetivos",
	"Goals with conversions": "Objetivos con conversiones",
	"Hostname":               "Nombre de host",
	"Hostnames":              "Nombres de host",
	"It could not compare all of its range, so it says nothing of these figures.": "" +
		"No pudo comparar todo su periodo, así que no dice nada de estas cifras.",
	"It is of another range than these figures.": "Es de un periodo distinto al de estas cifras.",
	"Keys":                               "Atajos",
	"Last event":                         "Último evento",
	"Last month":                         "Mes pasado",
	"Last recount at %s, range: %s: %s.": "Último recuento el %s, periodo: %s: %s.",
	"Link to this view":                  "Enlace a esta vista",
	"List of sessions":                   "Lista de sesiones",
	"List the keys":                      "Mostrar los atajos",
	"Log out":                            "Cerrar sesión",
	"More sites":                         "Más sitios",
	"New and returning":                  "Nuevos y recurrentes",
	"New visitors":                       "Visitantes nuevos",
	"New visitors are those since %s, when the site began to count them.": "" +
		"Los visitantes nuevos son los contados desde el %s, cuando el sitio empezó a contarlos.",
	"Next page": "Página siguiente",
	"No event in this range passes the filters.": "Ningún evento de este periodo cumple los filtros.",
	"No events in this range.":                   "No hay eventos en este periodo.",
	"No page was viewed in the last 5 minutes.":  "No se vio ninguna página en los últimos 5 minutos.",
	"No recount is recorded yet.":                "Aún no hay ningún recuento registrado.",
	"No site has this in its id:":                "Ningún sitio tiene esto en su id:",
	"No value has this in it:":                   "Ningún valor contiene:",
	"None in this range.":                        "Nada en este periodo.",
	"Not known.":                                 "Se desconoce.",
	"Not known: raw events do not say it for this range, or have too many values.": "" +
		"Se desconoce: los eventos sin procesar no lo indican para este periodo o tienen demasiados valores.",
	"Not known: the site did not count new visitors in all of this range.": "" +
		"Se desconoce: el sitio no contó los visitantes nuevos en todo este periodo.",
	"Not read: it needs raw events.": "No leído: requiere eventos sin procesar.",
	"Nothing is compared: reading both ranges would cost about %s read units, more than this page reads.": "" +
		"Sin comparación: leer ambos periodos costaría unas %s unidades de lectura, más de las que lee esta página.",
	"Nothing is compared: the earlier range cannot be read for this page.": "" +
		"Sin comparación: el periodo anterior no se puede leer para esta página.",
	"Nothing is compared: the earlier range lacks raw events.": "" +
		"Sin comparación: faltan eventos sin procesar en el periodo anterior.",
	"Nothing is compared: the raw events of the earlier range have expired.": "" +
		"Sin comparación: los eventos sin procesar del periodo anterior han caducado.",
	"Nothing is compared: the site has no data before %s.": "Sin comparación: el sitio no tiene datos anteriores al %s.",
	"Now": "Ahora",
	"Numbers of visitors with a ~ are estimates. ± is their relative standard error.": "" +
		"Los números de visitantes con ~ son estimaciones. ± es su error estándar relativo.",
	"Numbers with a ~ are estimates with a relative standard error of %s.": "" +
		"Los números con ~ son estimaciones con un error estándar relativo del %s.",
	"Other range": "Otro periodo",
	"Page":        "Página",
	"Page views":  "Páginas vistas",
	"Page views in each of the last %s minutes; %s in total": "Páginas vistas en cada uno de los últimos %s minutos; %s en total",
	"Pages":               "Páginas",
	"Pages now":           "Páginas ahora",
	"Pages per session":   "Páginas por sesión",
	"Part of a site's id": "Parte del id de un sitio",
	"Part of a value":     "Parte de un valor",
	"Partition %s, %s, %s. It is counted up to records of %s.": "La partición %s, %s, %s. Está contada hasta los registros del %s.",
	"Place":                 "Lugar",
	"Places":                "Lugares",
	"Range":                 "Periodo",
	"Range to compare with": "Periodo con el que comparar",
	"Rate":                  "Tasa",
	"Raw events are not there for this range, or do not say it.": "No hay eventos sin procesar de este periodo, o no lo indican.",
	"Raw events, which these figures need, are kept for %s day: some or all of this range is older.": "" +
		"Los eventos sin procesar que requieren estas cifras se conservan %s día: todo o parte de este periodo es " +
		"anterior.",
	"Raw events, which these figures need, are kept for %s days: some or all of this range is older.": "" +
		"Los eventos sin procesar que requieren estas cifras se conservan %s días: todo o parte de este periodo es " +
		"anterior.",
	"Read at %s, for %s read units.": "Leído a las %s, con %s unidades de lectura.",
	"Read at %s.":                    "Leído a las %s.",
	"Read for %s read units.":        "Leído con %s unidades de lectura.",
	"Read them":                      "Leerlos",
	"Reading the %s raw events of this range would cost about %s read units. This page reads at most what %s packed ones " +
		"cost.": "Leer los %s eventos sin procesar de este periodo costaría unas %s unidades de lectura. Esta página lee como " +
		"máximo lo que cuestan %s eventos empaquetados.",
	"Realtime figures, funnels and new visitors cannot be filtered: remove the filters to see them.": "" +
		"Las cifras en tiempo real, los embudos y los visitantes nuevos no se pueden filtrar: elimine los filtros para " +
		"verlos.",
	"Realtime is switched off for this site.": "El tiempo real está desactivado para este sitio.",
	"Recent sessions":                         "Sesiones recientes",
	"Records that came after it may have changed these figures.": "" +
		"Los registros que llegaron después pueden haber cambiado estas cifras.",
	"Recounted at %s, range: %s: %s.": "Recontado el %s, periodo: %s: %s.",
	"Region":                          "Región",
	"Regions":                         "Regiones",
	"Remark":                          "Observación",
	"Remove all filters":              "Eliminar todos los filtros",
	"Remove the filter %s":            "Eliminar el filtro %s",
	"Remove this filter":              "Eliminar este filtro",
	"Returning":                       "Recurrentes",
	"Returning visitors":              "Visitantes recurrentes",
	"Returning visitors are not known: new ones were not counted in all of this range, or its visitors have expired.": "" +
		"No se conocen los visitantes recurrentes: los nuevos no se contaron en todo este periodo, o sus visitantes han " +
		"caducado.",
	"Scope: events that pass. Figures of sessions are not known.": "" +
		"Alcance: los eventos que cumplen los filtros. No se conocen cifras de sesiones.",
	"Scope: sessions whose entry or exit page and first event pass, with their events that pass.": "" +
		"Alcance: las sesiones cuya página de entrada o de salida y cuyo primer evento cumplen los filtros, con sus " +
		"eventos que los cumplen.",
	"Scope: sessions that pass, with their events that pass. A session reaches a goal within the range.": "" +
		"Alcance: las sesiones que cumplen los filtros, con sus eventos que los cumplen. Un objetivo se alcanza en el periodo.",
	"Conversions are of the goal that the filter asks for.": "" +
		"Las conversiones son las del objetivo filtrado.",
	"Their rate is of the sessions that pass the other filters.": "" +
		"Su tasa es la de las sesiones que cumplen los demás filtros.",
	"Conversions are of all goals together. Raw events say those of one:": "" +
		"Las conversiones son las de todos los objetivos. Las de uno, según los eventos sin procesar:",
	"Raw events say the conversions of a goal:": "" +
		"Las conversiones de un objetivo, según los eventos sin procesar:",
	"The filter by a goal cannot be applied: %s.": "" +
		"No se puede aplicar el filtro por objetivo: %s.",
	"The filter by a goal cannot be applied: the site has no active goal of this id.": "" +
		"No se puede aplicar el filtro por objetivo: el sitio no tiene ningún objetivo activo con este identificador.",
	"Scope: sessions whose first event passes, with their events that pass.": "" +
		"Alcance: las sesiones cuyo primer evento cumple los filtros, con sus eventos que los cumplen.",
	"Scroll depth": "Profundidad de desplazamiento",
	"Sessions":     "Sesiones",
	"Sessions of a row may lack up to %s, which are in (others).": "" +
		"A una fila le pueden faltar hasta %s sesiones, que están en (otros).",
	"Share": "Cuota",
	"Shares of visitors are of ~%s, an estimate of all visitors in the lists.": "" +
		"Las cuotas de visitantes se refieren a ~%s, una estimación de todos los visitantes de las listas.",
	"Show":                         "Mostrar",
	"Show %s":                      "Mostrar %s",
	"Show days of my zone":         "Mostrar los días de mi zona horaria",
	"Show days of my zone, %s":     "Mostrar los días de mi zona horaria, %s",
	"Show days of the site's zone": "Mostrar los días de la zona horaria del sitio",
	"Show from %s on":              "Mostrar a partir del %s",
	"Site":                         "Sitio",
	"Sites":                        "Sitios",
	"Skip to the figures":          "Ir a las cifras",
	"Some hours or days of the earlier range have expired: changes are or may be too high.": "" +
		"Algunas horas o días del periodo anterior han caducado: las variaciones son o pueden ser demasiado altas.",
	"Some hours or days of this range have expired: its totals are or may be too low.": "" +
		"Algunas horas o días de este periodo han caducado: sus totales son o pueden ser demasiado bajos.",
	"Some or all of the raw events of this range, which these figures need, have expired.": "" +
		"Algunos o todos los eventos sin procesar de este periodo que requieren estas cifras han caducado.",
	"Sort by this": "Ordenar por esta columna",
	"Source":       "Fuente",
	"Sources":      "Fuentes",
	"Started":      "Inicio",
	"System":       "Sistema",
	"Systems":      "Sistemas",
	"The counting of some records, %s, %s. They are counted up to %s.": "" +
		"El recuento de algunos registros, %s, %s. Están contados hasta el %s.",
	"The earlier range ends at a full hour, %s. It has all of its last hour; this range has what has passed of that " +
		"hour, so changes are a little too low until it is over.": "" +
		"El periodo anterior termina a una hora en punto, %s. Contiene toda su última hora; este periodo solo lo " +
		"transcurrido de ella, así que las variaciones son algo bajas hasta que acabe.",
	"The graph ends early: the range has more than %s buckets. Choose larger ones.": "" +
		"El gráfico termina antes: el periodo tiene más de %s intervalos. Elija unos mayores.",
	"The link is copied": "El enlace está copiado",
	"The range after":    "El periodo siguiente",
	"The range before":   "El periodo anterior",
	"The range is not over: its figures, and the dashed end of the graph, are those so far.": "" +
		"El periodo no ha terminado: sus cifras y el final discontinuo del gráfico son los de hasta ahora.",
	"The raw events of this range are too many for this page: choose a shorter range.": "" +
		"Este periodo tiene demasiados eventos sin procesar para esta página: elija uno más corto.",
	"The same range, comparison, zone and filters, also tomorrow": "El mismo periodo, comparación, zona y filtros, también mañana",
	"The site does not count new visitors.":                       "El sitio no cuenta los visitantes nuevos.",
	"The site does not keep a list of recent sessions.":           "El sitio no guarda una lista de sesiones recientes.",
	"The site has data from %s.":                                  "El sitio tiene datos del periodo %s.",
	"The site has data only from %s on: figures of before are unknown, and changes since that day or earlier ones have " +
		"no percentages.": "" +
		"El sitio solo tiene datos a partir del %s: las cifras anteriores se desconocen, y las variaciones desde ese día " +
		"o antes no tienen porcentaje.",
	"The site has no funnels.": "El sitio no tiene embudos.",
	"The site has no goals.":   "El sitio no tiene objetivos.",
	"The totals are from breakdowns. The lists need raw events.": "" +
		"Los totales proceden de los desgloses. Las listas requieren eventos sin procesar.",
	"The totals may lack up to %s events.":    "A los totales les pueden faltar hasta %s eventos.",
	"There are more. This command names all:": "Hay más. Esta orden los nombra todos:",
	"There are more: choose a shorter range.": "Hay más: elija un periodo más corto.",
	"There are no changes until the first hour of the range is over.": "" +
		"No hay variaciones hasta que acabe la primera hora del periodo.",
	"There are no sites yet. A site appears with its first event, or with this command:": "" +
		"Aún no hay sitios. Un sitio aparece con su primer evento, o con esta orden:",
	"There was no session in the last two days.": "No hubo ninguna sesión en los dos últimos días.",
	"There was no session that passes the filters in the last two days.": "" +
		"No hubo ninguna sesión que cumpla los filtros en los dos últimos días.",
	"This cannot be shown":                                "No se puede mostrar",
	"This command adds one:":                              "Esta orden añade uno:",
	"This command has it count them from then on:":        "Esta orden hace que los cuente desde entonces:",
	"This month":                                          "Este mes",
	"This view is filtered. It is only about what passes": "Esta vista está filtrada. Solo muestra lo que cumple",
	"This year":                                           "Este año",
	"Time on page":                                        "Tiempo en la página",
	"Time zone":                                           "Zona horaria",
	"Times are those of %s.":                              "Horas en la zona horaria %s.",
	"Today":                                               "Hoy",
	"Type":                                                "Tipo",
	"UTM content":                                         "Contenido UTM",
	"UTM contents":                                        "Contenidos UTM",
	"UTM media":                                           "Medios UTM",
	"UTM medium":                                          "Medio UTM",
	"UTM source":                                          "Fuente UTM",
	"UTM sources":                                         "Fuentes UTM",
	"UTM term":                                            "Término UTM",
	"UTM terms":                                           "Términos UTM",
	"Until":                                               "Hasta",
	"Value":                                               "Valor",
	"Views":                                               "Vistas",
	"Visitors":                                            "Visitantes",
	"Visitors are not known: the hours that had them have expired.": "" +
		"No se conocen los visitantes: las horas que los contenían han caducado.",
	"Visitors by day":                        "Visitantes por día",
	"Visitors of %s days: %s":                "Visitantes de %s días: %s",
	"Visitors with a ~ are estimates, ± %s.": "Los visitantes con ~ son estimaciones, ± %s.",
	"Visitors without a value are not counted. These are their sessions, with the share of all sessions.": "" +
		"Los visitantes sin valor no se cuentan. Estas son sus sesiones, con su cuota de todas las sesiones.",
	"What a recount is":                                "Qué es un recuento",
	"What each number means":                           "Qué significa cada cifra",
	"What filters select":                              "Qué seleccionan los filtros",
	"What this range had, if anything, has expired.":   "Lo que este periodo contenía, si algo contenía, ha caducado.",
	"Without raw events, one filter alone can be had:": "Sin eventos sin procesar solo es posible un filtro a la vez:",
	"Yesterday":                   "Ayer",
	"all times":                   "todas las fechas",
	"among the %s greatest of %s": "entre los %s mayores de %s",
	"and":                         "y",
	"before":                      "antes",
	"before %s":                   "antes del %s",
	"before: %s":                  "antes: %s",
	"begins with":                 "empieza por",
	"clipped by the range":        "recortado por el periodo",
	"compared with %s":            "en comparación con %s",
	"contains":                    "contiene",
	"current visitors":            "visitantes ahora",
	"data expired":                "datos caducados",
	"day":                         "día",
	"from %s":                     "desde %s",
	"from %s on":                  "a partir del %s",
	"has stopped":                 "se ha detenido",
	"has stopped at lost records": "se ha detenido en registros perdidos",
	"hour":                        "hora",
	"is":                          "es",
	"is behind":                   "va con retraso",
	"is not":                      "no es",
	"last 5 minutes: %s visitors, %s page views":               "últimos 5 minutos: %s visitantes, %s páginas vistas",
	"may lack up to %s events, from when the value had no row": "pueden faltar hasta %s eventos, de cuando el valor no tenía fila",
	"may lack up to %s page views, from minutes in which it was not among the busiest pages": "" +
		"pueden faltar hasta %s páginas vistas, de los minutos en que no estaba entre las páginas más vistas",
	"month":                           "mes",
	"new":                             "nuevo",
	"no change":                       "sin cambios",
	"nothing":                         "nada",
	"now":                             "ahora",
	"of which the first %s are shown": "de los que se muestran los primeros %s",
	"other":                           "otro",
	"range before":                    "periodo anterior",
	"sessions":                        "sesiones",
	"since %s":                        "desde el %s",
	"so far":                          "hasta ahora",
	"some data of the range has expired: figures are or may be too low": "" +
		"algunos datos del periodo han caducado: las cifras son o pueden ser demasiado bajas",
	"some of them of this site":            "algunos de ellos de este sitio",
	"the latest, whatever the range":       "las más recientes, sea cual sea el periodo",
	"visitors ± %s":                        "visitantes ± %s",
	"week":                                 "semana",
	"week of %s":                           "semana del %s",
	"which had events of this site lately": "que tuvo hace poco eventos de este sitio",
	"which may be of this site":            "que pueden ser de este sitio",
	"which may have events of this site":   "que puede tener eventos de este sitio",
	"year":                                 "año",
	"year before":                          "año anterior",
}
