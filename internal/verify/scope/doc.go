// Package scope says what is verified, and under which decisions: the table, the topic, the part of the sites, the
// span of time; rules of sites by revision, settings of steps, and erasures.
package scope
