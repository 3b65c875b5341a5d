#include "empty_lists.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "protobuf_versions.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using google::protobuf::io::Tokenizer;

/// The text is known to be well-formed; what JSON has and the tokenizer has not does not concern it.
class Unconcerned : public ParseErrorCollector {
 public:
  void OnError(int, int, absl::string_view) override {}
};

bool IsKey(const Tokenizer::Token& token) { return token.type == Tokenizer::TYPE_IDENTIFIER || token.type == Tokenizer::TYPE_STRING; }

std::string Unquoted(const Tokenizer::Token& token) {
  return token.type == Tokenizer::TYPE_STRING ? token.text.substr(1, token.text.size() - 2) : token.text;
}

}  // namespace

std::optional<std::string> FindEmptyList(absl::string_view text) {
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  Unconcerned errors;
  Tokenizer tokens(&stream, &errors);
  tokens.set_comment_style(Tokenizer::SH_COMMENT_STYLE);
  std::string key;
  while (tokens.Next()) {
    if (IsKey(tokens.current())) key = Unquoted(tokens.current());
    if (tokens.current().text == "]" && tokens.previous().text == "[") return key;
  }
  return std::nullopt;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
