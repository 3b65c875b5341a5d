// Compiles if gRPC's private members are those that the binding needs. Part of no library: the build tries it once.
#include "grpc_access.h"
