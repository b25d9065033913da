package passing

// texts keeps one copy of each text.
type texts map[string]string

// keep returns a text that shares no memory with the item that it is from.
func (t texts) keep(text string) string {
	own, ok := t[text]
	if !ok {
		own = string([]byte(text))
		t[own] = own
	}
	return own
}

// keepAll is keep for several.
func (t texts) keepAll(all []string) []string {
	kept := make([]string, len(all))
	for i, text := range all {
		kept[i] = t.keep(text)
	}
	return kept
}
