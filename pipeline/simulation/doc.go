// Package simulation holds TestSimulation, which runs pipelines under simulated faults on a fake clock. simulation_test.go says what a seed
// is and where to read on.
package simulation
