#include "MicroHTTPDShims.h"

struct MHD_Daemon *http_server_start(int listening_socket, unsigned int connection_limit,
                                     unsigned int idle_timeout_seconds,
                                     MHD_AccessHandlerCallback on_access,
                                     MHD_RequestCompletedCallback on_completed, void *context) {
  return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME,
                          0, NULL, NULL, on_access, context,
                          MHD_OPTION_LISTEN_SOCKET, listening_socket,
                          MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                          MHD_OPTION_CONNECTION_TIMEOUT, idle_timeout_seconds,
                          MHD_OPTION_NOTIFY_COMPLETED, on_completed, context, MHD_OPTION_END);
}
