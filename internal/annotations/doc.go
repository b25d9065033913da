// Package annotations keeps notes about instants of sites, such as a release or an outage, which graphs show.
package annotations
