package config

// Mapped reports whether records are made events by a mapping.
func (e Event) Mapped() bool {
	return len(e.Map)+len(e.Set)+len(e.Default) > 0 || e.Preset+e.Properties+e.TimeUnit+e.TimeLayout+e.TimeZone != "" || e.DecimalComma
}

// mapping checks what does not depend on the fields of events. The commands check the rest.
func (v *validator) mapping(c *Config) {
	if p := c.Event.Properties; p != "" && p != "rest" {
		v.fault("event.properties", "%q is unknown: write rest, or leave it empty", p)
	}
	if c.Event.Mapped() && c.RawEvents == RawItems {
		v.fault("rawEvents", "items, and records are mapped by event.map: write packed or off, since items are written before a flush names "+
			"its mapping")
	}
}
