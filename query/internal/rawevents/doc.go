// Package rawevents reads the raw events of a site, items and packs, as one sequence in the order of the log. It knows which of them the
// table must have, what it costs to read them, and why some are missing.
package rawevents
