// Fixed-arity doors to libmicrohttpd's variadic functions, which Swift cannot call.
#pragma once
#include <microhttpd.h>
