// Fixed-arity doors to libcurl's variadic functions, which Swift cannot call.
#pragma once
#include <curl/curl.h>
