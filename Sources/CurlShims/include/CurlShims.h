// Fixed-arity doors to libcurl's variadic functions and its message union, which Swift cannot reach.
#pragma once
#include <curl/curl.h>
#include <netinet/in.h>

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

// Opens a socket for an address, or refuses it with CURL_SOCKET_BAD.
typedef curl_socket_t (*curl_shim_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode curl_shim_set_opener(CURL *easy, curl_shim_opener opener, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, opener);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context) : code;
}

// Where the 4 or 16 bytes of an address are; NULL for other families. The union behind curl_sockaddr is larger than it says.
static inline const unsigned char *curl_shim_address(const struct curl_sockaddr *address, int *count) {
  switch (address->family) {
    case AF_INET:
      *count = 4;
      return (const unsigned char *)&((const struct sockaddr_in *)&address->addr)->sin_addr;
    case AF_INET6:
      *count = 16;
      return (const unsigned char *)&((const struct sockaddr_in6 *)&address->addr)->sin6_addr;
    default:
      *count = 0;
      return NULL;
  }
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
