#include "recloser/core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace recloser {
namespace {

TEST(ToUtf8, KeepsTextAndReplacesEachByteThatIsNone) {
  const std::string replaced = "\uFFFD";
  EXPECT_EQ(ToUtf8(""), "");
  EXPECT_EQ(ToUtf8("orders.Orders/Get"), "orders.Orders/Get");
  EXPECT_EQ(ToUtf8("gr\u00fc\u00df \u20ac \U0001F600"), "gr\u00fc\u00df \u20ac \U0001F600");
  EXPECT_EQ(ToUtf8("Get\xff!"), "Get" + replaced + "!");
  EXPECT_EQ(ToUtf8("\xe2\x82"), replaced + replaced);                                // cut off
  EXPECT_EQ(ToUtf8("\xed\xa0\x80"), replaced + replaced + replaced);                 // a surrogate
  EXPECT_EQ(ToUtf8("\xf4\x90\x80\x80"), replaced + replaced + replaced + replaced);  // above U+10FFFF
  EXPECT_EQ(ToUtf8("\xc0\xaf"), replaced + replaced);                                // overlong
  EXPECT_EQ(ToUtf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

}  // namespace
}  // namespace recloser
