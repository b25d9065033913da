// Package funnelcount counts how far visitors get in a funnel, from raw events: all of a range, or those that pass filters.
package funnelcount
