// Package numbers computes rates and means, and formats decimals.
package numbers
