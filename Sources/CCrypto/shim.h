// The low-level functions of SHA-256 are deprecated in favour of contexts that cost an allocation each; they are all that
// a short message can afford.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
