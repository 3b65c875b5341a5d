// Which names are the libraries' own: their version, and who sees them.
//
//   namespace recloser {
//   inline namespace RECLOSER_API {       // public headers: what they declare is exported by the shared libraries
//   inline namespace RECLOSER_INTERNAL {  // sources, private headers: everything else is not
//
// Users write `recloser::Policies`. The linker sees `recloser::v0_1::Policies`, so parts that were compiled with headers of another version
// are missing at link time instead of being taken for each other. It changes whenever the ABI does: docs/compatibility.md.
#ifndef RECLOSER_CORE_EXPORT_H_
#define RECLOSER_CORE_EXPORT_H_

#define RECLOSER_INTERNAL v0_1
#define RECLOSER_API v0_1 __attribute__((visibility("default")))

#endif  // RECLOSER_CORE_EXPORT_H_
