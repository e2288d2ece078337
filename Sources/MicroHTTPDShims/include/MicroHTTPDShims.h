// Fixed-arity doors to libmicrohttpd's variadic functions, which Swift cannot call.
#pragma once
#include <microhttpd.h>

/// Starts a daemon with one epoll thread of its own on a socket that listens already.
/// `context` goes to both callbacks. Returns NULL on failure; the socket stays the caller's.
struct MHD_Daemon *http_server_start(int listening_socket, unsigned int connection_limit,
                                     unsigned int idle_timeout_seconds,
                                     MHD_AccessHandlerCallback on_access,
                                     MHD_RequestCompletedCallback on_completed, void *context);
