// TLS that does not come about: wrong certificates, and one side that speaks in the clear.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "certificates.h"
#include "judge.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

constexpr char kHost[] = "orders.test";

const Authority& Ours() {
  static const Authority ours;
  return ours;
}
const Authority& Strangers() {
  static const Authority strangers;
  return strangers;
}

std::shared_ptr<grpc::ServerCredentials> Serving(const Certificate& certificate) {
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({certificate.key, certificate.certificate});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> Trusting(const Authority& authority) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = authority.root();
  return grpc::SslCredentials(options);
}

Endpoint TlsEndpoint(const std::string& target, std::shared_ptr<grpc::ChannelCredentials> credentials) {
  Endpoint endpoint{target, std::move(credentials)};
  endpoint.arguments.SetSslTargetNameOverride(kHost);
  return endpoint;
}

// A server that the client does not come to terms with. It does not get better: `times` does not matter.
class Tls final : public Stage {
 public:
  Tls(const std::shared_ptr<grpc::ServerCredentials>& server, std::shared_ptr<grpc::ChannelCredentials> client)
      : server_([](const Seen&) { return Reply(); }, server), client_(std::move(client)) {}
  Endpoint endpoint() const override { return TlsEndpoint(server_.target(), client_); }
  int served() const override { return server_.attempts(); }

 private:
  ScriptedServer server_;
  const std::shared_ptr<grpc::ChannelCredentials> client_;
};

FaultRow Row(const char* fault, std::function<std::shared_ptr<grpc::ServerCredentials>()> server,
             std::function<std::shared_ptr<grpc::ChannelCredentials>()> client) {
  FaultRow row{fault, grpc::StatusCode::UNAVAILABLE, true, Outcome::kFailure,
               [server, client](int) { return std::make_unique<Tls>(server(), client()); }};
  row.lasts = true;
  return row;
}

}  // namespace

std::vector<FaultRow> TlsFaults() {
  const auto right = [] { return Serving(Ours().Issue(kHost)); };
  const auto trusting = [] { return Trusting(Ours()); };
  return {
      Row(
          "a certificate of an unknown authority", [] { return Serving(Strangers().Issue(kHost)); }, trusting),
      Row(
          "a certificate for another host", [] { return Serving(Ours().Issue("other.test")); }, trusting),
      Row(
          "an expired certificate", [] { return Serving(Ours().Issue(kHost, -1)); }, trusting),
      Row("a client in the clear, a server with TLS", right, [] { return grpc::InsecureChannelCredentials(); }),
      Row(
          "a client with TLS, a server in the clear", [] { return grpc::InsecureServerCredentials(); }, trusting),
  };
}

namespace {

TEST(WireTls, TheRightCertificateIsNoFault) {
  const Tls stage(Serving(Ours().Issue(kHost)), Trusting(Ours()));
  const Witness witness;
  EXPECT_TRUE(Call(Form::kSync, BareChannel(stage.endpoint())).status.ok());
  EXPECT_TRUE(Call(Form::kSync, RecloserChannel(Attach::kDecorator, stage.endpoint(), FastRetries(), witness.registry())).status.ok());
  EXPECT_EQ(stage.served(), 2);
}

TEST(WireTls, FaultsAreJudged) { JudgeAll(TlsFaults()); }

TEST(WireTls, SoTheyAreInEveryForm) { JudgeInEveryForm(TlsFaults(), {"a certificate of an unknown authority"}); }

// A wrong certificate is rolled out, and taken back.
TEST(WireTls, ABreakerOpensOnAWrongCertificateAndClosesWhenItIsMended) {
  const auto right = Serving(Ours().Issue(kHost));
  for (const Attach attach : kBothAttachments) {
    auto server = std::make_unique<ScriptedServer>([](const Seen&) { return Reply(); }, right);
    const std::string target = server->target();
    const Witness witness;
    const auto channel = RecloserChannel(attach, TlsEndpoint(target, Trusting(Ours())), TouchyBreaker(), witness.registry());
    EXPECT_TRUE(Call(Form::kSync, channel).status.ok());
    server->Stop();
    {
      const ScriptedServer wrong([](const Seen&) { return Reply(); }, Serving(Strangers().Issue(kHost)), target);
      EXPECT_TRUE(Eventually([&] { return Call(Form::kSync, channel).trailers.count(kRejectedByTrailer) > 0; }));
      EXPECT_EQ(witness.breaker()->state(), BreakerState::kOpen);
      EXPECT_EQ(wrong.attempts(), 0);
    }
    server->Start();
    EXPECT_TRUE(Eventually([&] { return Call(Form::kSync, channel).status.ok() && witness.breaker()->state() == BreakerState::kClosed; }));
    witness.ExpectAllEnded();
  }
}

}  // namespace
}  // namespace recloser::testing
