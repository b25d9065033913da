// Package cohorts answers questions of package retention. Days count the visitors who come back, so it reads the days of the weeks, and no
// visitors.
package cohorts
