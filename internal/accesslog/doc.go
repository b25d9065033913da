// Package accesslog reads the lines of access logs of all kinds into [Line].
//
//	line ─ prefix (syslog, containers, journal) ─┬─ layout   words of nginx, Apache and GoAccess
//	                                             ├─ W3C      columns by a #Fields header
//	                                             └─ JSON     a table of keys for each format
//
// [Reader] reads lines of one format, or of whichever reads them. [Detect] finds the format of first lines, and the nearest one where none
// reads them. Nothing here makes events or sessions: package produce does.
//
// Files: line.go a line and its checks; request.go, text.go, times.go its parts; layout.go and words.go layouts, match.go lines by them;
// formats.go the list of formats; w3c.go; jsonlines.go and jsonkeys.go; prefix.go and envelope.go prefixes; reader.go and detect.go.
package accesslog
