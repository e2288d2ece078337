// Fixed-arity doors to libmicrohttpd's variadic functions, and to what of the sockets under it Swift does not see.
#pragma once
#include <microhttpd.h>

/// Starts a daemon with one epoll thread of its own on a socket that listens already.
/// `context` goes to all callbacks. Returns NULL on failure; the socket stays the caller's.
struct MHD_Daemon *http_server_start(int listening_socket, unsigned int connection_limit,
                                     unsigned int idle_timeout_seconds,
                                     MHD_AccessHandlerCallback on_access,
                                     MHD_RequestCompletedCallback on_completed,
                                     MHD_NotifyConnectionCallback on_connection, void *context);

/// The descriptor of a connection's socket, or -1.
int http_server_descriptor(struct MHD_Connection *connection);

/// The number of the account at the other end of a Unix-domain socket (SO_PEERCRED). Returns 0, or -1 when the kernel
/// does not tell, as on TCP.
int http_server_peer_user(int descriptor, unsigned int *user);
