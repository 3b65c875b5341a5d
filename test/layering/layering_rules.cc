#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "rules.h"

namespace recloser::layering {
namespace {

bool StartsWith(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

/// Headers of the C++ library have neither a folder nor an extension.
bool IsStandard(const Include& include) { return include.angle && include.path.find_first_of("/.") == std::string::npos; }

struct IncludeBan {
  std::vector<std::string> where;   // prefixes of the files that it holds for
  std::vector<std::string> banned;  // prefixes of what they include
};

const std::vector<IncludeBan>& IncludeBans() {
  static const std::vector<IncludeBan> bans = {
      {{"lib/"}, {"grpc", "recloser/recloser.h", "recloser/channel.h", "recloser/call_options.h", "recloser/rejection.h"}},
      {{"interceptors/"}, {"prometheus", "recloser/prometheus/", "recloser/sim/", "recloser/page/", "civetweb", "CivetServer"}},
      {{"lib/page/"}, {"prometheus", "recloser/prometheus/", "recloser/sim/", "recloser/config/"}},
      {{"lib/", "interceptors/"}, {"recloser/demo/", "CLI/", "gtest/", "gmock/", "benchmark/"}},
  };
  return bans;
}

struct NameBan {
  std::vector<std::string> where;       // prefixes of the files that it holds for
  std::vector<std::string> exceptions;  // prefixes of those that it does not hold for
  std::string pattern;
  std::string why;
};

const std::vector<NameBan>& NameBans() {
  static const std::vector<NameBan> bans = {
      {{"lib/core/"},
       {},
       R"(steady_clock\s*::\s*now|system_clock|high_resolution_clock|absl\s*::\s*Now|GetCurrentTimeNanos|\btime\s*\(|gettimeofday|clock_gettime)",
       "the core reads a clock; take `now` as an argument"},
      {{"lib/core/"}, {}, R"(\w*([Ss]leep_?([Ff]or|[Uu]ntil)|\b(u|nano)?sleep\s*\())", "the core sleeps"},
      {{"lib/core/"},
       {},
       R"(std\s*::\s*(j?thread\b(?!\s*::\s*hardware_concurrency)|async\b)|\bpthread_create\b)",
       "the core starts a thread"},
      {{"lib/core/"},
       {"lib/core/src/shared_breaker", "lib/core/src/registry", "lib/core/src/link", "lib/core/src/policy_source",
        "lib/core/include/recloser/core/shared_breaker", "lib/core/include/recloser/core/registry", "lib/core/include/recloser/core/link",
        "lib/core/include/recloser/core/policy_source"},
       R"(std\s*::\s*\w*mutex\b)",
       "locks belong to the shell: shared_breaker, registry, link, policy_source"},
      {{"lib/core/"},
       {},
       R"(absl\s*::\s*Mutex)",
       "ThreadSanitizer does not understand the system's absl::Mutex, which is built without it; use std::mutex"},
      {{"lib/", "interceptors/"}, {}, R"(\bthrow\b(?!\s*\())", "the library throws; return a status"},
      {{"lib/", "interceptors/"},
       {},
       R"(std\s*::\s*(cout|cerr|clog|exit|abort|terminate)\b|\bf?printf\s*\(|\bLOG\s*\()",
       "the library prints or exits"},
      {{""},
       {"lib/prometheus/", "demo_services/", "test/prometheus/", "test/demo/", "test/packages/"},
       R"(\bprometheus\s*::)",
       "prometheus:: belongs to lib/prometheus and the demo services"},
  };
  return bans;
}

bool StartsWithAny(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) { return StartsWith(text, prefix); });
}

void CheckCoreIncludes(const SourceFile& file, const std::set<std::string>& private_headers, std::vector<Breach>* breaches) {
  for (const Include& include : file.includes) {
    const bool ours = StartsWith(include.path, "absl/") || StartsWith(include.path, "recloser/core/");
    const bool own = !include.angle && private_headers.count(include.path) > 0;
    if (!IsStandard(include) && !ours && !own) {
      breaches->push_back(
          {file.path, include.line, "lib/core includes " + include.path + "; it may include the C++ library, absl/ and itself only"});
    }
  }
}

void CheckIncludeBans(const SourceFile& file, std::vector<Breach>* breaches) {
  for (const IncludeBan& ban : IncludeBans()) {
    if (!StartsWithAny(file.path, ban.where)) continue;
    for (const Include& include : file.includes) {
      if (!StartsWithAny(include.path, ban.banned)) continue;
      breaches->push_back({file.path, include.line, "includes " + include.path + " of a layer that it must not know"});
    }
  }
}

void CheckNameBans(const SourceFile& file, std::vector<Breach>* breaches) {
  for (const NameBan& ban : NameBans()) {
    if (!StartsWithAny(file.path, ban.where) || StartsWithAny(file.path, ban.exceptions)) continue;
    const std::regex pattern(ban.pattern);
    for (std::sregex_iterator it(file.code.begin(), file.code.end(), pattern), end; it != end; ++it) {
      breaches->push_back({file.path, LineOf(file.code, static_cast<std::size_t>(it->position())), it->str() + ": " + ban.why});
    }
  }
}

}  // namespace

std::vector<Breach> CheckLayering(const std::vector<SourceFile>& files) {
  const std::string core_private = "lib/core/src/";
  std::set<std::string> private_headers;
  for (const SourceFile& file : files) {
    if (StartsWith(file.path, core_private) && file.IsHeader()) private_headers.insert(file.path.substr(core_private.size()));
  }
  std::vector<Breach> breaches;
  for (const SourceFile& file : files) {
    if (!file.IsCpp()) continue;
    if (StartsWith(file.path, "lib/core/")) {
      CheckCoreIncludes(file, private_headers, &breaches);  // says more than the bans
    } else {
      CheckIncludeBans(file, &breaches);
    }
    CheckNameBans(file, &breaches);
  }
  return breaches;
}

}  // namespace recloser::layering
