// HMACKey calls the low-level functions of SHA-256, whose state is a value. They are deprecated in favour of contexts on the heap,
// which take longer to copy than a short message takes to hash.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
