#include "cli/run/service_manager.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "host/text/text.hpp"

namespace gpuminer {

ServiceManager::ServiceManager() {
    const char* const address = std::getenv("NOTIFY_SOCKET");
    if (address == nullptr) return;
    address_ = address;
    ::unsetenv("NOTIFY_SOCKET");
    if (address_.size() < 2 || address_.size() >= sizeof(sockaddr_un::sun_path)) return;
    if (address_.front() == '@') address_.front() = '\0';
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

ServiceManager::~ServiceManager() {
    if (socket_ >= 0) ::close(socket_);
}

void ServiceManager::tell_ready() {
    if (!ready_.exchange(true)) tell("READY=1");
}

void ServiceManager::second(const web::RunSample& now) {
    tell_ready();
    if (socket_ >= 0) tell("WATCHDOG=1\nSTATUS=" + printable(now.text));
}

void ServiceManager::end(const web::DocumentText& /*document*/) {
    tell_ready();  // a service that ends before it has said so counts as failed
    tell("STOPPING=1");
}

void ServiceManager::tell(std::string_view text) const {
    if (socket_ < 0) return;
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    address_.copy(to.sun_path, sizeof to.sun_path);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
    (void)::sendto(socket_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&to), size);
}

}  // namespace gpuminer
