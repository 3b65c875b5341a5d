// Certificates for tests of TLS, made when they are needed.
#ifndef RECLOSER_TEST_GRPC_WIRE_CERTIFICATES_H_
#define RECLOSER_TEST_GRPC_WIRE_CERTIFICATES_H_

#include <memory>
#include <string>

namespace recloser::testing {

/// A certificate and its private key, in PEM.
struct Certificate {
  std::string certificate;
  std::string key;
};

/// A root of its own, which signs.
class Authority {
 public:
  Authority();
  ~Authority();

  const std::string& root() const { return root_; }  // PEM
  /// For a server of that name. `days` negative: it has expired.
  Certificate Issue(const std::string& host, int days = 1) const;

 private:
  struct Key;
  std::unique_ptr<Key> key_;
  std::string root_;
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_CERTIFICATES_H_
