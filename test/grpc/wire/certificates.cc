#include "certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdlib>

namespace recloser::testing {
namespace {

constexpr long kDay = 24 * 60 * 60;
constexpr char kIssuer[] = "root of the tests";

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;

// OpenSSL's functions return 1, or a pointer.
template <class T>
T Must(T result) {
  if (!result) std::abort();
  return result;
}

KeyPtr MakeKey() { return {Must(EVP_EC_gen("P-256")), &EVP_PKEY_free}; }

void SetName(X509_NAME* name, const std::string& text) {
  Must(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0));
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* const extension = Must(X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str()));
  Must(X509_add_ext(certificate, extension, -1));
  X509_EXTENSION_free(extension);
}

// From two days ago until in `days` days.
CertificatePtr Make(const std::string& subject, EVP_PKEY* key, int days, int extension, const std::string& value, EVP_PKEY* signer) {
  static long serial = 0;
  CertificatePtr certificate(Must(X509_new()), &X509_free);
  Must(X509_set_version(certificate.get(), 2));
  Must(ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial));
  Must(X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -2 * kDay));
  Must(X509_gmtime_adj(X509_getm_notAfter(certificate.get()), days * kDay));
  SetName(X509_get_subject_name(certificate.get()), subject);
  SetName(X509_get_issuer_name(certificate.get()), kIssuer);
  Must(X509_set_pubkey(certificate.get(), key));
  AddExtension(certificate.get(), extension, value);
  Must(X509_sign(certificate.get(), signer, EVP_sha256()));
  return certificate;
}

template <class Write>
std::string Pem(const Write& write) {
  BIO* const memory = Must(BIO_new(BIO_s_mem()));
  Must(write(memory));
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(memory);
  return text;
}

std::string Pem(X509* certificate) {
  return Pem([certificate](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

}  // namespace

struct Authority::Key {
  KeyPtr key = MakeKey();
};

Authority::Authority()
    : key_(std::make_unique<Key>()),
      root_(Pem(Make(kIssuer, key_->key.get(), 1, NID_basic_constraints, "critical,CA:TRUE", key_->key.get()).get())) {}

Authority::~Authority() = default;

Certificate Authority::Issue(const std::string& host, int days) const {
  const KeyPtr key = MakeKey();
  const CertificatePtr certificate = Make(host, key.get(), days, NID_subject_alt_name, "DNS:" + host, key_->key.get());
  return {Pem(certificate.get()),
          Pem([&](BIO* out) { return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); })};
}

}  // namespace recloser::testing
