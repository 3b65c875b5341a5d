// Recloser for gRPC: include this.
#ifndef RECLOSER_RECLOSER_H_
#define RECLOSER_RECLOSER_H_

#include "recloser/call_options.h"
#include "recloser/channel.h"
#include "recloser/core/policies.h"
#include "recloser/core/registry.h"
#include "recloser/rejection.h"

#endif  // RECLOSER_RECLOSER_H_
