#include "demo_services/common/flags.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "recloser/core/validation.h"

namespace recloser::demo {
namespace {

[[noreturn]] void Refuse(const std::string& name, const std::string& text, const std::string& allowed) {
  throw CLI::ValidationError(name, absl::StrCat("\"", text, "\" is not allowed; must be ", allowed));
}

}  // namespace

std::optional<int> ParseFlags(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return BadFlags(app, error.what());
  }
  return std::nullopt;
}

int BadFlags(const CLI::App& app, absl::string_view message) {
  std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), absl::StrReplaceAll(message, {{"\n", " "}}).c_str());
  return kExitBadFlags;
}

CLI::Option* AddNumber(CLI::App& app, const std::string& name, double* value, double low, double high, const std::string& help) {
  const auto parse = [=](const std::string& text) {
    double number = 0;
    // Written so that NaN is refused.
    if (!absl::SimpleAtod(text, &number) || !(number >= low && number <= high)) {
      Refuse(name, text, absl::StrCat("a number from ", low, " to ", high));
    }
    *value = number;
  };
  return app.add_option_function<std::string>(name, parse, help)->default_str(absl::StrCat(*value))->type_name("NUMBER");
}

CLI::Option* AddInteger(CLI::App& app, const std::string& name, int* value, int low, int high, const std::string& help) {
  const auto parse = [=](const std::string& text) {
    int number = 0;
    if (!absl::SimpleAtoi(text, &number) || number < low || number > high) {
      Refuse(name, text, absl::StrCat("a whole number from ", low, " to ", high));
    }
    *value = number;
  };
  return app.add_option_function<std::string>(name, parse, help)->default_str(absl::StrCat(*value))->type_name("NUMBER");
}

CLI::Option* AddSeed(CLI::App& app, const std::string& name, std::uint64_t* value, const std::string& help) {
  const auto parse = [=](const std::string& text) {
    std::uint64_t number = 0;
    if (!absl::SimpleAtoi(text, &number)) Refuse(name, text, "a whole number from 0 to 18446744073709551615");
    *value = number;
  };
  return app.add_option_function<std::string>(name, parse, help)->default_str(absl::StrCat(*value))->type_name("NUMBER");
}

CLI::Option* AddDuration(CLI::App& app, const std::string& name, Duration* value, Duration low, Duration high, const std::string& help) {
  const auto parse = [=](const std::string& text) {
    absl::Duration duration;
    if (!absl::ParseDuration(text, &duration) || duration < absl::FromChrono(low) || duration > absl::FromChrono(high)) {
      Refuse(name, text, absl::StrCat("a duration from ", FormatDuration(low), " to ", FormatDuration(high), ", with its unit"));
    }
    *value = absl::ToChronoNanoseconds(duration);
  };
  return app.add_option_function<std::string>(name, parse, help)->default_str(FormatDuration(*value))->type_name("DURATION");
}

CLI::Option* AddAddress(CLI::App& app, const std::string& name, std::string* value, bool may_be_off, const std::string& help) {
  const auto parse = [=](const std::string& text) {
    const std::size_t colon = text.rfind(':');
    int port = -1;
    const bool is_address =
        colon != std::string::npos && colon > 0 && absl::SimpleAtoi(text.substr(colon + 1), &port) && port >= 0 && port <= 65535;
    if (!is_address && !(may_be_off && text == "off")) {
      Refuse(name, text, absl::StrCat("host:port with a port from 0 (any free one) to 65535", may_be_off ? ", or off" : ""));
    }
    *value = text;
  };
  return app.add_option_function<std::string>(name, parse, help)->default_str(*value)->type_name("ADDRESS");
}

bool IsWritable(const std::string& path) { return std::ofstream(path, std::ios::app).is_open(); }

}  // namespace recloser::demo
