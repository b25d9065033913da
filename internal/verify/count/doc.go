// Package count counts by the definitions of docs/metrics.md: an hour, a day, a session, a visitor, a goal, each by
// itself, from one record after the other. It shares no code with the pipeline's fold. A value has two versions while
// its chain's last step is open (Cell). The package knows no chain and no table.
package count
