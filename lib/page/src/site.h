// What is answered to which request.
//
// Thread safety: `Handle` from any thread.
#ifndef RECLOSER_PAGE_SRC_SITE_H_
#define RECLOSER_PAGE_SRC_SITE_H_

#include <memory>
#include <string>

#include "course.h"
#include "event_log.h"
#include "http.h"
#include "recloser/core/registry.h"
#include "recloser/core/time.h"
#include "recloser/page/status_page.h"

namespace recloser::page {

class Site {
 public:
  /// `log` and `course` outlive it.
  Site(const StatusPageOptions& options, std::weak_ptr<Registry> registry, StatusPage::Clock clock, const EventLog& log,
       const SampledCourse& course);

  /// Never throws: what goes wrong is a 500.
  HttpResponse Handle(const HttpRequest& request) const noexcept;

 private:
  HttpResponse Answer(const HttpRequest& request) const;
  HttpResponse Status(const std::string& query) const;
  HttpResponse Course(const std::string& query) const;
  HttpResponse Control(const HttpRequest& request) const;

  const StatusPageOptions options_;
  const std::weak_ptr<Registry> registry_;
  const StatusPage::Clock clock_;
  const Time started_;
  const EventLog& log_;
  const SampledCourse& course_;
};

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_SITE_H_
