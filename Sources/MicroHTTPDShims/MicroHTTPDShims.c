#define _GNU_SOURCE
#include "MicroHTTPDShims.h"
#include <sys/socket.h>

struct MHD_Daemon *http_server_start(int listening_socket, unsigned int connection_limit,
                                     unsigned int idle_timeout_seconds,
                                     MHD_AccessHandlerCallback on_access,
                                     MHD_RequestCompletedCallback on_completed,
                                     MHD_NotifyConnectionCallback on_connection, void *context) {
  return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME,
                          0, NULL, NULL, on_access, context,
                          MHD_OPTION_LISTEN_SOCKET, listening_socket,
                          MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                          MHD_OPTION_CONNECTION_TIMEOUT, idle_timeout_seconds,
                          MHD_OPTION_NOTIFY_COMPLETED, on_completed, context,
                          MHD_OPTION_NOTIFY_CONNECTION, on_connection, context, MHD_OPTION_END);
}

int http_server_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

int http_server_peer_user(int descriptor, unsigned int *user) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  int family = 0;
  socklen_t family_length = sizeof family;
  if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &family_length) != 0) return -1;
  if (family != AF_UNIX) return -1;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  *user = peer.uid;
  return 0;
}
