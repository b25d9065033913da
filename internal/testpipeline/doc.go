// Package testpipeline has the world in which tests run pipelines, the records that they publish, and the faults that they meet. The tests
// of package pipeline use it, and so do those of pipeline/answers and pipeline/simulation, which package pipeline's must not import.
package testpipeline
