// The bounded history behind the charts, in virtual time.
#include "course.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "page_fixture.h"

namespace recloser::page {
namespace {

using testing::ElementsAre;

class CourseOfBreakers : public PageFixture {
 protected:
  void Sample(Duration after) {
    Advance(after);
    course_.Sample(*registry_, Now());
  }

  SampledCourse course_{4, std::chrono::seconds(4), Time(std::chrono::hours(1))};
};

TEST_F(CourseOfBreakers, IsBoundedAndNumbered) {
  Breaker("a.B", "Get");
  for (int i = 0; i < 10; ++i) Sample(std::chrono::seconds(1));
  const v1::Course all = course_.Since(0);
  EXPECT_EQ(all.first(), 6);
  EXPECT_EQ(all.length_seconds(), 4);
  EXPECT_THAT(all.uptime_seconds(), ElementsAre(7, 8, 9, 10));
  EXPECT_EQ(all.breakers(0).admitted_share_size(), 4);
  const v1::Course news = course_.Since(9);
  EXPECT_EQ(news.first(), 9);
  EXPECT_THAT(news.uptime_seconds(), ElementsAre(10));
  EXPECT_EQ(news.breakers(0).rating_size(), 1);
  EXPECT_EQ(course_.Since(10).uptime_seconds_size(), 0);
  EXPECT_EQ(course_.Since(1000).first(), 10) << "more than there ever was: the process was started anew";
}

TEST_F(CourseOfBreakers, ABreakerMadeLaterHasTheLatestSamplesOnly) {
  Breaker("a.B", "Get");
  Sample(std::chrono::seconds(1));
  Sample(std::chrono::seconds(1));
  Breaker("a.B", "Put");
  Sample(std::chrono::seconds(1));
  const v1::Course course = course_.Since(0);
  ASSERT_EQ(course.breakers_size(), 2);
  EXPECT_EQ(course.breakers(0).rating_size(), 3);
  EXPECT_EQ(course.breakers(1).name(), "a.B/Put");
  EXPECT_EQ(course.breakers(1).rating_size(), 1);
}

TEST_F(CourseOfBreakers, ToldAtOnceAreTheNewestOfTooMany) {
  SampledCourse course(4, std::chrono::seconds(4), Time(std::chrono::hours(1)), 5);
  EXPECT_EQ(course.Since(0).uptime_seconds_size(), 0);
  for (const char* const method : {"First", "Second", "Third"}) {
    Breaker("a.B", method);
    course.Sample(*registry_, Now());
  }
  EXPECT_EQ(course.Since(0).first(), 2) << "one sample of three breakers";
  EXPECT_EQ(course.Since(0).uptime_seconds_size(), 1);
  EXPECT_EQ(course.Since(0).breakers(2).rating_size(), 1);
  EXPECT_EQ(course.Since(3).first(), 3);
  for (const char* const method : {"Fourth", "Fifth", "Sixth"}) Breaker("a.B", method);
  course.Sample(*registry_, Now());
  EXPECT_EQ(course.Since(0).first(), 3) << "never none, so that a page gets on";
  EXPECT_EQ(course.Since(0).breakers_size(), 6);
}

TEST_F(CourseOfBreakers, ShowsTheRatingFallAndTheRejectionsPerSecond) {
  const auto breaker = Breaker("a.B", "Get");
  Sample(Duration::zero());
  Attempts(*breaker, 100, absl::StatusCode::kOk);
  Sample(Duration::zero());
  Attempts(*breaker, 50, absl::StatusCode::kUnavailable);
  const double rejected = static_cast<double>(breaker->Snapshot(Now()).rejected);
  ASSERT_GT(rejected, 0);
  Sample(Duration::zero());
  const v1::Course course = course_.Since(0);
  const v1::BreakerCourse& told = course.breakers(0);
  EXPECT_TRUE(std::isnan(told.rating(0))) << "unknown is not 0";
  EXPECT_FLOAT_EQ(told.rating(1), 1);
  EXPECT_LT(told.rating(2), 0.9);
  EXPECT_THAT(told.admitted_share(), ElementsAre(1, 1, 0));
  EXPECT_THAT(told.rejected_rate(), ElementsAre(0, 0, testing::FloatNear(static_cast<float>(rejected / 0.1), 0.01f)));
}

TEST_F(CourseOfBreakers, IsServedFromTheGivenSampleOn) {
  StatusPageOptions options;
  options.sample_interval = std::chrono::milliseconds(10);
  options.course_length = std::chrono::seconds(1);
  Breaker("a.B", "Get");
  Start(options);
  v1::Course course;
  for (int i = 0; i < 500 && course.uptime_seconds_size() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the page's own thread takes the samples
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(Get("/course.json").body, &course).ok());
  }
  ASSERT_GE(course.uptime_seconds_size(), 3);
  v1::Course news;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(Get("/course.json?since=2").body, &news).ok());
  EXPECT_EQ(news.first(), 2);
  EXPECT_EQ(Get("/course.json?since=-1").status, 400);
  EXPECT_EQ(Get("/course.json?since=2x").status, 400);
  EXPECT_EQ(Get("/course.json?until=2").status, 400);
}

}  // namespace
}  // namespace recloser::page
