#include <chrono>

#include "recloser/core/time.h"

static_assert(recloser::SaturatingAdd(recloser::kForever, std::chrono::seconds(1)) == recloser::kForever,
              "Recloser's headers are in reach");
