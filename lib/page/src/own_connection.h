// Connections of the web server to itself, which make civetweb stop as it should.
#ifndef RECLOSER_PAGE_SRC_OWN_CONNECTION_H_
#define RECLOSER_PAGE_SRC_OWN_CONNECTION_H_

#include <string>

namespace recloser::page {

/// Opens a connection and drops it: what waits for one wakes up.
void Knock(const std::string& address, int port);

/// Asks for something and waits for the answer, at most 200 ms: connections are served in order, so those that came before are being
/// served.
void WaitForTurn(const std::string& address, int port);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_OWN_CONNECTION_H_
