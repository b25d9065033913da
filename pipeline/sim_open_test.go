package pipeline_test

// openFaults are seeds that meet a fault of the product which is known and not mended yet, some of the time. They run only by
// -seed, and the list must be empty again.
var openFaults = map[uint64]string{
	109: "after an accepted gap, the breakdown of an hour with a journal lacks rows that sessions take back, and the partition panics",
}
