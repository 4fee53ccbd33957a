// Notifications to the service manager that started this program, if any (systemd's Type=notify, sd_notify(3)).
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "web/run_observer.hpp"

namespace gpuminer {

/// Ready from the first second on, with which a watchdog's time begins. Nothing happens where nobody wants to know, and
/// nobody is waited for.
class ServiceManager final : public web::RunObserver {
public:
    /// Takes $NOTIFY_SOCKET out of the environment: programs that this one starts have nothing to say there.
    ServiceManager();
    ~ServiceManager() override;

    /// Still alive, and what it does. Within $WATCHDOG_USEC the next one is to come.
    void second(const web::RunSample& now) override;
    void end(const web::DocumentText& document) override;

private:
    void tell_ready();
    void tell(std::string_view text) const;

    std::string address_;  ///< of a Unix socket; a leading null byte: not in the file system
    int socket_ = -1;
    std::atomic<bool> ready_ = false;
};

}  // namespace gpuminer
