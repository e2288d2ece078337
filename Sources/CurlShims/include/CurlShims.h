// Fixed-arity doors to libcurl's variadic functions and its message union, which Swift cannot reach.
#pragma once
#include <curl/curl.h>

// Callbacks as libcurl calls them: bytes, 1, count, the pointer that was set with the callback.
typedef size_t (*curl_shim_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode curl_shim_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

// For strings (copied by libcurl, except for a post's body), lists and plain pointers; NULL resets the option.
static inline CURLcode curl_shim_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_shim_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_shim_set_sink(CURL *easy, CURLoption option, curl_shim_sink sink) {
  return curl_easy_setopt(easy, option, sink);
}

static inline CURLMcode curl_shim_set_multi_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline long curl_shim_status(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

static inline void *curl_shim_private(CURL *easy) {
  char *pointer = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &pointer);
  return pointer;
}

// How a finished transfer ended; only for messages of the kind CURLMSG_DONE.
static inline CURLcode curl_shim_result(const CURLMsg *message) {
  return message->data.result;
}
