package locale

// titles are those of dimensions, of lists of their values and of figures in German, Spanish and French, by those in English.
var titles = map[string][3]string{
	"Hostname":    {"Hostname", "Nombre de host", "Nom d’hôte"},
	"Page":        {"Seite", "Página", "Page"},
	"Channel":     {"Kanal", "Canal", "Canal"},
	"UTM source":  {"UTM-Quelle", "Fuente UTM", "Source UTM"},
	"UTM medium":  {"UTM-Medium", "Medio UTM", "Support UTM"},
	"UTM content": {"UTM-Content", "Contenido UTM", "Contenu UTM"},
	"UTM term":    {"UTM-Begriff", "Término UTM", "Terme UTM"},
	"Country":     {"Land", "País", "Pays"},
	"Region":      {"Region", "Región", "Région"},
	"City":        {"Stadt", "Ciudad", "Ville"},
	"Device":      {"Gerät", "Dispositivo", "Appareil"},
	"Browser":     {"Browser", "Navegador", "Navigateur"},
	"Event":       {"Ereignis", "Evento", "Événement"},

	"Sources":      {"Quellen", "Fuentes", "Sources"},
	"Channels":     {"Kanäle", "Canales", "Canaux"},
	"Campaigns":    {"Kampagnen", "Campañas", "Campagnes"},
	"Views":        {"Aufrufe", "Vistas", "Vues"},
	"Entries":      {"Einstiege", "Entradas", "Entrées"},
	"Exits":        {"Ausstiege", "Salidas", "Sorties"},
	"Countries":    {"Länder", "Países", "Pays"},
	"Regions":      {"Regionen", "Regiones", "Régions"},
	"Cities":       {"Städte", "Ciudades", "Villes"},
	"Devices":      {"Geräte", "Dispositivos", "Appareils"},
	"Browsers":     {"Browser", "Navegadores", "Navigateurs"},
	"Systems":      {"Systeme", "Sistemas", "Systèmes"},
	"Hostnames":    {"Hostnamen", "Nombres de host", "Noms d’hôte"},
	"UTM sources":  {"UTM-Quellen", "Fuentes UTM", "Sources UTM"},
	"UTM media":    {"UTM-Medien", "Medios UTM", "Supports UTM"},
	"UTM contents": {"UTM-Contents", "Contenidos UTM", "Contenus UTM"},
	"UTM terms":    {"UTM-Begriffe", "Términos UTM", "Termes UTM"},

	"Visitors":          {"Besucher", "Visitantes", "Visiteurs"},
	"Page views":        {"Seitenaufrufe", "Páginas vistas", "Pages vues"},
	"Sessions":          {"Sitzungen", "Sesiones", "Sessions"},
	"Bounce rate":       {"Absprungrate", "Tasa de rebote", "Taux de rebond"},
	"Avg. duration":     {"Ø Dauer", "Duración media", "Durée moyenne"},
	"Pages per session": {"Seiten pro Sitzung", "Páginas por sesión", "Pages par session"},
	"Value":             {"Wert", "Valor", "Valeur"},
	"Conversions":       {"Conversions", "Conversiones", "Conversions"},
	"New visitors":      {"Neue Besucher", "Visitantes nuevos", "Nouveaux visiteurs"},
	"Returning":         {"Wiederkehrende", "Recurrentes", "Récurrents"},
	"Events":            {"Ereignisse", "Eventos", "Événements"},
}

// titled are titles in the language of this place, as texts.
func titled(place int) map[string]string {
	all := make(map[string]string, len(titles))
	for english, others := range titles {
		all[english] = others[place]
	}
	return all
}
