// Package visitorid makes visitor ids for those who count visitors without cookies and may not store addresses. An id
// is a hash of site, address and user agent under a secret salt, a different one for each UTC day:
//
//	id = hex of the first 128 bits of HMAC-SHA-256(salt of the day, site | address | user agent)
//
// each of the three preceded by its length in bytes, 8 bytes big-endian, so that no two visitors are the same bytes.
// The package imports nothing of footfall: any collector can use it, and put the id into its events' visitorId.
//
// # What an id tells
//
// One visitor has one id per site and day. Ids of different sites never match, nor do those of different days: who
// comes on three days is three visitors. The uniques of a day are visitors, those of a longer range visitor-days.
// People behind one address with the same browser are one visitor; who changes either becomes another.
//
// A visit over midnight has two ids. To go on with it a collector looks the visitor up under two ids, that of the
// event's own time and that of half an hour before: they differ for half an hour after midnight only. See the example
// of Hasher. A visit that is not cut at midnight ties its two ids together in what is stored.
//
// # What it hides
//
// Whoever has the salt can find the address behind an id by trying all: there are 2^32 of IPv4, and the user agent is
// commonly stored beside the id. So all depends on the salt.
//
// [Hasher] draws the salts at random and forgets each 48 hours after its day began. From then on an id cannot be
// matched with an address by anyone, its makers included. Until then, who reads the process's memory or the salts'
// directory can.
//
// [Derived] computes the salts from one secret. Collectors that have the same secret agree, and a log that is read
// twice has the same ids. But who has the secret, now or in ten years, can find the addresses of all days: ids are
// pseudonyms for as long as any copy of it exists. Replacing a secret protects what came before only once the old
// one is destroyed.
package visitorid
