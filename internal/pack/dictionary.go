package pack

import _ "embed"

// dictionaryID is the number of the dictionary that packs are written with. A pack has it, and its frame as well. The dictionary must
// never change: another one gets another number, and readers keep this one.
const dictionaryID = 1

// dictionary is what a pack's bytes may repeat, as the raw content of a dictionary of Zstandard: what most raw events have, the most
// frequent last.
//
//go:embed dictionary.txt
var dictionary []byte
