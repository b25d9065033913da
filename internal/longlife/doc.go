// Package longlife holds the test that a table stays small and cheap to read over years: of a simulated site with changes of clocks,
// renamed sites, changed zones and retention, deploys and migrations. It counts the bytes of each kind of item and the read units of
// takeovers and questions.
package longlife
