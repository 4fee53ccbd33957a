// Notifications to the service manager that started this program, if any (systemd's Type=notify, sd_notify(3)).
#pragma once

#include <string>
#include <string_view>

namespace gpuminer {

class ServiceManager {
public:
    /// Takes $NOTIFY_SOCKET out of the environment: programs that this one starts have nothing to say there.
    ServiceManager();
    ~ServiceManager();
    ServiceManager(const ServiceManager&) = delete;
    ServiceManager& operator=(const ServiceManager&) = delete;

    // From any thread; nothing happens where nobody wants to know, and nobody is waited for.
    void ready() const { tell("READY=1"); }
    /// Still alive, and what it does, in one line. Within $WATCHDOG_USEC it is to be called again.
    void alive(std::string_view status) const;
    void stopping() const { tell("STOPPING=1"); }

private:
    void tell(std::string_view text) const;

    std::string address_;  ///< of a Unix socket; a leading null byte: not in the file system
    int socket_ = -1;
};

}  // namespace gpuminer
