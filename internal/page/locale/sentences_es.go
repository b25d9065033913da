package locale

// spanishSentences are whole sentences in Spanish, by those in English.
var spanishSentences = map[string]string{
	"%s {value has|values have} as many. (others) are those after this page or with fewer, and what any value did while it had no " +
		"row.": "" +
		"%s {valor llega|valores llegan} a ese número. (otros) reúne los que siguen a esta página o tienen menos, y lo que hizo " +
		"cualquier valor mientras no tenía fila.",
	"Commas separate several values.": "Separe varios valores con comas.",
	"Funnels and paths cannot be filtered by page, event, type or property.": "" +
		"Los embudos y los recorridos no se pueden filtrar por página, evento, tipo o propiedad.",
	"No event passes the filters in this range.":   "Ningún evento cumple los filtros en este periodo.",
	"No session passes the filters in this range.": "Ninguna sesión cumple los filtros en este periodo.",
	"Now cannot be filtered: this is all traffic.": "«Ahora» no se puede filtrar: este es todo el tráfico.",
	"%s {event is|events are} beyond the site's budget: {it is|they are} in no session and no list.": "" +
		"%s {evento supera|eventos superan} el cupo del sitio: no {figura|figuran} en ninguna sesión ni lista.",
	"%s {event is|events are} in no list.": "%s {evento no figura|eventos no figuran} en ninguna lista.",
	"%s {event is|events are} in no list: {it was|they were} beyond the site's budget, or came while breakdowns were off, or " +
		"{is|are} being " +
		"written.": "" +
		"%s {evento no figura|eventos no figuran} en ninguna lista: {superaba|superaban} el cupo del sitio, {llegó|llegaron} " +
		"mientras los desgloses estaban " +
		"desactivados o se {está|están} escribiendo.",
	"%s {event is|events are} of pages that the site excludes, and in no other figure.": "" +
		"%s {evento es|eventos son} de páginas que el sitio excluye y no {figura|figuran} en ninguna otra cifra.",
	"%s {event of bots is|events of bots are} in no figure.": "%s {evento de bots no figura|eventos de bots no figuran} en ninguna " +
		"cifra.",
	"%s raw {event is|events are} missing.": "{Falta|Faltan} %s {evento|eventos} sin procesar.",
	"%s {value has|values have} a row in this range. (others) are those after this page, and what any value did while it had no " +
		"row.": "" +
		"%s {valor tiene|valores tienen} una fila en este periodo. (otros) reúne los que siguen a esta página y lo que hizo cualquier " +
		"valor mientras no tenía fila.",
	"A funnel is computed from raw events when it is opened.": "" +
		"Un embudo se calcula a partir de los eventos sin procesar al abrirlo.",
	"A value that no list names has at most %s {event|events}.": "Un valor que no figura en ninguna lista tiene como máximo %s " +
		"{evento|eventos}.",
	"A value without a row has at most %s {event|events}.": "Un valor sin fila tiene como máximo %s {evento|eventos}.",
	"Computed from %s raw {event|events} for %s read {unit|units}; %s {was|were} estimated before.": "" +
		"Calculado a partir de %s {evento|eventos} sin procesar con %s {unidad|unidades} de lectura; la estimación era de %s.",
	"Computed from %s raw {event|events} of both ranges for %s read {unit|units}; %s {was|were} estimated before.": "" +
		"Calculado a partir de %s {evento|eventos} sin procesar de ambos periodos con %s {unidad|unidades} de lectura; la " +
		"estimación era de %s.",
	"Computed from raw events.":              "Calculado a partir de los eventos sin procesar.",
	"Days are those of %s, the site's zone.": "Días en la zona horaria del sitio: %s.",
	"Days are those of %s.":                  "Días en la zona horaria %s.",
	"Days are those of each site's own zone. Change is that of page views since the range before.": "" +
		"Días en la zona horaria de cada sitio. La variación es la de las páginas vistas respecto al periodo anterior.",
	"Each minute counts its %s busiest pages one by one, and this list has the %s busiest of all. Views of other pages " +
		"are in (others).": "" +
		"Cada minuto cuenta una a una sus %s páginas más vistas, y esta lista contiene las %s más vistas en total. Las " +
		"vistas de otras páginas están en (otros).",
	"Figures are those of the last flush of each partition: events of the last seconds or minutes may be missing.": "" +
		"Las cifras son las de la última escritura de cada partición: pueden faltar eventos de los últimos segundos o " +
		"minutos.",
	"It could not compare all of its range, so it says nothing of these figures.": "" +
		"No pudo comparar todo su periodo, así que no dice nada de estas cifras.",
	"It is of another range than these figures.": "Es de un periodo distinto al de estas cifras.",
	"Last recount at %s, range: %s: %s.":         "Último recuento el %s, periodo: %s: %s.",
	"New visitors are those since %s, when the site began to count them.": "" +
		"Los visitantes nuevos son los contados desde el %s, cuando el sitio empezó a contarlos.",
	"No event in this range passes the filters.": "Ningún evento de este periodo cumple los filtros.",
	"No events in this range.":                   "No hay eventos en este periodo.",
	"No page was viewed in the last 5 minutes.":  "No se vio ninguna página en los últimos 5 minutos.",
	"No recount is recorded yet.":                "Aún no hay ningún recuento registrado.",
	"None in this range.":                        "Nada en este periodo.",
	"Not known.":                                 "Se desconoce.",
	"Not known: raw events do not say it for this range, or have too many values.": "" +
		"Se desconoce: los eventos sin procesar no lo indican para este periodo o tienen demasiados valores.",
	"Not known: the site did not count new visitors in all of this range.": "" +
		"Se desconoce: el sitio no contó los visitantes nuevos en todo este periodo.",
	"Not read: it needs raw events.": "No leído: requiere eventos sin procesar.",
	"Nothing is compared: reading both ranges would cost about %s read {unit|units}, more than this page reads.": "" +
		"Sin comparación: leer ambos periodos costaría unas %s {unidad|unidades} de lectura, más de las que lee esta página.",
	"Nothing is compared: the earlier range cannot be read for this page.": "" +
		"Sin comparación: el periodo anterior no se puede leer para esta página.",
	"Nothing is compared: the earlier range lacks raw events.": "" +
		"Sin comparación: faltan eventos sin procesar en el periodo anterior.",
	"Nothing is compared: the raw events of the earlier range have expired.": "" +
		"Sin comparación: los eventos sin procesar del periodo anterior han caducado.",
	"Nothing is compared: the site has no data before %s.": "Sin comparación: el sitio no tiene datos anteriores al %s.",
	"Numbers of visitors with a ~ are estimates. ± is their relative standard error.": "" +
		"Los números de visitantes con ~ son estimaciones. ± es su error estándar relativo.",
	"Numbers with a ~ are estimates with a relative standard error of %s.": "" +
		"Los números con ~ son estimaciones con un error estándar relativo del %s.",
	"Partition %s, %s, %s. It is counted up to records of %s.": "La partición %s, %s, %s. Está contada hasta los registros del %s.",
	"Paths are computed from raw events when they are opened.": "Los recorridos se calculan a partir de eventos sin procesar al " +
		"abrirlos.",
	"Raw events are not there for this range, or do not say it.": "No hay eventos sin procesar de este periodo, o no lo indican.",
	"Raw events, which these figures need, are kept for %s {day|days}: some or all of this range is older.": "" +
		"Los eventos sin procesar que requieren estas cifras se conservan %s {día|días}: todo o parte de este periodo es " +
		"anterior.",
	"Read at %s, for %s read {unit|units}.": "Leído a las %s, con %s {unidad|unidades} de lectura.",
	"Read at %s.":                           "Leído a las %s.",
	"Read for %s read {unit|units}.":        "Leído con %s {unidad|unidades} de lectura.",
	"Reading the %s raw {event|events} of this range would cost about %s read {unit|units}. This page reads at most what %s packed " +
		"{one costs|ones cost}.": "Leer {el|los} %s {evento|eventos} sin procesar de este periodo costaría unas %s {unidad|unidades} " +
		"de lectura. Esta página lee como " +
		"máximo lo que cuestan %s {evento empaquetado|eventos empaquetados}.",
	"Realtime figures and new visitors cannot be filtered: remove the filters to see them.": "" +
		"Las cifras en tiempo real y los visitantes nuevos no se pueden filtrar: elimine los filtros para " +
		"verlos.",
	"Realtime is switched off for this site.": "El tiempo real está desactivado para este sitio.",
	"Records that came after it may have changed these figures.": "" +
		"Los registros que llegaron después pueden haber cambiado estas cifras.",
	"Recounted at %s, range: %s: %s.": "Recontado el %s, periodo: %s: %s.",
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
	"The filter by a goal cannot be applied: %s.": "" +
		"No se puede aplicar el filtro por objetivo: %s.",
	"The filter by a goal cannot be applied: the site has no active goal of this id.": "" +
		"No se puede aplicar el filtro por objetivo: el sitio no tiene ningún objetivo activo con este identificador.",
	"Scope: sessions whose first event passes, with their events that pass.": "" +
		"Alcance: las sesiones cuyo primer evento cumple los filtros, con sus eventos que los cumplen.",
	"Sessions of a row may lack up to %s, which are in (others).": "" +
		"A una fila le {puede|pueden} faltar hasta %s {sesión, que está|sesiones, que están} en (otros).",
	"Shares of visitors are of ~%s, an estimate of all visitors in the lists.": "" +
		"Las cuotas de visitantes se refieren a ~%s, una estimación de todos los visitantes de las listas.",
	"Some hours or days of the earlier range have expired: changes are or may be too high.": "" +
		"Algunas horas o días del periodo anterior han caducado: las variaciones son o pueden ser demasiado altas.",
	"Some hours or days of this range have expired: its totals are or may be too low.": "" +
		"Algunas horas o días de este periodo han caducado: sus totales son o pueden ser demasiado bajos.",
	"Some or all of the raw events of this range, which these figures need, have expired.": "" +
		"Algunos o todos los eventos sin procesar de este periodo que requieren estas cifras han caducado.",
	"The counting of some records, %s, %s. They are counted up to %s.": "" +
		"El recuento de algunos registros, %s, %s. Están contados hasta el %s.",
	"The earlier range ends at a full hour, %s. It has all of its last hour; this range has what has passed of that " +
		"hour, so changes are a little too low until it is over.": "" +
		"El periodo anterior termina a una hora en punto, %s. Contiene toda su última hora; este periodo solo lo " +
		"transcurrido de ella, así que las variaciones son algo bajas hasta que acabe.",
	"The graph ends early: the range has more than %s {bucket|buckets}. Choose larger ones.": "" +
		"El gráfico termina antes: el periodo tiene más de %s {intervalo|intervalos}. Elija unos mayores.",
	"The range is not over: its figures, and the dashed end of the graph, are those so far.": "" +
		"El periodo no ha terminado: sus cifras y el final discontinuo del gráfico son los de hasta ahora.",
	"The raw events of this range are too many for this page: choose a shorter range.": "" +
		"Este periodo tiene demasiados eventos sin procesar para esta página: elija uno más corto.",
	"The site does not count new visitors.":             "El sitio no cuenta los visitantes nuevos.",
	"The site does not keep a list of recent sessions.": "El sitio no guarda una lista de sesiones recientes.",
	"The site has data from %s.":                        "El sitio tiene datos del periodo %s.",
	"The site has data only from %s on: figures of before are unknown, and changes since that day or earlier ones have " +
		"no percentages.": "" +
		"El sitio solo tiene datos a partir del %s: las cifras anteriores se desconocen, y las variaciones desde ese día " +
		"o antes no tienen porcentaje.",
	"The site has no funnels.": "El sitio no tiene embudos.",
	"The site has no goals.":   "El sitio no tiene objetivos.",
	"The totals are from breakdowns. The lists need raw events.": "" +
		"Los totales proceden de los desgloses. Las listas requieren eventos sin procesar.",
	"The totals may lack up to %s {event|events}.": "A los totales les {puede|pueden} faltar hasta %s {evento|eventos}.",
	"There are more: choose a shorter range.":      "Hay más: elija un periodo más corto.",
	"There are no changes until the first hour of the range is over.": "" +
		"No hay variaciones hasta que acabe la primera hora del periodo.",
	"There was no session in the last two days.": "No hubo ninguna sesión en los dos últimos días.",
	"There was no session that passes the filters in the last two days.": "" +
		"No hubo ninguna sesión que cumpla los filtros en los dos últimos días.",
	"Times are those of %s.": "Horas en la zona horaria %s.",
	"Visitors are not known: the hours that had them have expired.": "" +
		"No se conocen los visitantes: las horas que los contenían han caducado.",
	"Visitors with a ~ are estimates, ± %s.": "Los visitantes con ~ son estimaciones, ± %s.",
	"Visitors without a value are not counted. These are their sessions, with the share of all sessions.": "" +
		"Los visitantes sin valor no se cuentan. Estas son sus sesiones, con su cuota de todas las sesiones.",
	"What this range had, if anything, has expired.": "Lo que este periodo contenía, si algo contenía, ha caducado.",
	"Total of %s {site|sites}": "" +
		"Total de %s {sitio|sitios}",
	"Visitors of several sites cannot be added: one may have been at several.": "" +
		"Los visitantes de varios sitios no se pueden sumar: uno pudo visitar varios.",
	"Save as a segment": "" +
		"Guardar como segmento",
	"This command saves the filters, with a name instead of NAME:": "" +
		"Este comando guarda los filtros, con un nombre en lugar de NAME:",
}
