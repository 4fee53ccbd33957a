// There is none that asks.
#include "cli/run/service_manager.hpp"

namespace gpuminer {

ServiceManager::ServiceManager() = default;
ServiceManager::~ServiceManager() = default;

void ServiceManager::second(const web::RunSample& /*now*/) {}
void ServiceManager::end(const web::DocumentText& /*document*/) {}

}  // namespace gpuminer
