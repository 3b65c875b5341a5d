// nginx as a process of the test's own, in a folder of its own, on Unix sockets: no port that something else could take.
#ifndef RECLOSER_TEST_GRPC_WIRE_NGINX_H_
#define RECLOSER_TEST_GRPC_WIRE_NGINX_H_

#include <sys/types.h>

#include <string>

namespace recloser::testing {

class Nginx {
 public:
  /// `server`: the directives of its one server, "location / { grpc_pass ...; }". Ends the program when nginx does not come up.
  explicit Nginx(const std::string& server);
  ~Nginx();

  /// Whether there is one on this machine.
  static bool IsInstalled();
  /// For a channel.
  std::string target() const { return "unix:" + socket(); }
  /// Other directives, followed without a break: new workers take over, the old ones finish their calls and end.
  void Reload(const std::string& server);

 private:
  std::string socket() const { return folder_ + "/front"; }
  std::string Configure(const std::string& server) const;

  std::string folder_;
  pid_t pid_ = -1;
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_NGINX_H_
