// Sockets on the loopback address.
#ifndef RECLOSER_TEST_GRPC_WIRE_LOOPBACK_H_
#define RECLOSER_TEST_GRPC_WIRE_LOOPBACK_H_

#include <string>

namespace recloser::testing {

/// A listening, non-blocking socket; `*port` 0: a free one, which is then told. Ends the program when there is none.
int ListenOnLoopback(int* port);
/// A connection that was waiting, non-blocking; -1: none.
int AcceptOne(int listener);
/// A connection to a loopback port, non-blocking; -1: refused.
int ConnectToLoopback(int port);
/// Closes it with a FIN, also where something was not read, or with a RST.
void CloseSocket(int socket, bool reset);
/// The port of "127.0.0.1:port".
int PortOf(const std::string& target);
std::string LoopbackTarget(int port);

/// Ends another thread's poll.
class Waker {
 public:
  Waker();
  ~Waker();
  int socket() const { return ends_[0]; }
  void Wake();
  void Clear();

 private:
  int ends_[2];
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_LOOPBACK_H_
